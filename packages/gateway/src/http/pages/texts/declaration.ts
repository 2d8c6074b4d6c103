/** Declares the texts: what call sites are checked against. `npx vitest run packages/gateway/src/http/pages -u` writes it again. */
import { TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { IntlMessageFormat } from 'intl-messageformat'
import { KNOWN_TAGS, type Catalogue } from '../page-texts.ts'

/** Returns the source of `english.ts`. */
export const declarationOf = (english: Catalogue): string =>
  [
    '/** Generated of the English catalogue: `npx vitest run packages/gateway/src/http/pages -u` writes it again. */',
    "import type { Markup, Tag, Words } from '../markup.ts'",
    '',
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
  const named = [...argumentsOf(message)].map(([name, type]) => `readonly ${nameOf(name)}: ${type}`)
  return `(${named.length === 0 ? '' : `v: { ${named.join('; ')} }`}) => Markup`
}

const nameOf = (key: string): string => (/^[a-z_$][\w$]*$/i.test(key) ? key : JSON.stringify(key))

/** Returns the types of a message's arguments by their names. */
export function argumentsOf(message: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const visit = (elements: readonly MessageFormatElement[]): void => {
    for (const element of elements) {
      if (element.type === TYPE.tag) {
        if (!KNOWN_TAGS.includes(element.value)) found.set(element.value, 'Tag')
        visit(element.children)
      } else if (element.type === TYPE.number || element.type === TYPE.plural) found.set(element.value, 'number')
      // A choice by name may be one language's only.
      else if (element.type === TYPE.argument || element.type === TYPE.select)
        found.set(element.value, found.get(element.value) ?? 'Words')
      if (element.type === TYPE.select || element.type === TYPE.plural)
        for (const { value } of Object.values(element.options)) visit(value)
    }
  }
  visit(new IntlMessageFormat(message, 'en').getAst())
  return found
}
