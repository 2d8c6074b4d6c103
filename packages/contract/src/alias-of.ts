/** Makes a connection's alias of its name: small letters, digits, `-` and `_`, beginning with a letter. */
export const ALIAS_LENGTH = 31

/** Latin letters that do not decompose into a plain one and a mark. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ð: 'd',
  đ: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
}

/** The alias that follows from a name, whether it is taken or not. */
export function aliasOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøðđłþı]/g, (letter) => PLAIN[letter] ?? '')
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replaceAll(/-*_[-_]*/g, '_')
    .replaceAll(/^[-_]+|[-_]+$/g, '')
  const named = /^[a-z]/.test(plain) ? plain : `server-${plain}`
  return named.slice(0, ALIAS_LENGTH).replace(/[-_]+$/, '')
}
