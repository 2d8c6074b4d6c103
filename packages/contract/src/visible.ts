/**
 * Text with nothing in it that the eye does not see: what is hidden, has no width or turns the direction of writing stands as its
 * code point (Unicode TR 36 and TR 39; "tool poisoning" hides words for models in such characters).
 */
const HIDDEN =
  /[\p{C}\p{Zl}\p{Zp}]|[\u{34F}]|[\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0]|\p{Variation_Selector}|(?! )\p{Zs}/gu

export const visible = (text: string): string => text.replace(HIDDEN, wordOf)

/** The same for a text of several lines: their ends and tabs stay. */
export const visibleText = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(HIDDEN, (value) => (value === '\n' || value === '\t' ? value : wordOf(value)))

/** The same value, written so that a terminal shows all of it: what is hidden stands as its escape (RFC 8259, section 7). */
export const visibleJson = (json: string): string =>
  json.replace(HIDDEN, (value) => (value === '\n' ? value : escapeOf(value)))

const escapeOf = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')

export const hasHidden = (text: string): boolean => visible(text) !== text

const wordOf = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
