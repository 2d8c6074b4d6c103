/** Lists of words as people read them, in the language of the console. */
import { locale } from '../texts/locale.ts'

/** `a, b and c` */
export const listOf = (words: readonly string[], language: string = locale): string =>
  new Intl.ListFormat(language).format(words)

/** `a, b or c` */
export const oneOf = (words: readonly string[], language: string = locale): string =>
  new Intl.ListFormat(language, { type: 'disjunction' }).format(words)
