/**
 * Messages in ICU MessageFormat, compiled to JavaScript at build time, so that no parser reaches the browser. A message without
 * arguments becomes a string, another one a function of an object with its arguments.
 */
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'

/** A section of the texts, or a part of one. */
export interface Catalogue {
  readonly [key: string]: string | Catalogue
}

/** The case of a `select` for a value that is missing or empty. */
const MISSING = 'null'

// Angle brackets are text: no message has markup.
const read = (message: string): MessageFormatElement[] =>
  parse(message, { ignoreTag: true, shouldParseSkeletons: true })

/** Returns the source of an object literal. Its functions call `count` to write numbers, which its module has to provide. */
export function compiled(catalogue: Catalogue, language: string): string {
  assertTwoForms(language)
  const entries = Object.entries(catalogue).map(
    ([key, value]) =>
      `${JSON.stringify(key)}: ${typeof value === 'string' ? compiledMessage(value) : compiled(value, language)}`,
  )
  return `{ ${entries.join(', ')} }`
}

/** Returns the source of a string or of a function. */
export function compiledMessage(message: string): string {
  const elements = read(message)
  const isPlain = elements.every(({ type }) => type === TYPE.literal)
  return `${isPlain ? '' : '(v) => '}${textOf(elements)}`
}

/** @param counted the argument that a number sign stands for */
function textOf(elements: readonly MessageFormatElement[], counted?: string): string {
  const parts = elements.map((element) =>
    element.type === TYPE.literal
      ? element.value.replaceAll(/[`\\]|\$(?=\{)/g, String.raw`\$&`)
      : `\${${expressionOf(element, counted)}}`,
  )
  return `\`${parts.join('')}\``
}

function expressionOf(element: MessageFormatElement, counted: string | undefined): string {
  switch (element.type) {
    case TYPE.argument:
      return `v.${element.value}`
    case TYPE.number:
      return `count(v.${element.value}${optionsOf(element.style)})`
    case TYPE.pound:
      return `count(v.${counted ?? ''})`
    case TYPE.select:
      return choiceOf(element.options, (key) => selects(`v.${element.value}`, key), counted)
    case TYPE.plural:
      return choiceOf(element.options, (key) => counts(`v.${element.value}`, key), element.value)
    default:
      throw new Error(`Messages of the console have no arguments of this type: ${JSON.stringify(element)}`)
  }
}

type Options = Readonly<Record<string, { readonly value: MessageFormatElement[] }>>

function choiceOf(options: Options, conditionOf: (key: string) => string, counted: string | undefined): string {
  const cases = Object.entries(options)
    .filter(([key]) => key !== 'other')
    .map(([key, { value }]) => `${conditionOf(key)} ? ${textOf(value, counted)} : `)
  return `${cases.join('')}${textOf(options['other']?.value ?? [], counted)}`
}

const selects = (value: string, key: string): string => {
  if (key === MISSING) return `(${value} ?? '') === ''`
  return `${value} === ${key === 'true' || key === 'false' ? key : JSON.stringify(key)}`
}

const counts = (value: string, key: string): string => {
  if (key.startsWith('=')) return `${value} === ${key.slice(1)}`
  if (key === 'one') return `${value} === 1`
  throw new Error(`English and German have no plural form “${key}”.`)
}

function optionsOf(style: unknown): string {
  if (style == null) return ''
  if (typeof style === 'object' && 'parsedOptions' in style) return `, ${JSON.stringify(style.parsedOptions)}`
  throw new Error(`This style of a number is not known: ${JSON.stringify(style)}`)
}

/** Then a comparison with 1 chooses the form. A language with other rules needs Intl.PluralRules in `counts`. */
function assertTwoForms(language: string): void {
  const rules = new Intl.PluralRules(language)
  const isTwo = [0, 0.5, 1, 1.5, 2, 3, 5, 11, 21, 101].every((n) => rules.select(n) === (n === 1 ? 'one' : 'other'))
  if (!isTwo) throw new Error(`The plural forms of ${language} are not those of English.`)
}

/** Returns the types of a message's arguments, in the order in which it names them. */
export function argumentsOf(message: string): ReadonlyMap<string, string> {
  const found = new Map<string, Set<string>>()
  const note = (name: string, ...types: readonly string[]) =>
    found.set(name, new Set([...(found.get(name) ?? []), ...types]))
  const visit = (elements: readonly MessageFormatElement[]): void => {
    for (const element of elements) {
      if (element.type === TYPE.argument) note(element.value)
      else if (element.type === TYPE.number) note(element.value, 'number')
      else if (element.type === TYPE.plural) note(element.value, 'number')
      else if (element.type === TYPE.select) note(element.value, ...Object.keys(element.options).map(typeOfCase))
      if (element.type === TYPE.select || element.type === TYPE.plural)
        for (const { value } of Object.values(element.options)) visit(value)
    }
  }
  visit(read(message))
  return new Map([...found].map(([name, types]) => [name, typeOf(types)]))
}

const typeOfCase = (key: string): string => {
  if (key === MISSING) return 'null | undefined'
  if (key === 'true' || key === 'false') return 'boolean'
  return ''
}

function typeOf(types: ReadonlySet<string>): string {
  const known = [...types].filter((type) => type !== '')
  const isNamed = known.includes('number') || known.includes('boolean')
  return (isNamed ? known : ['string', ...known]).join(' | ')
}
