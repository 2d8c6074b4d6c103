/**
 * Finds where a text stops being JSON (RFC 8259). Called only once a parser has refused the text, to report the position to its
 * author.
 *
 * The engine's own messages name no position for the commonest mistakes and quote the text, which may hold a secret. This module
 * reads no values, and it must not be given a text that nests without bound.
 */
const QUOTE = 0x22
const BACKSLASH = 0x5c
const LEAST = 0x20
const SPACE = ' \t\n\r'
const ESCAPED = '"\\/bfnrt'
const HEX = /^[0-9a-fA-F]$/

/** The offset of the first character that no JSON text could have there (the length: more was to come); undefined for JSON. */
export function breakOf(text: string): number | undefined {
  let at = 0
  const is = (characters: string) => at < text.length && characters.includes(text.charAt(at))
  const eat = (characters: string) => is(characters) && ++at > 0
  const skip = () => {
    while (is(SPACE)) at++
  }
  const digits = () => {
    const from = at
    while (is('0123456789')) at++
    return at > from
  }

  function number(): boolean {
    eat('-')
    if (!eat('0') && !digits()) return false
    if (eat('.') && !digits()) return false
    if (!eat('eE')) return true
    eat('+-')
    return digits()
  }

  function readString(): boolean {
    if (!eat('"')) return false
    for (;;) {
      const code = text.charCodeAt(at)
      if (at >= text.length || code < LEAST) return false
      at++
      if (code === QUOTE) return true
      if (code === BACKSLASH && !readEscape()) return false
    }
  }

  function readEscape(): boolean {
    if (!eat('u')) return eat(ESCAPED)
    for (let digit = 0; digit < 4; digit++, at++) if (!HEX.test(text.charAt(at))) return false
    return true
  }

  const word = (letters: string) => Array.from(letters).every((letter) => eat(letter))

  function series(close: string, item: () => boolean): boolean {
    at++
    skip()
    if (eat(close)) return true
    do {
      if (!item()) return false
      skip()
    } while (eat(','))
    return eat(close)
  }

  function member(): boolean {
    skip()
    if (!readString()) return false
    skip()
    return eat(':') && value()
  }

  function value(): boolean {
    skip()
    if (is('{')) return series('}', member)
    if (is('[')) return series(']', value)
    if (is('"')) return readString()
    if (is('t')) return word('true')
    if (is('f')) return word('false')
    if (is('n')) return word('null')
    return number()
  }

  if (!value()) return at
  skip()
  return at === text.length ? undefined : at
}

/** The place of the quote that ends the string which begins at `start`; the end of the text where none does. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at
  }
  return text.length
}
