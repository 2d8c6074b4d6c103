/**
 * The files that the arguments of a call refer to, with the facts that rules, approvals and records need. A file is immutable, so its
 * id and hash say what will be sent. A file of somebody else answers like one that never existed.
 */
import { createHash } from 'node:crypto'
import { Fault, type GivenFile } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { fileIdOf, FILE_URI, ownerOf } from '../../snapshot/ports/file-store.ts'
import { valuesAt, type FilePlace } from '../../lib/file-places.ts'
import type { CallParts } from '../call-parts.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'

/** Values at the places for files in one call: what is not looked at would be sent without a rule that saw it. */
const MOST_FILES = 200
/** Characters of base64 of a file that comes with a call. */
const MOST_DATA = 2 * 1024 * 1024

export type FileCaller = Pick<RequestContext, 'principal' | 'organizationId'>

/** Throws `file.*`. */
export async function givenFiles(
  { files }: Pick<CallParts, 'files'>,
  { principal, organizationId }: FileCaller,
  places: readonly FilePlace[],
  input: JsonObject,
): Promise<readonly GivenFile[]> {
  const found: GivenFile[] = []
  const values = valuesAt(input, places, MOST_FILES + 1)
  if (values.length > MOST_FILES)
    throw new Fault('params.shape', { place: '/arguments', problem: `has more than ${MOST_FILES} files` })
  for (const { place, value } of values) {
    if (typeof value !== 'string') {
      const own = sentAlong(place, value)
      if (own !== undefined) found.push(own)
      continue
    }
    // An address or an id of another system is the tool's affair.
    if (!value.startsWith(FILE_URI)) continue
    if (files === undefined) throw new Fault('file.off')
    const id = fileIdOf(value)
    const file = id === undefined ? undefined : await files.find(ownerOf(principal, organizationId), id)
    if (file === undefined) throw new Fault('file.unknown', { file: value.slice(0, 100) })
    const { name, mediaType, size, sha256 } = file
    found.push({ place, file: file.id, name, media_type: mediaType, size, sha256 })
  }
  return found
}

/** A small file in base64. */
function sentAlong(place: string, value: Json): GivenFile | undefined {
  if (!isObject(value)) return undefined
  const { name, media_type: type, data } = value
  if (typeof name !== 'string' || typeof data !== 'string' || data.length > MOST_DATA) return undefined
  const bytes = Buffer.from(data, 'base64')
  return {
    ...{ place, file: '', name, size: bytes.length },
    media_type: typeof type === 'string' ? type : 'application/octet-stream',
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}
