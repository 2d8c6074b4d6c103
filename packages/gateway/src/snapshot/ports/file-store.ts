/**
 * The file store as the rest of the gateway sees it: content that travels by reference (`toolway://files/<id>`) instead of through a
 * model. A file belongs to one owner in one organization; for everybody else, and after it expires, it answers like a file that
 * never existed.
 *
 * Content is streamed: nothing here holds a whole file in memory. Failures are Faults `file.*`.
 */
import type { FileId, OrganizationId } from '@toolway/contract'

export interface FileOwner {
  readonly organizationId: OrganizationId
  /** The member, or the key without one, that the file belongs to: `ownerOf` makes it. */
  readonly principal: string
}

export interface FileOrigin {
  /** Sent by a client, the result of a tool, or the content that a tool downloaded. */
  readonly kind: 'upload' | 'result' | 'download'
  /** Exposed name of the tool, of results and downloads. */
  readonly tool?: string | undefined
}

/** The description of a file before its content is there. */
export interface NewFile {
  /** Made safe for use as a file name. */
  readonly name: string
  /** Undefined: `application/octet-stream`. */
  readonly mediaType?: string | undefined
  /** Bytes, where they are known: refused early if too large, and verified at the end. */
  readonly size?: number | undefined
  /** Hex, where it is known: verified at the end. */
  readonly sha256?: string | undefined
  readonly origin: FileOrigin
  /** Seconds from now; undefined: the store's default for this kind of origin. */
  readonly expiresIn?: number | undefined
}

/** A file that is complete. */
export interface StoredFile {
  readonly id: FileId
  readonly uri: string
  readonly organizationId: OrganizationId
  readonly owner: string
  readonly name: string
  readonly mediaType: string
  readonly size: number
  /** Hex. */
  readonly sha256: string
  readonly origin: FileOrigin
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Bytes `start` to `end`, both inclusive, as in RFC 9110; `end` undefined is the last one. */
export interface ByteRange {
  readonly start: number
  readonly end?: number | undefined
}

export interface OpenedFile {
  readonly file: StoredFile
  /** Read once. Throws `file.damaged` where the stored content was changed, before any byte of the changed part is given out. */
  readonly content: AsyncIterable<Uint8Array>
}

export interface FileStore {
  /** Stores all of the content, or nothing: where `content` throws, or is too long, nothing remains. */
  put(owner: FileOwner, file: NewFile, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StoredFile>
  find(owner: FileOwner, id: string): Promise<StoredFile | undefined>
  /** Throws `file.unknown` as `find` says undefined. */
  open(owner: FileOwner, id: string, range?: ByteRange): Promise<OpenedFile>
  /** Whether there was one. */
  remove(owner: FileOwner, id: string): Promise<boolean>
}

export const FILE_URI = 'toolway://files/'
const FORM = /^file_[0-9a-hjkmnp-tv-z]{26}$/
export const isFileId = (text: string): text is FileId => FORM.test(text)
export const uriOfFile = (id: FileId): string => `${FILE_URI}${id}`

/** The id in a `toolway://files/` address; undefined for any other text. */
export function fileIdOf(uri: string): FileId | undefined {
  const id = uri.startsWith(FILE_URI) ? uri.slice(FILE_URI.length) : ''
  return isFileId(id) ? id : undefined
}

/** A file that a member's key uploads is the member's: every key and client of the member reaches it. */
export const ownerOf = (
  { id, userId }: { readonly id: string; readonly userId: string | undefined },
  organizationId: OrganizationId,
): FileOwner => ({ organizationId, principal: userId ?? id })
