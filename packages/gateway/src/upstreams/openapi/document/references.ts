/** Where a `$ref` leads: inside the document, to another file, or nowhere. Nothing is ever fetched for one. */
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'

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
  const find = (ref: string): unknown => {
    if (ref === '#') return root
    if (!ref.startsWith('#/')) return undefined
    let value: unknown = root
    for (const part of ref.slice(2).split('/')) {
      const name = unescaped(part)
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
    find,
    open(value) {
      const found = follow(value)
      return 'end' in found && isObject(found.end) ? found.end : undefined
    },
    whyNot(value) {
      const found = follow(value)
      if ('end' in found) return 'is not described in the document'
      return elsewhere(found.broken) ?? `is described at ${found.broken.slice(0, 100)}, which is not in the document`
    },
  }
}

/** Undefined for a reference within the document. */
function elsewhere(ref: string): string | undefined {
  if (ref.startsWith('#')) return undefined
  const file = ref.split('#')[0]?.slice(0, 100) ?? ''
  return `is in another file, "${file}": bundle the document into one file`
}

/** RFC 6901, and percent-encoded as the fragment of an address may be. */
function unescaped(part: string): string {
  let plain = part
  try {
    plain = decodeURIComponent(part)
  } catch {
    // A name with a bare percent sign in it.
  }
  return plain.replaceAll('~1', '/').replaceAll('~0', '~')
}
