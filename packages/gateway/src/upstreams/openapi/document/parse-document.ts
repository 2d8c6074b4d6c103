/**
 * Text to document: JSON or YAML, bounded, and nothing in it that could reach beyond it.
 *
 * A name `__proto__` is refused, so that no later copy of an object can set what all objects inherit. Aliases of YAML are counted where
 * they are opened; what they unfold to is bounded by the walk. No address in it is ever fetched.
 */
import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0'
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'
import { parse } from 'yaml'
import { LIMITS } from './limits.ts'

/** One sentence for whoever gave the document. */
export class DocumentProblem extends Error {}

export interface Parsed {
  /** Of 3.0, 3.1 or 3.2; a document of 2.0 is carried over. */
  readonly root: JsonObject
  /** The version that it was written in. */
  readonly format: string
}

/** Throws DocumentProblem. */
export function parseDocument(text: string): Parsed {
  const value = parseValue(text)
  if (!isObject(value)) throw new DocumentProblem('it is not an object')
  const { swagger } = value
  // `openapi: 3.1` is a number in YAML.
  const openapi = typeof value['openapi'] === 'number' ? String(value['openapi']) : value['openapi']
  if (swagger === '2.0' || swagger === 2) return { root: upgradeSwagger(value), format: '2.0' }
  if (openapi === '3') return { root: value, format: '3.0' }
  if (typeof openapi === 'string' && /^3\.[012](?:\.|$)/.test(openapi)) return { root: value, format: openapi }
  const version = openapi ?? swagger
  throw new DocumentProblem(
    version === undefined
      ? 'it has neither "openapi" nor "swagger"'
      : `it has version ${JSON.stringify(version)?.slice(0, 20)}; 2.0, 3.0, 3.1 and 3.2 are supported`,
  )
}

/** The value of a text, bounded as a document is. Throws DocumentProblem. */
export function parseValue(text: string): unknown {
  const value = readText(text.startsWith('\uFEFF') ? text.slice(1) : text)
  refuseTooLarge(value)
  return value
}

function readText(text: string): unknown {
  const looksLikeJson = /^\s*[{[]/.test(text)
  try {
    return JSON.parse(text)
  } catch (thrown) {
    // A flow mapping of YAML begins like JSON; what is wrong with long JSON is not asked of the slower reader.
    if (looksLikeJson && text.length > 100_000) throw new DocumentProblem(`it is not JSON: ${wordsOf(thrown)}`)
  }
  try {
    return parse(text, { maxAliasCount: 1_000, logLevel: 'error', prettyErrors: false, uniqueKeys: false })
  } catch (thrown) {
    throw new DocumentProblem(`it is neither JSON nor YAML: ${wordsOf(thrown)}`)
  }
}

const wordsOf = (thrown: unknown) =>
  (thrown instanceof Error ? thrown.message : 'unknown').replaceAll(/\s+/g, ' ').slice(0, 200)

/** Walks every value once for each place that it is at, as whoever copies it would. */
function refuseTooLarge(root: unknown): void {
  let count = 0
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { value, depth } = node
    if (typeof value !== 'object' || value === null) continue
    if (depth > LIMITS.depth) throw new DocumentProblem(`it nests deeper than ${LIMITS.depth} levels`)
    const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
    count += inner.length
    if (count > LIMITS.values) throw new DocumentProblem(`it contains more than ${LIMITS.values} values`)
    if (!Array.isArray(value) && Object.hasOwn(value, '__proto__'))
      throw new DocumentProblem('it contains the name __proto__, which is refused')
    for (const each of inner)
      if (typeof each === 'object' && each !== null) open.push({ value: each, depth: depth + 1 })
  }
}

function upgradeSwagger(value: JsonObject): JsonObject {
  try {
    const root: unknown = upgradeFromTwoToThree(value)
    if (isObject(root)) return root
  } catch {
    // Told below: its own words say nothing of the document.
  }
  throw new DocumentProblem('it declares version 2.0, but does not follow it')
}
