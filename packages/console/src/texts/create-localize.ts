/**
 * Finds what a sentence of the gateway says in another language by its English template (ADR 0138). This file becomes part of the script of
 * German sentences, so that those who read English load none of it: it imports nothing.
 */

/** Places of sentences that are so short that another server may say them, too: they are looked for there alone. */
export type Place = 'rules' | 'requests' | 'chain' | 'documents'
/**
 * The sections that the gateway's sentences are in. `requests` are the faults that say what is wrong with a value, `openapi` those that say
 * what is wrong with a document.
 */
export type Section = 'faults' | 'requests' | 'openapi' | 'states' | 'catalog' | keyof typeof ONLY
const ONLY = {
  rules: ['rules'],
  problems: ['requests'],
  shapes: ['requests'],
  chain: ['chain'],
  documents: ['documents', 'requests'],
} as const satisfies Readonly<Record<string, readonly Place[]>>
/** The place that the facts of such a sentence are in. */
const INSIDE: Partial<Readonly<Record<Section, Place>>> = { requests: 'requests', openapi: 'documents' }

const isAt = (section: Section, where: Place | undefined): boolean => {
  const places: readonly (Place | undefined)[] | undefined = ONLY[section as keyof typeof ONLY]
  return places === undefined || places.includes(where)
}

type Say = string | ((blanks: Readonly<Record<string, string>>) => string)
/** The texts between the blanks, the names of the blanks, and the German message. */
export type Sentences = readonly (readonly [Section, readonly string[], readonly string[], Say])[]

/** Longer ones are texts of others, such as a page that a server sent. */
const LONGEST = 4_000
/** No sentence of ours has more lines: a page of somebody else's is not looked through. */
const MOST_LINES = 50
/** A fact of a sentence is a sentence, which has facts. */
const DEEPEST = 3
const MOST_KEPT = 2_000

export type Localize = (text: string, where?: Place) => string

export function createLocalize(sentences: Sentences): Localize {
  const texts = new Map<string, string>()
  const within = (text: string, where: Place | undefined, depth: number): string | undefined => {
    for (const [section, literals, names, say] of sentences) {
      if (!isAt(section, where)) continue
      const facts = factsIn(text, literals, names)
      if (facts === undefined) continue
      if (typeof say === 'string') return say
      const inside = INSIDE[section] ?? where
      const blanks = names.map((name, at) => [name, inner(facts[at] ?? '', inside, depth)])
      const words = say(Object.fromEntries(blanks) as Record<string, string>)
      return literals.at(-1) === '.' ? words.replace(/([!?])\.$/, '$1') : words
    }
    return undefined
  }
  // A word alone is a name: a tool may be called "members".
  const inner = (fact: string, where: Place | undefined, depth: number): string =>
    depth < DEEPEST && /\s/.test(fact)
      ? (within(fact, where, depth + 1) ?? (where === 'rules' ? wordList(fact, depth + 1) : fact))
      : fact
  const wordList = (fact: string, depth: number): string =>
    fact.includes(', ')
      ? fact
          .split(', ')
          .map((part) => inner(part, 'rules', depth))
          .join(', ')
      : fact
  const wordLines = (text: string, where: Place | undefined): string =>
    within(text, where, 0) ??
    text
      .split('\n')
      .map((line, at) => (at < MOST_LINES ? (within(line, where, 0) ?? line) : line))
      .join('\n')
  return (text, where) => {
    if (sentences.length === 0 || text === '' || text.length > LONGEST) return text
    const key = `${where ?? ''} ${text}`
    const known = texts.get(key)
    if (known !== undefined) return known
    if (texts.size >= MOST_KEPT) texts.clear()
    const words = wordLines(text, where)
    texts.set(key, words)
    return words
  }
}

/** A blank that is a list has commas itself: what follows it is looked for from the end. */
const LIST = 'who'

/** In one pass, without going back: a text of a server cannot make it slow. Undefined where the text is another. */
function factsIn(text: string, literals: readonly string[], names: readonly string[]): string[] | undefined {
  const [first = '', ...others] = literals
  if (!text.startsWith(first)) return undefined
  const last = others.pop()
  if (last === undefined) return text === first ? [] : undefined
  // A fact that ends with a mark of its own takes the place of the full stop (`fill` in the contract's faults).
  const end = last === '.' && /[!?]$/.test(text) ? '' : last
  const facts: string[] = []
  let from = first.length
  for (const [blank, literal] of others.entries()) {
    const at = names[blank] === LIST ? text.lastIndexOf(literal) : text.indexOf(literal, from)
    if (at < from) return undefined
    facts.push(text.slice(from, at))
    from = at + literal.length
  }
  const to = text.length - end.length
  if (to < from || !text.endsWith(end)) return undefined
  return [...facts, text.slice(from, to)]
}
