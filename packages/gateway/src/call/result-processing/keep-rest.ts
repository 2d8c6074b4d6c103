/**
 * Where the whole of a cut result stays: in the result store up to TOOLWAY_RESULT_FILE_FROM, beyond it in the file store, where it can be downloaded too
 * (ledger U-16). The first is the endpoint's and short-lived; the second belongs to the caller like every file.
 */
import { Readable } from 'node:stream'
import type { JsonObject } from '@toolway/protocol'
import { ownerOf, type StoredFile } from '../../snapshot/ports/file-store.ts'
import { linkTo, type FileFacts } from '../../upstreams/caller-files.ts'
import { factsOf, madeOf } from '../files/caller-files.ts'
import type { Whole } from './reduce-result.ts'
import type { Reading, ShapeParts, Shaping } from './shaping.ts'
import type { Store } from './store-content.ts'

/** Where the whole of a result can be read. */
export interface Kept {
  readonly id: string
  readonly uri: string
  /** From now. */
  readonly seconds: number
  /** The link to it, as content. */
  readonly link: JsonObject
  /** Present where it is a file. */
  readonly file?: FileFacts
}

export const keptUri = (id: string): string => `toolway://results/${id}`

/** Undefined where it is kept nowhere: without its rest a result is still an answer. */
export async function keepRest(
  parts: ShapeParts,
  requestContext: Shaping,
  whole: Whole | undefined,
  reading: Reading,
): Promise<Kept | undefined> {
  if (whole === undefined) return undefined
  if (parts.files !== undefined && Buffer.byteLength(whole.text) > parts.fileFrom) {
    const name = whole.mime === 'application/json' ? 'result.json' : 'result.txt'
    const file = await put(parts, requestContext, reading, { name, mediaType: whole.mime }, Buffer.from(whole.text))
    if (file !== undefined) return keptFile(file)
  }
  const { results } = parts
  const { organizationId, principal, owner } = requestContext
  const id = await results?.keep({ organizationId, principal: principal.id, owner }, whole).catch(() => undefined)
  if (id === undefined) return undefined
  const uri = keptUri(id)
  const link = { type: 'resource_link', uri, name: 'all of this result', mimeType: 'text/plain' }
  return { id, uri, seconds: results?.seconds ?? 0, link }
}

function keptFile(file: StoredFile): Kept {
  const facts = factsOf(file)
  const seconds = Math.max(0, Math.round((file.expiresAt.getTime() - Date.now()) / 1000))
  return { id: file.id, uri: file.uri, seconds, link: linkTo(facts), file: facts }
}

/** Stores content of a result for its caller. */
export const storeOf =
  (parts: ShapeParts, requestContext: Shaping, reading: Reading): Store =>
  async (file, bytes) => {
    const stored = await put(parts, requestContext, reading, file, bytes)
    return stored && factsOf(stored)
  }

async function put(
  { files }: ShapeParts,
  { principal, organizationId }: Shaping,
  { tool, onStored }: Reading,
  { name, mediaType }: { readonly name: string; readonly mediaType: string },
  bytes: Buffer,
): Promise<StoredFile | undefined> {
  const file = { name, mediaType, size: bytes.length, origin: { kind: 'result', tool } } as const
  // A full store takes nothing from the answer: it stays as it is, or is cut as before.
  const stored = await files
    ?.put(ownerOf(principal, organizationId), file, Readable.from([bytes]))
    .catch(() => undefined)
  if (stored !== undefined) onStored?.(madeOf(stored))
  return stored
}
