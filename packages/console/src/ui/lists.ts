/** Lists of words as people read them, in the language of the console. */
import { locale } from '../texts/locale.ts'

/** `a, b and c` */
export const listOf = (words: readonly string[]): string => new Intl.ListFormat(locale).format(words)

/** `a, b or c` */
export const oneOf = (words: readonly string[]): string =>
  new Intl.ListFormat(locale, { type: 'disjunction' }).format(words)
