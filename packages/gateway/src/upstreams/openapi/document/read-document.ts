/**
 * A whole document as tools: which operations can be one, which cannot and why. Pure and slow: a large one takes a second, so that it
 * runs in a thread of its own (`read-apart.ts`).
 */
import type { Effect, OperationEffects, OperationSelection } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'
import type { Operation } from '@toolway/contract/http-operation'
import { LIMITS } from './limits.ts'
import { namesFor } from './names.ts'
import { parseDocument } from './parse-document.ts'
import { readOperation, type Found } from './read-operation.ts'
import { findReferences } from './find-references.ts'
import { createReferences, fileOf, whyUnread } from './references.ts'
import { keyNamesOf, schemesOf, type Scheme } from './security.ts'
import { effectSaid, selects, type Selectable } from './select.ts'
import { Unfit } from './schema.ts'
import { serversOf } from './servers.ts'
import { textOf } from './texts.ts'

/** The title of a document that has none. */
export const UNTITLED = 'Untitled'

export interface ReadingOptions {
  readonly select: OperationSelection
  readonly effects: OperationEffects
  /** Where calls go; absent: the document's first server. */
  readonly base?: string | undefined
  /** Where the document came from, for addresses that are relative to it. */
  readonly from?: string | undefined
}

/** One operation as a person is shown it. */
export interface Shown {
  /** The document's name for it, else its method and path. */
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly tag: string | undefined
}

export interface ReadOperation extends Shown {
  readonly name: string
  readonly effect: Effect
  readonly deprecated: boolean
  readonly notes: readonly string[]
}

export interface LeftOut extends Shown {
  /** Goes on after "it". */
  readonly reason: string
}

export interface Reading {
  readonly title: string
  readonly version: string
  /** As it was written: `2.0`, `3.0.3`, `3.1.0`. */
  readonly format: string
  readonly description: string | undefined
  readonly servers: readonly string[]
  readonly schemes: readonly Scheme[]
  readonly operations: readonly ReadOperation[]
  readonly leftOut: readonly LeftOut[]
  /** How many the selection leaves out. */
  readonly unselected: number
  readonly notes: readonly string[]
  /** In the order of `operations`. */
  readonly tools: readonly JsonObject[]
  readonly plan: readonly Operation[]
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace', 'query'] as const

/** Throws DocumentProblem. */
export function readDocument(text: string, { select, effects, base, from }: ReadingOptions): Reading {
  const { root, format } = parseDocument(text)
  const references = createReferences(root)
  const schemes = schemesOf(root, references)
  const servers = serversOf(root, from)
  const keys = keyNamesOf(schemes)
  const info = isObject(root['info']) ? root['info'] : {}
  const notes: string[] = []
  const files = filesOf(root)
  if (files.length > 0) notes.push(filesNote(root, files))
  if (isObject(root['webhooks'])) notes.push('Its webhooks are left out: the gateway does not receive them.')

  const found = operationsOf(root, references)
  if (found.length === LIMITS.operations) notes.push(`Only its first ${LIMITS.operations} operations are read.`)
  const names = namesFor(found)
  const isSelected = selects(select)
  const statedEffect = effectSaid(effects)
  const origin = originOf(base ?? servers[0])
  const shared = { references, keys, spent: { values: 0 }, written: new Map() }

  const operations: ReadOperation[] = []
  const leftOut: LeftOut[] = []
  const tools: JsonObject[] = []
  const plan: Operation[] = []
  let unselected = 0
  let size = 0
  for (const [at, value] of found.entries()) {
    const selectable: Selectable = { ...value, name: names[at] ?? '' }
    if (!isSelected(selectable)) {
      unselected++
      continue
    }
    const noted = new Set<string>()
    try {
      refuseElsewhere(value, origin, from)
      if (tools.length >= LIMITS.tools) throw new Unfit(`exceeds the maximum of ${LIMITS.tools} tools for a connection`)
      const parts = { ...shared, note: (problem: string) => void noted.add(problem) }
      const read = readOperation(value, selectable.name, statedEffect(selectable), parts)
      size += JSON.stringify(read.tool).length
      if (size > LIMITS.list)
        throw new Unfit('is beyond the size that the tools of a connection have together: select fewer')
      tools.push(read.tool)
      plan.push(read.operation)
      const deprecated = value.given['deprecated'] === true
      operations.push({ ...shownOf(value), name: selectable.name, effect: read.effect, deprecated, notes: [...noted] })
    } catch (thrown) {
      if (!(thrown instanceof Unfit)) throw thrown
      leftOut.push({ ...shownOf(value), reason: thrown.message })
    }
  }
  return {
    title: textOf(info['title'], 100) ?? UNTITLED,
    version: textOf(info['version'], 50) ?? '0',
    format,
    description: textOf(info['description'], LIMITS.description),
    servers,
    schemes,
    operations,
    leftOut,
    unselected,
    notes,
    tools,
    plan,
  }
}

/** Names of other files that the document refers to; nothing of them is read. */
function filesOf(root: JsonObject): string[] {
  const names = [...findReferences(root, false)].map(({ $ref }) => fileOf($ref))
  return [...new Set(names)].filter((name) => name !== '')
}

const filesNote = (root: JsonObject, files: readonly string[]) => {
  const shown = files.slice(0, 3).map((file) => {
    const reason = whyUnread(root, file)
    return reason === undefined ? file.slice(0, 100) : `${file.slice(0, 100)} ${reason}`
  })
  const many = files.length === 1 ? 'another file' : `${files.length} other files`
  return `It refers to ${many}, which did not come along (${shown.join(', ')}${files.length > 3 ? ', …' : ''}): bundle the document into one file.`
}

const shownOf = ({ operationId, method, path, tags }: Found): Shown => ({
  operation: (operationId ?? `${method} ${path}`).slice(0, 200),
  method,
  path: path.slice(0, 500),
  tag: tags[0]?.slice(0, 100),
})

function operationsOf(root: JsonObject, references: ReturnType<typeof createReferences>): Found[] {
  const found: Found[] = []
  for (const [path, value] of Object.entries(references.open(root['paths']) ?? {})) {
    if (!path.startsWith('/')) continue
    const around = references.open(value)
    if (around === undefined) {
      // Which methods it has stands in the other file.
      if (isObject(value)) found.push(nowhere(path, '*', references.whyNot(value)))
      if (found.length === LIMITS.operations) return found
      continue
    }
    for (const method of METHODS) {
      const written = around[method]
      if (!isObject(written)) continue
      const operation = references.open(written)
      if (operation === undefined) {
        found.push(nowhere(path, method, references.whyNot(written)))
        if (found.length === LIMITS.operations) return found
        continue
      }
      const tags = Array.isArray(operation['tags']) ? operation['tags'].filter((tag) => typeof tag === 'string') : []
      const operationId = textOf(operation['operationId'], 300)
      found.push({ method: method.toUpperCase(), path, operationId, tags, given: operation, around })
      if (found.length === LIMITS.operations) return found
    }
  }
  return found
}

/** An operation whose description is not in the document. */
const nowhere = (path: string, method: string, broken: string): Found => ({
  ...{ method: method.toUpperCase(), path, operationId: undefined, tags: [], given: {}, around: {} },
  broken,
})

const originOf = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : URL.parse(url)?.origin

/** A credential goes to one server, so that an operation that is at another one is none of this connection's. */
function refuseElsewhere({ given, around }: Found, origin: string | undefined, from: string | undefined): void {
  const own = [given, around].find((value) => Array.isArray(value['servers']) && value['servers'].length > 0)
  if (own === undefined || origin === undefined) return
  const servers = serversOf(own, from)
  if (servers.some((server) => originOf(server) === origin)) return
  const other = originOf(servers[0])?.slice(0, 100)
  throw new Unfit(other === undefined ? 'is at an address that is not of HTTP' : `is at another address, ${other}`)
}
