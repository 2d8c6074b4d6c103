/** Where the text of a document comes from: given, given packed, given with other files in a ZIP archive, or at an address that may be reached. */
import { DOCUMENT_LIMIT, Fault } from '@toolway/contract'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { fetchDocument } from '../../call/openapi/fetch-document.ts'
import { problemOfAddress } from '../../upstreams/http/given-address.ts'
import type { Exceptions } from '../../upstreams/http/exceptions.ts'
import { DocumentProblem } from '../../upstreams/openapi/document/parse-document.ts'
import { unpackApart, type ReadApart } from '../../upstreams/openapi/document/read-apart.ts'
import { textOfBytes } from '../../upstreams/openapi/document/text-of-bytes.ts'
import { isZip } from '../../upstreams/openapi/document/zip.ts'

const unpack = promisify(gunzip)

export interface Source {
  readonly document?: string | undefined
  readonly document_gzip?: string | undefined
  readonly document_zip?: string | undefined
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

const mismatch = (pointer: string, problem: string) => new Fault('body.shape', { place: pointer, problem })

/** Throws `body.shape`, `private.forbidden`, `openapi.unfetched` and `openapi.unreadable`. */
export async function textFrom(source: Source, reaching: Reaching): Promise<string> {
  const { document, document_gzip: packed, document_zip: archive, document_url: address } = source
  if ([document, packed, archive, address].filter((item) => item !== undefined).length !== 1)
    throw mismatch(
      '/document',
      'must be given in exactly one way: as document, document_gzip, document_zip or document_url',
    )
  if (document !== undefined) return document
  const { share, signal } = reaching
  const whose = { share, lane: 'look', signal } as const
  if (packed !== undefined) return unpackUpload(packed)
  if (archive !== undefined) return unpackApart(archiveOf(archive), whose)
  const { alias, privateOrigins, exceptions } = reaching
  const problem = problemOfAddress(address ?? '', { allowPrivate: false, exceptions })
  if (problem !== undefined && !privateOrigins.includes(URL.parse(address ?? '')?.origin ?? ''))
    throw problem.includes('private network') ? new Fault('private.forbidden') : mismatch('/document_url', problem)
  return fetchDocument(address ?? '', { alias, privateOrigins, exceptions, whose })
}

/** Throws `openapi.unreadable`. */
function archiveOf(base64: string): Uint8Array {
  const bytes = Buffer.from(base64, 'base64')
  if (!isZip(bytes)) throw new Fault('openapi.unreadable', { problem: 'it is not a ZIP archive' })
  return bytes
}

async function unpackUpload(base64: string): Promise<string> {
  const packed = Buffer.from(base64, 'base64')
  if (isZip(packed))
    throw new Fault('openapi.unreadable', { problem: 'it is a ZIP archive, which is given as document_zip' })
  const bytes = await unpack(packed, { maxOutputLength: DOCUMENT_LIMIT }).catch(() => {
    throw new Fault('openapi.unreadable', { problem: `it is not a gzip file of at most ${DOCUMENT_LIMIT} bytes` })
  })
  try {
    return textOfBytes(bytes)
  } catch (thrown) {
    throw thrown instanceof DocumentProblem ? new Fault('openapi.unreadable', { problem: thrown.message }) : thrown
  }
}

/** Where calls go: as it was said, else as the document says. Undefined where neither does. */
export const baseOf = (reading: ReadApart, input: string | undefined): string | undefined => input ?? reading.servers[0]

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
