/** Declares the type of the texts. `npx vitest run packages/gateway/src/http/pages -u` writes it again. */
import { TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { IntlMessageFormat } from 'intl-messageformat'
import { declareTexts, parameterOf } from '../../../../../../tools/declare-texts.ts'
import { KNOWN_TAGS, type Catalogue } from '../page-texts.ts'

/** Returns the source of `english.ts`. */
export const declarationOf = (english: Catalogue): string =>
  declareTexts(
    english,
    [
      '/** Generated of the English catalogue: `npx vitest run packages/gateway/src/http/pages -u` writes it again. */',
      "import type { Markup, Tag, Words } from '../markup.ts'",
      '',
    ],
    (message) => {
      const named = argumentsOf(message)
      return `(${named.size === 0 ? '' : parameterOf(named)}) => Markup`
    },
  )

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
