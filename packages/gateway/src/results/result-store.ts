/**
 * Results that did not fit, kept for those who got only a part of them: sealed, for a while, and not more than a caller's share.
 *
 * A result belongs to the principal that called and the endpoint that it called at, in one organization. For everybody else, and when
 * its time is over, it answers like one that never was.
 */
import { newId, type StoredResultId, type OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { Db, OrgSql } from '../db/db.ts'

export interface StoredResult {
  readonly text: string
  readonly mime: 'application/json' | 'text/plain'
}

export interface ResultOwner {
  readonly organizationId: OrganizationId
  /** Id of the principal. */
  readonly principal: string
  /** Names principal and endpoint. */
  readonly owner: string
}

export interface ResultStore {
  /** Seconds that each is kept. */
  readonly seconds: number
  /** Undefined where there is no room: it is too long, or the organization's share is full. */
  keep(owner: ResultOwner, result: StoredResult): Promise<StoredResultId | undefined>
  find(owner: ResultOwner, id: string): Promise<StoredResult | undefined>
  /** Those whose time is over, in every organization. */
  removeOld(): Promise<void>
}

export const KEPT_BOUNDS = {
  /** Bytes of one. */
  one: 8 * 1024 * 1024,
  /** Of one caller: the oldest make room. */
  caller: { bytes: 32 * 1024 * 1024, results: 50 },
  /** Bytes of an organization: nobody's results make room for another's. */
  organization: 256 * 1024 * 1024,
} as const

const Id = z.object({ id: z.string() })
const Row = z.object({ mime: z.enum(['application/json', 'text/plain']), sealed: z.instanceof(Buffer) })
const FORM = /^res_[0-9a-hjkmnp-tv-z]{26}$/

export interface ResultStoreParts {
  readonly db: Pick<Db, 'organization' | 'system'>
  seal(text: string, id: StoredResultId): Buffer
  open(sealed: Buffer, id: StoredResultId): string
  readonly seconds: number
}

export function createResultStore({ db, seal, open, seconds }: ResultStoreParts): ResultStore {
  return {
    seconds,
    async keep({ organizationId, principal, owner }, { text, mime }) {
      const bytes = Buffer.byteLength(text)
      if (seconds === 0 || bytes === 0 || bytes > KEPT_BOUNDS.one) return undefined
      const id = newId('res')
      const sealed = seal(text, id)
      const stored = await db.organization(organizationId, async (sql) => {
        await makeRoom(sql, principal, bytes)
        return sql(Id)`
          insert into kept_results (id, organization_id, principal, owner, mime, bytes, sealed, expires_at)
          select ${id}, ${organizationId}, ${principal}, ${owner}, ${mime}, ${bytes}, ${sealed},
                 now() + make_interval(secs => ${seconds})
           where (select coalesce(sum(bytes), 0) from kept_results) + ${bytes}::int <= ${KEPT_BOUNDS.organization}::int
          returning id`
      })
      return stored.length === 0 ? undefined : id
    },
    async find({ organizationId, owner }, id) {
      if (!FORM.test(id)) return undefined
      const [row] = await db.organization(
        organizationId,
        (sql) => sql(Row)`
          select mime, sealed from kept_results where id = ${id} and owner = ${owner} and expires_at > now()`,
      )
      return row && { mime: row.mime, text: open(row.sealed, id as StoredResultId) }
    },
    async removeOld() {
      await db.system((sql) => sql(Id)`delete from kept_results where expires_at <= now() returning id`)
    },
  }
}

/** Removes expired results, and the oldest of the caller's own until the new one fits. */
const makeRoom = (sql: OrgSql, principal: string, bytes: number) =>
  sql(Id)`
    delete from kept_results where expires_at <= now() or id in (
      select id from (
        select id, row_number() over newest as number, sum(bytes) over newest as total
          from kept_results where principal = ${principal} window newest as (order by created_at desc, id desc)) as own
       where number >= ${KEPT_BOUNDS.caller.results}::int or total + ${bytes}::int > ${KEPT_BOUNDS.caller.bytes}::int)
    returning id`
