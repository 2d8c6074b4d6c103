/**
 * The document at an address, with the files of the same origin that it refers to; a ZIP archive there is opened.
 *
 * Everything is fetched without a credential and through the guarded client, with one bound for the time, the bytes and the number of all
 * files together. A file that cannot be had leaves out what is described in it, with the reason. No other origin is asked for one.
 */
import { Fault } from '@toolway/contract'
import type { Exceptions } from '../../upstreams/http/exceptions.ts'
import { createGuardedFetch, type GuardedFetchLimits } from '../../upstreams/http/guarded-fetch.ts'
import { mayRefer, type Unread } from '../../upstreams/openapi/document/bundle.ts'
import { LIMITS } from '../../upstreams/openapi/document/limits.ts'
import { DocumentProblem } from '../../upstreams/openapi/document/parse-document.ts'
import { bundleApart, unpackApart, type ReadFor } from '../../upstreams/openapi/document/read-apart.ts'
import { textOfBytes, textOrReason } from '../../upstreams/openapi/document/text-of-bytes.ts'
import { isZip } from '../../upstreams/openapi/document/zip.ts'

/** Milliseconds for all of a document. */
const PATIENCE = 60_000
/** Files beside the document, and how many of them are fetched at a time. */
const MOST_FILES = 300
const AT_ONCE = 6
const MOST_BYTES = 8 * 1024 * 1024
/** Files that refer to files that refer to files. */
const MOST_WAVES = 12
const ACCEPT = 'application/json, application/yaml;q=0.9, */*;q=0.5'

export interface Fetching {
  readonly alias: string
  /** Where it is, if that may be a private network: what it leads to may not. */
  readonly privateOrigins: readonly string[]
  readonly exceptions: Exceptions
  /** For whom it is read. */
  readonly whose: ReadFor
}

/** Throws `openapi.unfetched`, `openapi.unreadable` and `egress.refused`. */
export async function fetchDocument(address: string, fetching: Fetching): Promise<string> {
  const deadline = AbortSignal.timeout(PATIENCE)
  const { signal } = fetching.whose
  const until = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
  const { bytes, url } = await fetchRoot(address, fetching, until)
  if (isZip(bytes)) return unpackApart(bytes, fetching.whose)
  const text = textOf(bytes)
  if (!mayRefer(text)) return text
  return withFiles({ text, url, named: address, left: LIMITS.bytes - bytes.length, files: MOST_FILES, until }, fetching)
}

/** Throws `openapi.unreadable`. */
function textOf(bytes: Uint8Array): string {
  try {
    return textOfBytes(bytes)
  } catch (thrown) {
    if (thrown instanceof DocumentProblem) throw new Fault('openapi.unreadable', { problem: thrown.message })
    throw thrown
  }
}

const headers = { accept: ACCEPT, 'user-agent': 'toolway' }

async function fetchRoot(address: string, fetching: Fetching, signal: AbortSignal) {
  const fetch = fetcher(fetching, { redirects: 3, mostBytes: LIMITS.bytes })
  const failed = (problem: string, cause?: unknown) => new Fault('openapi.unfetched', { problem }, { cause })
  let answer: Response
  try {
    answer = await fetch(address, { headers, signal })
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'result.too-large')
      throw failed(`it is larger than ${LIMITS.bytes} bytes`, thrown)
    const inner = thrown instanceof Error && thrown.cause instanceof Fault ? thrown.cause : thrown
    if (inner instanceof Fault) throw inner
    const late = thrown instanceof Error && thrown.name === 'TimeoutError'
    throw failed(late ? `no answer within ${PATIENCE / 1000} s` : 'its server could not be reached', thrown)
  }
  if (answer.status !== 200) throw failed(`its server responded with HTTP ${answer.status}`)
  return { bytes: await answer.bytes(), url: answer.url }
}

const fetcher = ({ alias, privateOrigins, exceptions }: Fetching, limits: GuardedFetchLimits) =>
  createGuardedFetch({ alias, privateOrigins, exceptions }, { patience: PATIENCE, ...limits })

interface Whole {
  readonly text: string
  /** Where it was found in the end, which its references are relative to. */
  readonly url: string
  /** Where it was looked for. */
  readonly named: string
  /** Bytes and files that may still be fetched. */
  left: number
  files: number
  readonly until: AbortSignal
}

/** Fetches what is lacking until nothing is, or no more may be fetched. */
async function withFiles(whole: Whole, fetching: Fetching): Promise<string> {
  const files = new Map<string, string | Unread>()
  const mayFetch = sameOrigin(whole)
  for (let wave = 0; ; wave++) {
    const made = await bundleApart({ text: whole.text, at: whole.url, files }, fetching.whose)
    if ('text' in made) return made.text
    const wanted: string[] = []
    for (const place of made.lacking) {
      const isLast = wave === MOST_WAVES || whole.until.aborted
      const unread = isLast ? 'is referred to through too many other files, or too late' : mayFetch(place)
      if (unread !== undefined) files.set(place, { unread })
      else if (whole.files-- > 0) wanted.push(place)
      else files.set(place, { unread: `is beyond the maximum of ${MOST_FILES} files` })
    }
    await each(wanted, AT_ONCE, async (place) => {
      files.set(place, await fetchFile(place, whole, fetching))
    })
  }
}

/** Why a file is not fetched; undefined where it may be. What was redirected to another origin has its files there, and nobody named that. */
function sameOrigin({ url, named }: Whole) {
  const origin = URL.parse(named)?.origin
  const isThere = URL.parse(url)?.origin === origin
  return (place: string): string | undefined =>
    isThere && URL.parse(place)?.origin === origin ? undefined : 'is at another origin'
}

async function each<Item>(items: readonly Item[], atOnce: number, act: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  const next = async () => {
    for (const item of rest) await act(item)
  }
  await Promise.all(Array.from({ length: atOnce }, next))
}

async function fetchFile(place: string, whole: Whole, fetching: Fetching): Promise<string | Unread> {
  if (whole.until.aborted) return { unread: `was not fetched within ${PATIENCE / 1000} s` }
  if (whole.left <= 0) return { unread: `is beyond the maximum of ${LIMITS.bytes} bytes` }
  const fetch = fetcher(fetching, { redirects: 3, withinOrigin: true, mostBytes: MOST_BYTES })
  try {
    const answer = await fetch(place, { headers, signal: whole.until })
    if (answer.status >= 300 && answer.status < 400) return { unread: 'leads to another origin' }
    if (answer.status !== 200) return { unread: `could not be fetched (HTTP ${answer.status})` }
    const bytes = await answer.bytes()
    whole.left -= bytes.length
    if (whole.left < 0) return { unread: `is beyond the maximum of ${LIMITS.bytes} bytes` }
    return textOrReason(() => bytes)
  } catch (thrown) {
    fetching.whose.signal?.throwIfAborted()
    return { unread: reasonOf(thrown) }
  }
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof Fault && thrown.code === 'result.too-large') return `is larger than ${MOST_BYTES} bytes`
  const late = thrown instanceof Error && thrown.name === 'TimeoutError'
  return late ? `was not fetched within ${PATIENCE / 1000} s` : 'could not be fetched'
}
