/** Declares the texts: what call sites are checked against. `npx vitest run packages/console/src/texts -u` writes it again. */
import { argumentsOf, type Catalogue } from './texts-messages.ts'

/** Returns the source of `src/texts/english.ts`. */
export const declarationOf = (english: Catalogue): string =>
  [
    '/** Generated of the English catalogues: `npx vitest run packages/console/src/texts -u` writes it again. */',
    `export interface English ${typeOf(english, '')}`,
    '',
  ].join('\n')

function typeOf(value: string | Catalogue, indent: string): string {
  if (typeof value === 'string') return typeOfMessage(value)
  const lines = Object.entries(value).map(
    ([key, inner]) => `${indent}  readonly ${nameOf(key)}: ${typeOf(inner, `${indent}  `)}\n`,
  )
  return `{\n${lines.join('')}${indent}}`
}

function typeOfMessage(message: string): string {
  const named = [...argumentsOf(message)].map(([name, type]) => `readonly ${name}: ${type}`)
  return named.length === 0 ? 'string' : `(v: { ${named.join('; ')} }) => string`
}

const nameOf = (key: string): string => (/^[a-z_$][\w$]*$/i.test(key) ? key : `'${key}'`)
