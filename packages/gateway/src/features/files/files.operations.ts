/**
 * The operations on files. Content never passes through them: they answer with addresses of one transfer.
 *
 * A file belongs to its member or key; an administrator of members sees that it is there and may remove it, and gets no address of it.
 */
import { Fault, permits, type Role, type UserId } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import type { OrgSql } from '../../db/db.ts'
import { addLink, type LinkKind } from './file-links.rows.ts'
import { findFileRow, listFileRows, readUsage, removeFileRow, type FileRow } from './files.rows.ts'
import { ownerOf, uriOfFile } from '../../snapshot/ports/file-store.ts'
import { openRow } from './open-row.ts'
import type { Principal } from '../../identity/principal.ts'
import { pageAt, partOf } from '../../lib/page.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'
import type { AdminFiles } from './admin-files.ts'
import { roleForbidden } from '../../lib/role-forbidden.ts'

/** The parts of the operations on files, besides those of all. */
export interface FileOperationParts extends OperationBase {
  publicUrl(): string
  /** Undefined: no files are kept here. */
  readonly files: AdminFiles | undefined
}

const { serveOrganization } = operationServers<FileOperationParts>()

/** Throws `file.off`. */
function filesOf({ files }: FileOperationParts): AdminFiles {
  if (files === undefined) throw new Fault('file.off')
  return files
}

/** The permission to see everybody's files, without their content. */
const OVERSEES = 'user_manage'

const principalOf = ({ id, userId }: Principal) => userId ?? id

function toEntry({ accounts }: FileOperationParts, principal: Principal, row: FileRow): shapes.FileEntry {
  return {
    id: row.id,
    uri: uriOfFile(row.id),
    name: row.name,
    media_type: row.media_type,
    size: row.size,
    sha256: row.sha256,
    state: row.state,
    origin: row.origin,
    tool: row.tool,
    owner: row.owner,
    owner_email: accounts.find(row.owner as UserId)?.email ?? null,
    own: row.owner === principalOf(principal),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
}

/** Throws `thing.unknown`, also for somebody else's where the caller oversees none. */
async function getRow(sql: OrgSql, id: string, principal: Principal, role: Role | undefined): Promise<FileRow> {
  const row = await findFileRow(sql, id)
  const oversees = role !== undefined && permits(role, OVERSEES)
  if (row === undefined || (row.owner !== principalOf(principal) && !oversees))
    throw new Fault('thing.unknown', { thing: 'file' })
  return row
}

const list = serveOrganization(shapes.listFiles, async ({ parts, principal, role, query, read }) => {
  filesOf(parts)
  const { whose, ...page } = query
  if (whose === 'everybody' && !permits(role, OVERSEES)) throw roleForbidden(role, OVERSEES)
  const owner = whose === 'own' ? principalOf(principal) : undefined
  const { rowLimit, offset } = partOf(page)
  const { rows, total } = await read((sql) =>
    listFileRows(sql, { search: page.search, owner, limit: rowLimit, offset }),
  )
  return pageAt(rows, { query, start: offset, total }, (row) => toEntry(parts, principal, row))
})

const urlOf = ({ publicUrl }: FileOperationParts, kind: LinkKind, token: string) =>
  `${publicUrl()}/files/${kind === 'upload' ? 'u' : 'd'}/${token}`

const add = serveOrganization(shapes.addFile, async ({ parts, principal, organization, body, head, change }) => {
  const files = filesOf(parts)
  const owner = ownerOf(principal, organization.id)
  const { row, link } = await change(
    (made: { row: FileRow }) => ({
      action: 'file.add',
      resource: 'file',
      id: made.row.id,
      detail: { name: made.row.name, media_type: made.row.media_type, size: made.row.size },
    }),
    async (sql) => {
      const made = await openRow(sql, files, owner, {
        name: body.name,
        mediaType: body.media_type,
        size: body.size,
        sha256: body.sha256,
        origin: { kind: 'upload' },
        expiresIn: body.expires_in,
      })
      const linkRequest = { organizationId: organization.id, fileId: made.id, madeBy: principal.id }
      return {
        row: made,
        link: await addLink(sql, parts.vault.hash, { ...linkRequest, kind: 'upload', seconds: body.link_seconds }),
      }
    },
  )
  head.set('cache-control', 'no-store')
  const upload = { url: urlOf(parts, 'upload', link.token), expires_at: link.expiresAt.toISOString() }
  return { ...toEntry(parts, principal, row), upload }
})

const get = serveOrganization(shapes.getFile, async ({ parts, principal, role, params, read }) => {
  filesOf(parts)
  return toEntry(parts, principal, await read((sql) => getRow(sql, params['file'] ?? '', principal, role)))
})

const linkOf = (kind: LinkKind) =>
  serveOrganization(
    kind === 'upload' ? shapes.addUploadLink : shapes.addDownloadLink,
    async ({ parts, principal, organization, params, body, head, change }) => {
      filesOf(parts)
      const { token, expiresAt } = await change(
        () => ({ action: `file.${kind}-link`, resource: 'file', id: params['file'] ?? '' }),
        async (sql) => {
          const row = await getRow(sql, params['file'] ?? '', principal, undefined)
          if ((row.state === 'ready') !== (kind === 'download')) throw new Fault('thing.unknown', { thing: 'file' })
          const linkRequest = { organizationId: organization.id, fileId: row.id, madeBy: principal.id }
          return addLink(sql, parts.vault.hash, { ...linkRequest, kind, seconds: body?.link_seconds ?? 900 })
        },
      )
      head.set('cache-control', 'no-store')
      return { url: urlOf(parts, kind, token), expires_at: expiresAt.toISOString() }
    },
  )

const remove = serveOrganization(shapes.removeFile, async ({ parts, principal, role, params, change }) => {
  const files = filesOf(parts)
  await change(
    ({ id, name, owner }: FileRow) => ({ action: 'file.remove', resource: 'file', id, detail: { name, owner } }),
    async (sql) => {
      const row = await getRow(sql, params['file'] ?? '', principal, role)
      await removeFileRow(sql, row.id)
      return row
    },
  )
  files.wake()
  return undefined
})

const usage = serveOrganization(shapes.getFileUsage, async ({ parts, organization, read }) => {
  const { limits } = filesOf(parts)
  const { used, quota, files } = await read((sql) => readUsage(sql, organization.id))
  return { used, quota: quota ?? limits.organization, files, most: limits.one }
})

export const fileOperations: readonly Served<FileOperationParts>[] = [
  list,
  add,
  get,
  linkOf('upload'),
  linkOf('download'),
  remove,
  usage,
]
