/**
 * A tile in place of a logo: one or two letters of a name in a colour that follows from the whole name, so that neighbours
 * such as "Orders 22" and "Orders 26" differ. Twelve hues, each pale and deep; toolway.css has the colours and their contrast.
 */

export interface Tile {
  readonly letters: string
  /** Degrees. */
  readonly hue: number
  readonly isDeep: boolean
}

const HUES = 12

export function tileOf(name: string): Tile {
  const hash = hashOf(name.trim().toLowerCase())
  return { letters: lettersOf(name), hue: (hash % HUES) * (360 / HUES), isDeep: Math.floor(hash / HUES) % 2 === 1 }
}

/** The first character of the first word and of the last; a character may be two code units long. */
function lettersOf(name: string): string {
  const words = name.split(/[\s_./-]+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => /[\p{L}\p{N}]/u.exec(word ?? '')?.[0].toUpperCase() ?? '',
  )
  return initials.join('') || (Array.from(name.trim())[0] ?? '')
}

/** FNV-1a with a last mix: a change of one character changes all bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
