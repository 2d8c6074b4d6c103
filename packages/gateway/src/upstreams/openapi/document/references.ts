/** Where a `$ref` leads: inside the document, or nowhere. Nothing is ever fetched for one. */
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'

export interface References {
  /** Undefined where it leads out of the document or to nothing. */
  find(ref: string): unknown
  /** An object behind any number of references (of parameters, bodies, answers); undefined where there is none. */
  open(value: unknown): JsonObject | undefined
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
  return {
    find,
    open(value) {
      let one = value
      for (let step = 0; isObject(one) && typeof one['$ref'] === 'string'; step++) {
        if (step === MOST_STEPS) return undefined
        one = find(one['$ref'])
      }
      return isObject(one) ? one : undefined
    },
  }
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
