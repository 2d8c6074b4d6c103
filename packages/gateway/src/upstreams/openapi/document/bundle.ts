/**
 * Several files to one document: what a reference to another file describes is put under `x-files`, and the reference leads there.
 *
 * The caller reads the files and decides which may be read. A file that cannot be had keeps its references, and `x-unread` says why, so
 * that the reading of the document tells it. A place is a path relative to the folder that is sent, or an address. Nothing is fetched here.
 */
import type { JsonObject } from '@toolway/protocol'
import { posix } from 'node:path'
import { isObject } from './json.ts'
import { DocumentProblem, parseValue } from './parse-document.ts'
import { FILES, findReferences } from './find-references.ts'
import { openedInPlace } from './swagger-parts.ts'

/** Why a file cannot be had, as the end of a sentence: "is in another file, which …". */
export interface Unread {
  readonly unread: string
}

/** The text of a file, or why it cannot be had; undefined where it did not come along. */
export type FileText = string | Unread | undefined

interface Bundling {
  /** The place of the document itself: its path in the folder, or its address. */
  readonly at: string
  read(place: string): Promise<FileText> | FileText
  /** Files beside the document. */
  readonly most: number
}

const UNREAD = 'x-unread'
const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/)/i
const isAddress = (place: string) => /^https?:/i.test(place)

/** Whether a text may refer to other files; a document that does not is read as it is. */
export const mayRefer = (text: string): boolean => /\$ref["']?\s*:\s*["']?[^#"'\s]/.test(text)

/** Undefined for a document that refers to no other file that could be read. Throws DocumentProblem. */
export async function bundle(text: string, { at, read, most }: Bundling): Promise<string | undefined> {
  if (!mayRefer(text)) return undefined
  const root = parseValue(text)
  if (!isObject(root) || (root['openapi'] ?? root['swagger']) === undefined) return undefined
  const files = new Map<string, unknown>()
  const unread = new Map<string, string | undefined>()
  let wave: (readonly [from: string, value: unknown])[] = [[at, root]]
  while (wave.length > 0) {
    const places = new Set(wave.flatMap(([from, value]) => placesIn(value, from, at)))
    const fresh = [...places].filter((place) => place !== at && !files.has(place) && !unread.has(place))
    const texts = await Promise.all(fresh.map(async (place) => read(place)))
    wave = []
    for (const [index, place] of fresh.entries()) {
      const found = valueOf(texts[index])
      if ('unread' in found) {
        unread.set(place, found.unread)
        continue
      }
      if (files.size === most) throw new DocumentProblem(`it refers to more than ${most} other files`)
      files.set(place, found.value)
      wave.push([place, found.value])
    }
  }
  const reasons = [...unread].filter(([, reason]) => reason !== undefined)
  if (files.size === 0 && reasons.length === 0) return undefined
  const lead = { at, has: (place: string) => files.has(place) }
  for (const [from, value] of [[at, root] as const, ...files]) redirect(value, from, lead)
  const withShortNames = (entries: Iterable<readonly [string, unknown]>) =>
    Object.fromEntries([...entries].map(([place, value]) => [nameOf(place, at), value]))
  const whole: JsonObject = {
    ...root,
    [FILES]: withShortNames(files) as JsonObject,
    [UNREAD]: withShortNames(reasons) as JsonObject,
  }
  return JSON.stringify(openedInPlace(whole))
}

/** One bad file leaves out what is described in it, and nothing else. */
function valueOf(text: FileText): { value: unknown } | { unread: string | undefined } {
  if (typeof text !== 'string') return { unread: text?.unread }
  try {
    return { value: parseValue(text) }
  } catch (thrown) {
    if (!(thrown instanceof DocumentProblem)) throw thrown
    return { unread: `cannot be read: ${thrown.message}` }
  }
}

const placesIn = (value: unknown, from: string, at: string): string[] =>
  [...findReferences(value, from !== at)].flatMap(({ $ref }) => targetOf($ref, from)?.place ?? [])

/** Leads the references of one file to where their ends will be. */
function redirect(value: unknown, from: string, { at, has }: { at: string; has: (place: string) => boolean }): void {
  for (const item of findReferences(value, from !== at)) {
    const target = targetOf(item.$ref, from)
    if (target === undefined) continue
    const { place, fragment } = target
    if (place === at) item.$ref = `#${fragment}`
    else if (has(place)) item.$ref = `#/${FILES}/${escapePointer(nameOf(place, at))}${fragment}`
    else item.$ref = fragment === '' ? nameOf(place, at) : `${nameOf(place, at)}#${fragment}`
  }
}

interface Target {
  readonly place: string
  /** A JSON pointer; empty for the whole file. */
  readonly fragment: string
}

/** Where a reference leads; undefined for an anchor, and for what no file beside the document can be. */
function targetOf(ref: string, from: string): Target | undefined {
  const [file = '', after = ''] = ref.split('#', 2)
  const fragment = pointerOf(after)
  if (fragment === undefined) return undefined
  if (file === '') return { place: from, fragment }
  const place = placeOf(file, from)
  return place === undefined ? undefined : { place, fragment }
}

/** `#/` is written for a whole file, and a slash at the beginning is forgotten. */
function pointerOf(fragment: string): string | undefined {
  if (fragment === '' || fragment === '/') return ''
  if (fragment.startsWith('/')) return fragment
  return fragment.includes('/') ? `/${fragment}` : undefined
}

function placeOf(file: string, from: string): string | undefined {
  // Documents that were written on Windows.
  const plain = file.replaceAll('\\', '/')
  if (!isAddress(from)) return ABSOLUTE.test(plain) ? undefined : posix.join(posix.dirname(from), decodedOrSame(plain))
  const url = URL.parse(plain, from)
  if (url === null) return undefined
  url.hash = ''
  return url.href
}

/** A file of an address is named from the folder of the document on. */
function nameOf(place: string, at: string): string {
  if (!isAddress(at)) return place
  const folder = new URL('.', at).href
  const { origin } = new URL(at)
  if (place.startsWith(folder) && place !== folder) return place.slice(folder.length)
  return place.startsWith(`${origin}/`) ? place.slice(origin.length) : place
}

/** RFC 6901, as the fragment of an address. */
const escapePointer = (path: string) => encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'))

function decodedOrSame(file: string): string {
  try {
    return decodeURIComponent(file)
  } catch {
    return file
  }
}
