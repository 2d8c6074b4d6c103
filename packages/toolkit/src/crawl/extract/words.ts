/** Counts words: runs of letters and digits, and each character of scripts that set no spaces between words. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+/gu
/** A run as above cut at the first character of such a script. */
const UNSPACED = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])/gu

export const wordsOf = (text: string): string[] => text.replace(UNSPACED, ' $1 ').match(WORD) ?? []

export const countWords = (text: string): number => wordsOf(text).length
