/**
 * Sentences of the gateway in the language of the console: unchanged in English, from the catalogues in `gateway/de` in German
 * (ADR 0138). A sentence that is in none of them, such as one of a vendor or of another server, stays as it is.
 */
import type { Localize, Place } from './create-localize.ts'

/** The script of German sentences runs before the modules, and only those load it who read German. */
export const localized: Localize = (globalThis as { localizeGateway?: Localize }).localizeGateway ?? ((text) => text)

/** Of a text that may be missing. */
export const localizedOr = <Missing extends null | undefined>(
  text: string | Missing,
  where?: Place,
): string | Missing => (typeof text === 'string' ? localized(text, where) : text)

/** Of a list in one text, such as who may approve: `members, the group finance`. */
export const localizedList = (text: string): string =>
  text
    .split('; and for ')
    .map((some) =>
      some
        .split(', ')
        .map((part) => localized(part, 'rules'))
        .join(', '),
    )
    .join('; ')
