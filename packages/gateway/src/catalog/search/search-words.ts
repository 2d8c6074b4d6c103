/** A text as the words that are looked for: names of tools taken apart, endings cut, and words that mean about the same. */

/** Words of questions that say nothing of what is wanted. */
const EMPTY = new Set(
  `a an and are as at be by can do does for from has have how i if in into is it its me my of on one or our please
   should so some that the their them then there these this to up us want was we what when where which who will with you
   your`.split(/\s+/),
)

/** Verbs that servers use for one another; each stands for the others in its row. */
const ALIKE = [
  'create add make new open insert register',
  'delete remove drop erase trash',
  'get read fetch retrieve show view look',
  'list all browse every enumerate',
  'search find query lookup locate',
  'update edit change modify set patch rename',
  'send post write message',
  'reply answer respond',
  'run execute start trigger launch',
  'cancel stop abort end',
  'move transfer',
  'file document',
  'repository repo',
  'pull merge pr mr',
  'issue ticket bug task',
  'mail email message',
  'people person user member',
  'meeting call event',
  'folder directory',
  'sheet spreadsheet worksheet',
  'usage metric statistic stat',
  'spend cost billing',
].map((row) => row.split(' '))

const alike = new Map<string, string[]>()
for (const row of ALIKE)
  for (const word of row) alike.set(word, [...(alike.get(word) ?? []), ...row.filter((other) => other !== word)])

/** `GitHub` and `PowerPoint`: one name, which is also written in small letters. */
const COMPOUND = /\b[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*\b/g

/** `listPullRequests`, `LIST_PULL_REQUESTS` and "list the pull requests" are the same three words. */
export function wordsOf(text: string): string[] {
  const named = text.replaceAll(COMPOUND, (name) => `${name} ${name.toLowerCase()}`)
  const apart = named.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
  return apart
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !EMPTY.has(word))
    .map(stem)
}

/** Plurals and no more: what a stemmer for prose cuts off names of tools is often what tells them apart. */
function stem(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  if (/(?:ch|sh|x|z|ss)es$/.test(word)) return word.slice(0, -2)
  return word.slice(0, -1)
}

/** Words that may be meant too. */
export const similarWords = (word: string): readonly string[] => alike.get(word) ?? []
