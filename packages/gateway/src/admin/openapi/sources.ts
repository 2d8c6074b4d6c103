/** Where the text of a document comes from: given, given packed, or at an address that may be reached. */
import { DOCUMENT_LIMIT, Fault } from '@toolway/contract'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { fetchDocument } from '../../call/openapi/documents.ts'
import { problemOfAddress } from '../../upstreams/http/given-address.ts'
import type { Exceptions } from '../../upstreams/http/exceptions.ts'
import type { ReadApart } from '../../upstreams/openapi/document/read-apart.ts'

const unpack = promisify(gunzip)

export interface Source {
  readonly document?: string | undefined
  readonly document_gzip?: string | undefined
  readonly document_url?: string | undefined
}

export interface Reaching {
  readonly alias: string
  /** The organization for which it is fetched and read. */
  readonly share: string
  readonly privateOrigins: readonly string[]
  readonly exceptions: Exceptions
  readonly signal: AbortSignal
}

const mismatch = (place: string, problem: string) => new Fault('body.shape', { place, problem })

/** Throws `body.shape`, `private.forbidden`, `openapi.unfetched` and `openapi.unreadable`. */
export async function textFrom(source: Source, reaching: Reaching): Promise<string> {
  const { document, document_gzip: packed, document_url: address } = source
  if ([document, packed, address].filter((one) => one !== undefined).length !== 1)
    throw mismatch('/document', 'must be given in exactly one way: as document, document_gzip or document_url')
  if (document !== undefined) return document
  if (packed !== undefined) return unpacked(packed)
  const { alias, privateOrigins, exceptions, signal } = reaching
  const problem = problemOfAddress(address ?? '', { allowPrivate: false, exceptions })
  if (problem !== undefined && !privateOrigins.includes(URL.parse(address ?? '')?.origin ?? ''))
    throw problem.includes('private network') ? new Fault('private.forbidden') : mismatch('/document_url', problem)
  return fetchDocument(address ?? '', { alias, privateOrigins, exceptions, signal })
}

async function unpacked(base64: string): Promise<string> {
  try {
    return (await unpack(Buffer.from(base64, 'base64'), { maxOutputLength: DOCUMENT_LIMIT })).toString('utf8')
  } catch {
    throw new Fault('openapi.unreadable', { problem: `it is not a gzip file of at most ${DOCUMENT_LIMIT} bytes` })
  }
}

/** Where calls go: as it was said, else as the document says. Undefined where neither does. */
export const baseOf = (reading: ReadApart, said: string | undefined): string | undefined => said ?? reading.servers[0]

/** Throws `openapi.empty` where nothing could be called. */
export function refuseEmpty({ operations, leftOut, unselected }: ReadApart): void {
  if (operations.length > 0) return
  const why = leftOut[0]?.reason
  const problem =
    why !== undefined
      ? `all ${leftOut.length} are left out, the first because it ${why}`
      : unselected > 0
        ? `the selection leaves all ${unselected} out`
        : 'it has none'
  throw new Fault('openapi.empty', { problem })
}
