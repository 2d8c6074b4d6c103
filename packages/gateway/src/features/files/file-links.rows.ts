/**
 * Addresses of one transfer: a token of 256 random bits, of which only a keyed hash is stored. A download address is consumed by the
 * request that uses it; an upload address lasts until the upload is complete. One that a key asked for ends with that key; wrong, used
 * and expired ones are alike.
 */
import { randomBytes } from 'node:crypto'
import type { FileId, OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { part } from '../../db/sql-part.ts'

export type LinkKind = 'upload' | 'download'

/** Seconds: the shortest life of an address, the usual one and the longest. */
export const LINK_SECONDS = { least: 60, usual: 900, most: 86_400 } as const

const Link = z.object({
  organization_id: z.string().transform((id) => id as OrganizationId),
  file_id: z.string().transform((id) => id as FileId),
  made_by: z.string(),
})
export type Link = z.output<typeof Link>
const Made = z.object({ expires_at: z.date() })
const Found = z.object({ file_id: z.string() })

export interface NewLink {
  readonly organizationId: OrganizationId
  readonly fileId: FileId
  readonly kind: LinkKind
  readonly madeBy: string
  readonly seconds: number
}

const BYTES = 32
const FORM = /^[\w-]{43}$/
export const isLinkToken = (text: string): boolean => FORM.test(text)

/** The token, which is told once. A new upload address takes the place of the one before. */
export async function addLink(sql: OrgSql, hash: (text: string) => Buffer, link: NewLink) {
  const { organizationId, fileId, kind, madeBy, seconds } = link
  const token = randomBytes(BYTES).toString('base64url')
  if (kind === 'upload') await removeLinks(sql, fileId, 'upload')
  const [made] = await sql(Made)`
    insert into file_links (hash, organization_id, file_id, kind, made_by, expires_at)
    values (${hash(token)}, ${organizationId}, ${fileId}, ${kind}, ${madeBy}, now() + make_interval(secs => ${seconds}))
    returning expires_at`
  if (made === undefined) throw new Error('the address of a file was not stored')
  return { token, expiresAt: made.expires_at }
}

/** The maker of the link, a person or a key of theirs, is not suspended. */
const OF_NO_SUSPENDED = part`not exists (
         select from members m
          where m.organization_id = l.organization_id and not m.active
            and m.user_id = coalesce((select k.user_id from keys k where k.id = l.made_by), l.made_by))`

/** The upload that an address is good for now, in an organization that is active. */
export async function findUploadLink(sql: SystemSql, hash: Buffer): Promise<Link | undefined> {
  const [link] = await sql(Link)`
    select organization_id, file_id, made_by from file_links l
     where hash = ${hash} and kind = 'upload' and expires_at > now()
       and exists (select from organizations o where o.id = l.organization_id and o.active)
       and (left(made_by, 4) <> 'key_'
            or exists (select from keys k where k.id = made_by and (k.expires_at is null or k.expires_at > now())))
       and ${OF_NO_SUSPENDED}`
  return link
}

/** Of several requests with one address, one gets it. */
export async function takeDownloadLink(sql: SystemSql, hash: Buffer): Promise<Link | undefined> {
  const [link] = await sql(Link)`
    delete from file_links l
     where hash = ${hash} and kind = 'download' and expires_at > now()
       and exists (select from organizations o where o.id = l.organization_id and o.active)
       and (left(made_by, 4) <> 'key_'
            or exists (select from keys k where k.id = made_by and (k.expires_at is null or k.expires_at > now())))
       and ${OF_NO_SUSPENDED}
    returning organization_id, file_id, made_by`
  return link
}

/** An upload that goes on keeps its address for a while longer, never beyond a day from its making. */
export const prolongLink = (sql: SystemSql, hash: Buffer) =>
  sql(Found)`
    update file_links
       set expires_at = least(created_at + make_interval(secs => ${LINK_SECONDS.most}),
                              greatest(expires_at, now() + make_interval(secs => ${LINK_SECONDS.usual})))
     where hash = ${hash} and kind = 'upload' returning file_id`

export const removeLinks = (sql: OrgSql, fileId: FileId, kind: LinkKind) =>
  sql(Found)`delete from file_links where file_id = ${fileId} and kind = ${kind} returning file_id`

export const removeOldLinks = (sql: SystemSql) =>
  sql(Found)`delete from file_links where expires_at <= now() returning file_id`
