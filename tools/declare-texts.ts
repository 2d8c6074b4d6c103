/** Declares the type of a catalogue of texts, so that the compiler checks each place that shows one. */

/** A section of the texts, or a part of one. */
interface Catalogue {
  readonly [key: string]: string | Catalogue
}

/**
 * Returns the source of the interface `English`.
 *
 * @param head lines before the interface: how to generate the file, and its imports
 * @param typeOfMessage the type of one message, as source
 */
export const declareTexts = (
  english: Catalogue,
  head: readonly string[],
  typeOfMessage: (message: string) => string,
): string => {
  const typeOf = (value: string | Catalogue, indent: string): string => {
    if (typeof value === 'string') return typeOfMessage(value)
    const lines = Object.entries(value).map(
      ([key, inner]) => `${indent}  readonly ${keyName(key)}: ${typeOf(inner, `${indent}  `)}\n`,
    )
    return `{\n${lines.join('')}${indent}}`
  }
  return [...head, `export interface English ${typeOf(english, '')}`, ''].join('\n')
}

/** Returns the source of one parameter: an object with the message's arguments. */
export const parameterOf = (named: ReadonlyMap<string, string>): string =>
  `v: { ${[...named].map(([name, type]) => `readonly ${keyName(name)}: ${type}`).join('; ')} }`

const keyName = (key: string): string =>
  /^[a-z_$][\w$]*$/i.test(key) ? key : `'${key.replaceAll("'", String.raw`\'`)}'`
