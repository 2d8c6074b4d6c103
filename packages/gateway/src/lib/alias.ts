/**
 * Derives a connection's alias from the name a client used.
 *
 * Small letters, digits, `-` and `_`, beginning with a letter, at most 31 characters, and unlike every alias taken before it: the
 * second of a name gets `_2`. The same file gives the same aliases in the same order.
 */
const MAX_LENGTH = 31

/** Gives out aliases; one allotment per file. */
export function createAliasAllotment(taken: Iterable<string> = []) {
  const used = new Set(taken)
  return (name: string): string => {
    const wanted = aliasOf(name)
    let alias = wanted
    for (let next = 2; used.has(alias); next += 1) {
      const ending = `_${next}`
      alias = wanted.slice(0, MAX_LENGTH - ending.length).replace(/[-_]+$/, '') + ending
    }
    used.add(alias)
    return alias
  }
}

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

function aliasOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøðđłþı]/g, (letter) => PLAIN[letter] ?? '')
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .replaceAll(/-*_[-_]*/g, '_')
    .replaceAll(/^[-_]+|[-_]+$/g, '')
  const named = /^[a-z]/.test(plain) ? plain : `server-${plain}`
  return named.slice(0, MAX_LENGTH).replace(/[-_]+$/, '')
}
