/** Where a `$ref` leads: inside the document, to another file, or nowhere. Nothing is ever fetched for one. */
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'

/** Where a document of several files says why one of them could not be had (`bundle.ts`). */
const UNREAD = 'x-unread'

export interface References {
  /** Undefined where it leads out of the document or to nothing. */
  find(ref: string): unknown
  /** An object behind any number of references (of parameters, bodies, answers); undefined where there is none. */
  open(value: unknown): JsonObject | undefined
  /** Why `open` finds nothing, as the end of a sentence about what is described there: it is in another file, or nowhere. */
  whyNot(value: unknown): string
}

const MOST_STEPS = 20

export function createReferences(root: JsonObject): References {
  const find = (ref: string, left = { steps: MOST_STEPS }): unknown => {
    if (ref === '#') return root
    if (!ref.startsWith('#/')) return undefined
    let value: unknown = root
    for (const part of ref.slice(2).split('/')) {
      const name = unescapePointer(part)
      // A part on the way may itself be a reference, such as a path item in another file.
      if (isObject(value) && typeof value['$ref'] === 'string' && !Object.hasOwn(value, name))
        value = left.steps-- === 0 ? undefined : find(value['$ref'], left)
      if (Array.isArray(value)) value = /^\d{1,6}$/.test(name) ? value[Number(name)] : undefined
      else if (isObject(value) && Object.hasOwn(value, name)) value = value[name]
      else return undefined
    }
    return value
  }
  /** What stands behind the references, or the first of them that leads nowhere. */
  const follow = (value: unknown): { end: unknown } | { broken: string } => {
    let end = value
    for (let step = 0; isObject(end) && typeof end['$ref'] === 'string'; step++) {
      const ref = end['$ref']
      end = step === MOST_STEPS ? undefined : find(ref)
      if (end === undefined) return { broken: ref }
    }
    return { end }
  }
  return {
    find: (ref) => find(ref),
    open(value) {
      const found = follow(value)
      return 'end' in found && isObject(found.end) ? found.end : undefined
    },
    whyNot(value) {
      const found = follow(value)
      if ('end' in found) return 'is not described in the document'
      return (
        elsewhere(found.broken, root) ?? `is described at ${found.broken.slice(0, 100)}, which is not in the document`
      )
    },
  }
}

/** Undefined for a reference within the document. */
function elsewhere(ref: string, root: JsonObject): string | undefined {
  if (ref.startsWith('#')) return undefined
  const file = fileOf(ref)
  const reason = whyUnread(root, file)
  const name = file.slice(0, 100)
  return reason === undefined
    ? `is in another file, "${name}": bundle the document into one file`
    : `is in another file, "${name}", which ${reason}`
}

/** The file that a reference names; empty for one within the document. */
export const fileOf = (ref: string): string => ref.split('#')[0] ?? ''

/** Why a file that the document refers to is not there, where its bundling knows. */
export function whyUnread(root: JsonObject, file: string): string | undefined {
  const reasons = root[UNREAD]
  const reason = isObject(reasons) && Object.hasOwn(reasons, file) ? reasons[file] : undefined
  return typeof reason === 'string' ? reason.slice(0, 200) : undefined
}

/** RFC 6901, and percent-encoded as the fragment of an address may be. */
function unescapePointer(part: string): string {
  let plain = part
  try {
    plain = decodeURIComponent(part)
  } catch {
    // A name with a bare percent sign in it.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~')
}
