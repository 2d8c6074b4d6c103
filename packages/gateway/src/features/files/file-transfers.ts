/**
 * Transfers by an address: what it is good for, the bytes, and their record. Who holds the address is as good as who asked for it; the
 * record names that principal and where the request came from.
 */
import { Fault } from '@toolway/contract'
import type { Db, OrgSql, SystemSql } from '../../db/db.ts'
import { openRowContent } from './create-file-store.ts'
import {
  findUploadLink,
  isLinkToken,
  prolongLink,
  removeLinks,
  takeDownloadLink,
  type Link,
} from './file-links.rows.ts'
import type { FileParts } from './file-parts.ts'
import { findFileRow, type FileRow } from './files.rows.ts'
import type { ByteRange, StoredFile } from '../../snapshot/ports/file-store.ts'
import type { UploadRow, Uploads } from './uploads.ts'
import { FairShare } from '../../lib/fair-share.ts'
import { createTurns } from '../../lib/work-queue.ts'
import { recordChange, type Actor, type Change } from '../../records/change.ts'

/** Where a request comes from. */
export type TransferOrigin = Pick<Actor, 'address' | 'userAgent' | 'correlationId'>

export interface UploadPosition {
  readonly offset: number
  readonly size: number
}

export interface FileTransfers {
  /** Throws `file.link` for an address that is good for nothing, whatever the reason. */
  offset(token: string, from: TransferOrigin): Promise<UploadPosition>
  append(
    token: string,
    piece: { readonly offset: number; readonly content: AsyncIterable<Uint8Array>; readonly signal: AbortSignal },
    from: TransferOrigin,
  ): Promise<UploadPosition>
  /** Uses the address up. Throws `file.link`, `file.crowded`, `file.range` and `file.damaged`. @param signal aborted when the transfer is over */
  take(
    token: string,
    range: ByteRange | undefined,
    from: TransferOrigin,
    signal: AbortSignal,
  ): Promise<{ readonly file: StoredFile; readonly content: AsyncIterable<Uint8Array> }>
}

/**
 * Transfers of one gateway at a time: each holds up to one part of an object store in memory. Slow ones leave room for those of other
 * organizations, however many organizations have slow ones.
 */
const MOST_TRANSFERS = 32
/** Look-ups of addresses at a time, and in line behind them: anybody may try an address. */
const LOOK_UPS = { atOnce: 8, waiting: 256 }

export interface FileTransferParts extends Pick<FileParts, 'blobs' | 'openKey'> {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly uploads: Uploads
  hash(text: string): Buffer
}

/** Members and the operator are people; anything else that asks for an address is a key. */
const actorOf = ({ made_by: id }: Link, from: TransferOrigin): Actor => ({
  ...from,
  id,
  type: id.startsWith('key_') ? 'api_key' : 'user',
  keyId: id.startsWith('key_') ? id : undefined,
})

async function takeLink(sql: SystemSql, hashed: Buffer, range: ByteRange | undefined, from: TransferOrigin) {
  const link = await takeDownloadLink(sql, hashed)
  const row = link && (await findFileRow(sql, link.file_id))
  if (link === undefined || row?.state !== 'ready') throw new Fault('file.link')
  const detail = { name: row.name, size: row.size, ...(range === undefined ? {} : { range: textOf(range) }) }
  const change: Change = { action: 'file.download', resource: 'file', id: row.id, detail }
  await recordChange(sql, actorOf(link, from), row.organization_id, change)
  return row
}

export function createFileTransfers({ db, uploads, hash, blobs, openKey }: FileTransferParts): FileTransfers {
  const hashOf = (token: string): Buffer => {
    if (!isLinkToken(token)) throw new Fault('file.link')
    return hash(token)
  }

  const share = new FairShare(MOST_TRANSFERS)
  const lookUps = createTurns(LOOK_UPS)

  /** Takes a place of the organization's share; returns what gives it back, once. Throws `file.crowded`. */
  function takeTransfer(organization: string): () => void {
    const leave = share.take(organization)
    if (leave === undefined) throw new Fault('file.crowded', { limit: MOST_TRANSFERS })
    return leave
  }

  /** Throws `file.crowded` where too many addresses are being looked up. */
  function lookUp<Found>(work: (sql: SystemSql) => Promise<Found>): Promise<Found> {
    const looking = lookUps.take(() => db.system(work))
    if (looking === undefined) throw new Fault('file.crowded', { limit: LOOK_UPS.waiting })
    return looking
  }

  async function uploadOf(token: string) {
    const hashed = hashOf(token)
    return lookUp(async (sql) => {
      const link = await findUploadLink(sql, hashed)
      const row = link && (await findFileRow(sql, link.file_id))
      if (link === undefined || row?.state !== 'uploading' || row.size === null) throw new Fault('file.link')
      await prolongLink(sql, hashed)
      return { link, row: row as UploadRow }
    })
  }

  /** The address goes in the transaction that makes the file ready. */
  const readyFor = (link: Link, from: TransferOrigin) => async (sql: OrgSql, row: FileRow) => {
    await removeLinks(sql, row.id, 'upload')
    const { id, name, size, sha256 } = row
    const change: Change = { action: 'file.upload', resource: 'file', id, detail: { name, size, sha256 } }
    await recordChange(sql, actorOf(link, from), row.organization_id, change)
  }

  return {
    async offset(token, from) {
      const { link, row } = await uploadOf(token)
      return { offset: await uploads.offset(row, readyFor(link, from)), size: row.size }
    },
    async append(token, piece, from) {
      const { link, row } = await uploadOf(token)
      const leave = takeTransfer(row.organization_id)
      try {
        return { offset: await uploads.append(row, { ...piece, onReady: readyFor(link, from) }), size: row.size }
      } finally {
        leave()
      }
    },
    async take(token, range, from, signal) {
      const hashed = hashOf(token)
      let release = () => {}
      try {
        // A crowd is told before the address is used up.
        const row = await lookUp(async (sql) => {
          const found = await takeLink(sql, hashed, range, from)
          release()
          release = takeTransfer(found.organization_id)
          return found
        })
        const opened = openRowContent({ blobs, openKey }, row, range, signal)
        if (signal.aborted) release()
        else signal.addEventListener('abort', release, { once: true })
        return opened
      } catch (thrown) {
        release()
        throw thrown
      }
    },
  }
}

const textOf = ({ start, end }: ByteRange) => `${start}-${end ?? ''}`
