/**
 * The hash of a tool as its server lists it: SHA-256 over the canonical text (RFC 8785) of its whole definition, so that no part
 * changes unnoticed: name, title, description, schemas, annotations, `_meta`, icons and later members.
 */
import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '@toolway/protocol'

/** 64 hex digits. */
export const hashTool = (definition: JsonObject): string =>
  createHash('sha256').update(canonicalJson(definition)).digest('hex')

export interface Sighting {
  readonly tool: string
  readonly hash: string
  readonly definition: JsonObject
}

const MAX_NAME = 500

/**
 * Whether something of that name can be kept account of. A name that the database cannot hold, or that nobody would read, is
 * none; what has no account is not let in where a lock is on.
 */
export const isNamed = (name: unknown): name is string =>
  typeof name === 'string' && name !== '' && name.length <= MAX_NAME && !name.includes('\0') && name.isWellFormed()

/** A list with each name once: what a server lists twice is one thing, its first. */
export function onceEach(list: readonly JsonObject[]): readonly JsonObject[] {
  const seen = new Set<unknown>()
  return list.filter(({ name }) => !seen.has(name) && seen.add(name))
}

export const sightingsOf = (tools: readonly JsonObject[]): Sighting[] =>
  onceEach(tools).flatMap((definition) => {
    const { name: tool } = definition
    return isNamed(tool) ? [{ tool, hash: hashTool(definition), definition }] : []
  })
