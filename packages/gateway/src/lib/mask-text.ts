/**
 * Text that others wrote, such as the error of a server, without what looks like a secret in it, and short enough to be kept.
 *
 * It guesses by the marks of `secret-marks.ts`: the name before a value, the form of a word, its length. A guess too many only hides
 * a word.
 */
import { isTellingName, MASK, maskArgument, maskUrl, secretArguments } from '@toolway/contract/secret-marks'

const AUTHORIZATION = /\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi
/** `name=value`, `name: value`, `"name": "value"`. */
const ASSIGNED = /(["']?)([A-Za-z_][\w.-]*)\1(\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,;&"'{}[\]]+)/g
const WORD = /[^\s"'`,;(){}[\]<>]+/g
/** Characters that are looked at: what comes behind is not kept anyway. */
const LOOKED_AT = 4

const maskWord = (word: string): string => {
  if (secretArguments([word]).length === 0) return word
  return word.includes('://') ? maskUrl(word) : maskArgument(word)
}

export const maskText = (text: string): string =>
  text
    .replaceAll(AUTHORIZATION, `$1 ${MASK}`)
    .replaceAll(ASSIGNED, (whole: string, quote: string, name: string, between: string) =>
      isTellingName(name) ? `${quote}${name}${quote}${between}${MASK}` : whole,
    )
    .replaceAll(WORD, maskWord)

/** One line of at most so many characters, as a database can hold it. */
export function shortText(text: string, most: number): string {
  const line = text
    .slice(0, most * LOOKED_AT)
    // oxlint-disable-next-line no-control-regex -- they are what is taken out
    .replaceAll(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim()
  const masked = maskText(line)
  return (masked.length > most ? `${masked.slice(0, most - 1)}…` : masked).toWellFormed()
}
