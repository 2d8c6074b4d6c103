/**
 * Payloads of calls, request and answer, where an administrator wants them: sealed, stored beside their record, and removed
 * automatically after some days. The record does not depend on its payload: the chain has a hash of it and nothing more.
 */
import type { OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'

const Id = z.object({ id: z.string() })

/** Of a record on its way: what is stored beside it. */
export interface WithPayload {
  readonly id: string
  readonly org_id: OrganizationId | undefined
  readonly connection: string | undefined
  readonly timestamp: string
  /** Sealed, in Base64. */
  readonly payload?: string | undefined
}

/** In the transaction that stores the records, and before them: the head of a chain is locked last. */
export async function storePayloads(sql: OrgSql | SystemSql, entries: readonly WithPayload[]): Promise<void> {
  const payloads = entries.filter(({ payload, org_id: id }) => payload !== undefined && id !== undefined)
  if (payloads.length === 0) return
  const payloadValues = (valueOf: (entry: WithPayload) => string | undefined) =>
    payloads.map((entry) => valueOf(entry) ?? '')
  await sql(Id)`
    insert into record_payloads (id, organization_id, connection, at, sealed)
    select id, organization_id, connection, at, decode(sealed, 'base64')
      from unnest(${payloadValues(({ id }) => id)}::text[], ${payloadValues((entry) => entry.org_id)}::text[],
                  ${payloadValues(({ connection }) => connection)}::text[], ${payloadValues(({ timestamp }) => timestamp)}::timestamptz[],
                  ${payloadValues(({ payload }) => payload)}::text[]) as g (id, organization_id, connection, at, sealed)
     -- One whose organization is gone has no place; its record has.
     where exists (select from organizations o where o.id = g.organization_id)
    on conflict (id) do nothing
    returning id`
}

const Row = z.object({ sealed: z.instanceof(Buffer), hash: z.string().nullable() })

export interface FoundPayload {
  readonly sealed: Buffer
  /** The hash in its record; null where that was redacted. */
  readonly hash: string | null
}

/** Undefined where there is none, or its time is over. */
export async function findPayload(sql: OrgSql, id: string, days: number): Promise<FoundPayload | undefined> {
  const [found] = await sql(Row)`
    select p.sealed, r.detail ->> 'payload' as hash
      from record_payloads p left join records r on r.id = p.id and r.organization_id = p.organization_id
     where p.id = ${id} and p.at >= now() - make_interval(days => ${days}::int)`
  return found
}

/** Those of one connection, whose administrator wants none any more. How many. */
export const removePayloadsOf = async (sql: OrgSql, connection: string): Promise<number> =>
  (await sql(Id)`delete from record_payloads where connection = ${connection} returning id`).length

export const removePayload = (sql: SystemSql, organization: OrganizationId | string, id: string) =>
  sql(Id)`delete from record_payloads where organization_id = ${organization} and id = ${id} returning id`

export const removePayloadsBefore = (sql: SystemSql, organization: string, before: Date) =>
  sql(Id)`delete from record_payloads where organization_id = ${organization} and at < ${before} returning id`

/** Of every organization. How many. */
export const removeOldPayloads = async (sql: SystemSql, days: number): Promise<number> =>
  (await sql(Id)`delete from record_payloads where at < now() - make_interval(days => ${days}::int) returning id`)
    .length
