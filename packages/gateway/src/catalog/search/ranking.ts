/**
 * Ranks tools for a query, the best first: BM25+ over names, titles, descriptions, parameters and aliases, in memory, with no
 * service and no model (ADR 0033).
 *
 * Built once for each tool listing, over all of it; the caller of this module leaves out the tools that may not be seen.
 */
import { isObject, type JsonObject } from '@toolway/protocol'
import MiniSearch from 'minisearch'
import { categoryOf } from '../tool-listing.ts'
import { wordsOf, similarWords } from './search-words.ts'

export interface Findable {
  /** As clients know it; unique. */
  readonly name: string
  /** Its server's own name of it. */
  readonly own: string
  readonly alias: string
  readonly definition: JsonObject
}

export interface Ranking {
  /** Names of tools, the best first. */
  find(query: string): string[]
}

/** A word in the name says more than one in the description. */
const BOOST = { own: 3, title: 2, alias: 4, category: 1.5, description: 1.5, parameters: 0.5 }
/** A word that means about the same counts as less than the word itself. */
const WIDENED = 0.4
const PREFIX = { from: 4, weight: 0.3 }
const FUZZY = { from: 5, distance: 0.2, weight: 0.2 }

export function createRanking(tools: Iterable<Findable>): Ranking {
  const index = new MiniSearch<Record<string, string>>({
    idField: 'name',
    fields: Object.keys(BOOST),
    storeFields: [],
    tokenize: wordsOf,
    processTerm: (term) => term,
  })
  for (const tool of tools) index.add(documentOf(tool))
  return {
    find(query) {
      const queried = new Set(wordsOf(query))
      const words = [...queried].flatMap((word) => [word, ...similarWords(word).filter((other) => !queried.has(other))])
      return index
        .search(words.join(' '), {
          tokenize: (text) => text.split(' '),
          boost: BOOST,
          boostTerm: (term) => (queried.has(term) ? 1 : WIDENED),
          prefix: (term) => queried.has(term) && term.length >= PREFIX.from,
          fuzzy: (term) => queried.has(term) && term.length >= FUZZY.from && FUZZY.distance,
          weights: { prefix: PREFIX.weight, fuzzy: FUZZY.weight },
        })
        .map(({ id }) => String(id))
    },
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function documentOf({ name, own, alias, definition }: Findable): Record<string, string> {
  const { title, annotations, description, inputSchema } = definition
  const properties = isObject(inputSchema) && isObject(inputSchema['properties']) ? inputSchema['properties'] : {}
  const hinted = isObject(annotations) ? textOf(annotations['title']) : ''
  return {
    name,
    own,
    alias,
    title: `${textOf(title)} ${hinted}`,
    category: categoryOf(definition),
    description: textOf(description).slice(0, LONGEST),
    parameters: Object.keys(properties).join(' '),
  }
}

/** Of a description: what comes later is seldom what it is about, and an index is kept in memory. */
const LONGEST = 2_000
