/**
 * Recognizes pasted text. One field accepts an address, a command line, a client's configuration, an OpenAPI document or its
 * address, the name of a package, and a catalog entry. Pure: no request is made and nothing is started. The reader of configurations is
 * given, since a page loads it when a text needs it.
 */
import type { CatalogEntry } from '@toolway/contract'
import { DOCUMENT_KIND, draft, draftOfEntry, problemOfAddress, type Draft } from '../draft.ts'
import { choosable } from '../vendor-server.tsx'
import type { Configuration, ReadConfiguration } from './read-configuration.ts'
import { draftOfCommand, isCommand } from './command-line.ts'
import { draftOfLink } from './install-link.ts'
import { readLoosely } from './loose-json.ts'

export type Seen =
  | 'address'
  | 'command'
  | 'configuration'
  | 'document'
  | 'document-address'
  | 'archive'
  | 'package'
  | 'link'
  | 'entry'

/** Thrown where a text needs the reader of configurations, and nobody gave one. */
class NeedsReader extends Error {}
const NO_READER: ReadConfiguration = () => {
  throw new NeedsReader()
}

export type Guess =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'one'; readonly seen: Seen; readonly draft: Draft }
  | ({ readonly kind: 'several' } & Configuration)
  /** The reader of configurations is not loaded yet. */
  | { readonly kind: 'unread' }
  /** The catalog entries of that name. */
  | { readonly kind: 'entries'; readonly entries: readonly CatalogEntry[] }
  | {
      readonly kind: 'refused'
      readonly why: 'scheme' | 'user' | 'repository' | 'unreadable' | 'unknown' | 'none' | 'many' | 'large' | 'unusable'
    }

export function guess(text: string, catalog: readonly CatalogEntry[], read: ReadConfiguration = NO_READER): Guess {
  try {
    return guessWith(text, catalog, read)
  } catch (thrown) {
    if (thrown instanceof NeedsReader) return { kind: 'unread' }
    throw thrown
  }
}

function guessWith(input: string, catalog: readonly CatalogEntry[], read: ReadConfiguration): Guess {
  const text = input
    .trim()
    .replace(/^```\w*\n?|\n?```$/g, '')
    .trim()
  if (text === '') return { kind: 'nothing' }
  return (
    ofLink(text, read) ??
    ofAddress(text, catalog) ??
    ofStructure(text, read) ??
    ofCommand(text, catalog, read) ??
    ofName(text, catalog)
  )
}

const guessOf = (seen: Seen, found: Draft): Guess => ({ kind: 'one', seen, draft: found })
const refused = (why: Extract<Guess, { kind: 'refused' }>['why']): Guess => ({ kind: 'refused', why })

function ofLink(text: string, read: ReadConfiguration): Guess | undefined {
  const found = draftOfLink(text, read)
  return found === undefined ? undefined : guessOf('link', found)
}

const DOCUMENT =
  /(?:openapi|swagger)[^/]*\.(?:json|ya?ml)$|\/(?:v\d+\/)?api-docs\/?$|\/(?:openapi|swagger)\/?$|\.ya?ml$/i
const REPOSITORY = /^https?:\/\/(?:www\.)?(?:github\.com|gitlab\.com|npmjs\.com|pypi\.org)\/[^/]+/i
/** A host as people write it, `mcp.linear.app/mcp` and `localhost:3000`; not a file, `server.py`. */
const HOST =
  /^(?:localhost|\d+(?:\.\d+){3}|(?:[a-z0-9-]+\.)+(?!py\b|js\b|ts\b|mjs\b|json\b|sh\b)[a-z]{2,})(?::\d+)?(?:[/?]\S*)?$/i
const LOCAL = /^(?:localhost|\d+(?:\.\d+){3})(?=[:/?]|$)/i

function ofAddress(text: string, catalog: readonly CatalogEntry[]): Guess | undefined {
  if (/\s/.test(text)) return undefined
  const url = HOST.test(text) ? `${LOCAL.test(text) ? 'http' : 'https'}://${text}` : text
  if (!/^[a-z][a-z0-9+.-]*:/i.test(url)) return undefined
  const problem = problemOfAddress(url)
  if (problem !== undefined) return refused(problem === 'empty' ? 'unreadable' : problem)
  const known = catalog.find((entry) => entry.url !== null && sameAddress(entry.url, url))
  if (known !== undefined) return guessOf('entry', draftOfEntry(known))
  if (DOCUMENT.test(new URL(url).pathname)) return guessOf('document-address', draft({ kind: DOCUMENT_KIND, url }))
  if (REPOSITORY.test(url)) return refused('repository')
  return guessOf('address', draft({ url }))
}

const sameAddress = (first: string, second: string) =>
  first.replace(/\/$/, '').toLowerCase() === second.replace(/\/$/, '').toLowerCase()

/** A table of TOML, or a member of YAML that clients keep servers under. */
const SETTINGS =
  /^(?:\[+(?:mcp_servers|mcpServers)\b|mcp_servers\b|["']?(?:mcpServers|mcp_servers|context_servers|extensions|mcp|servers|projects)["']?:)/m

function ofStructure(text: string, read: ReadConfiguration): Guess | undefined {
  if (/^(?:openapi|swagger):\s*["']?\d/m.test(text.slice(0, 2_000)))
    return guessOf('document', draft({ kind: DOCUMENT_KIND, document: text }))
  const isJson = /^[{["]|^\/[/*]/.test(text)
  if (!isJson && !SETTINGS.test(text)) return undefined
  const value = isJson ? readLoosely(text) : undefined
  if (typeof value === 'object' && value !== null && ('openapi' in value || 'swagger' in value))
    return guessOf('document', draft({ kind: DOCUMENT_KIND, document: text }))
  const found = read(text)
  if (found === undefined) return refused('unreadable')
  const [first] = found.drafts
  if (first === undefined) return refused('unusable')
  return found.drafts.length === 1 && found.left.length === 0
    ? guessOf('configuration', first)
    : { kind: 'several', ...found }
}

/** The name of a published package; `uvx` and `npx` start it. */
const PACKAGE = /^@[\w.-]+\/[\w.-]+(?:@[\w.-]+)?$/

function ofCommand(text: string, catalog: readonly CatalogEntry[], read: ReadConfiguration): Guess | undefined {
  if (PACKAGE.test(text))
    return guessOf('package', draft({ kind: 'program', command: 'npx', args: ['-y', text], auth: 'none' }))
  if (!isCommand(text)) return undefined
  const found = draftOfCommand(text, read)
  if (found === undefined) return refused('unreadable')
  const known = found.kind === 'program' ? catalog.find((entry) => startsAlike(entry, found)) : undefined
  return guessOf('command', known === undefined ? found : { ...draftOfEntry(known), ...saidOf(found, known) })
}

/** A line that starts what the catalog knows is that entry, with whatever the line says of it. */
const startsAlike = ({ command }: CatalogEntry, found: Draft): boolean => {
  const words = (command ?? []).filter((word) => !word.startsWith('{'))
  return words.length > 1 && words.every((word, at) => [found.command, ...found.args][at] === word)
}

function saidOf(found: Draft, entry: CatalogEntry): Partial<Draft> {
  const stated = draftOfEntry(entry)
  const environment = stated.environment.map(
    (value) => found.environment.find(({ name }) => name === value.name) ?? value,
  )
  const more = found.environment.filter(({ name }) => !stated.environment.some((value) => value.name === name))
  const args = [found.command, ...found.args].slice(entry.command?.length ?? 0)
  const isWhole = [found.command, ...found.args].length >= (entry.command?.length ?? 0)
  return {
    environment: [...environment, ...more],
    ...(isWhole ? { args: found.args, blanks: [] } : { args: [...stated.args, ...args] }),
  }
}

function ofName(text: string, catalog: readonly CatalogEntry[]): Guess {
  const entries = searchCatalog(text, choosable(catalog))
  return entries.length === 0 ? refused('unknown') : { kind: 'entries', entries }
}

/** By title, then by what is said of it. */
export function searchCatalog(text: string, catalog: readonly CatalogEntry[]): CatalogEntry[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const fits = (input: string) => words.every((word) => input.toLowerCase().includes(word))
  const titled = catalog.filter(({ id, title }) => fits(`${id} ${title}`))
  return [...titled, ...catalog.filter((entry) => !titled.includes(entry) && fits(entry.about))]
}
