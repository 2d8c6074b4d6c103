/**
 * Several files to one document: what a reference to another file describes is put under `x-files`, and the reference leads there.
 *
 * The caller reads the files and decides which may be read; what it does not give stays a reference to that file, which the reading
 * of the document tells. Only for OpenAPI 3: what stands in other files of a document of 2.0 would not be carried over.
 */
import type { JsonObject } from '@toolway/protocol'
import { posix } from 'node:path'
import { isObject } from './json.ts'
import { DocumentProblem, parseValue } from './parse-document.ts'

interface Bundling {
  /** The text of a file by its path relative to the document's folder, with `/`; undefined where it may not be read. */
  read(path: string): Promise<string | undefined>
  /** Files beside the document. */
  readonly most: number
}

const PLACE = 'x-files'
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/)/i

/** Undefined for a document that refers to no other file that could be read. Throws DocumentProblem. */
export async function bundle(text: string, { read, most }: Bundling): Promise<string | undefined> {
  if (!/\$ref["']?\s*:\s*["']?[^#"'\s]/.test(text)) return undefined
  const root = parseValue(text)
  if (!isObject(root) || typeof root['openapi'] !== 'string') return undefined
  const files = new Map<string, unknown>()
  const isThere = async (path: string): Promise<boolean> => {
    if (files.has(path)) return true
    const found = await read(path)
    if (found === undefined) return false
    if (files.size === most) throw new DocumentProblem(`it refers to more than ${most} other files`)
    files.set(path, parseValue(found))
    return true
  }
  await redirect(root, '', isThere)
  // A file that is read on the way has references of its own.
  for (const [path, value] of files) await redirect(value, path, isThere)
  if (files.size === 0) return undefined
  return JSON.stringify({ ...root, [PLACE]: Object.fromEntries(files) })
}

/** Leads the references of one file to where their ends will be. `from`: its path; empty for the document itself. */
async function redirect(value: unknown, from: string, isThere: (path: string) => Promise<boolean>): Promise<void> {
  // Aliases of YAML make one object stand in many places.
  const seen = new Set<object>(typeof value === 'object' && value !== null ? [value] : [])
  for (const one of seen) {
    for (const inner of Object.values(one) as unknown[])
      if (typeof inner === 'object' && inner !== null) seen.add(inner)
    if (isObject(one) && typeof one['$ref'] === 'string') {
      const next = await redirected(one['$ref'], from, isThere)
      if (next !== undefined) Object.assign(one satisfies JsonObject, { $ref: next })
    }
  }
}

async function redirected(
  ref: string,
  from: string,
  isThere: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  const [file = '', fragment = ''] = ref.split('#', 2)
  if (fragment !== '' && !fragment.startsWith('/')) return undefined
  if (file === '') return from === '' ? undefined : `#/${PLACE}/${escaped(from)}${fragment}`
  if (ELSEWHERE.test(file)) return undefined
  const path = posix.join(posix.dirname(from), plain(file))
  return (await isThere(path)) ? `#/${PLACE}/${escaped(path)}${fragment}` : undefined
}

/** RFC 6901, as the fragment of an address. */
const escaped = (path: string) => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))

function plain(file: string): string {
  try {
    return decodeURIComponent(file)
  } catch {
    return file
  }
}
