/**
 * Text with nothing in it that the eye does not see: what is hidden, has no width or turns the direction of writing stands as its
 * code point (Unicode TR 36 and TR 39; "tool poisoning" hides words for models in such characters).
 */
const HIDDEN =
  /[\p{C}\p{Zl}\p{Zp}]|[\u{34F}]|[\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0]|\p{Variation_Selector}|(?! )\p{Zs}/gu

export const visible = (text: string): string => text.replace(HIDDEN, wordOf)

export const hasHidden = (text: string): boolean => visible(text) !== text

const wordOf = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
