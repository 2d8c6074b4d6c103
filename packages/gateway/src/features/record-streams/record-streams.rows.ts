/** Rows of record streams as administrators make and see them. Their secrets are sealed. Nothing is sent from here. */
import { newId, type RecordStreamId } from '@toolway/contract'
import { StreamDestination } from '@toolway/contract/admin'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'

export const StreamRow = z.object({
  id: z.string().transform((id) => id as RecordStreamId),
  organization_id: z.string(),
  name: z.string(),
  destination: z.record(z.string(), z.unknown()),
  sealed_secrets: z.instanceof(Buffer),
  private: z.boolean(),
  alerts: z.boolean(),
  enabled: z.boolean(),
  delivered_at: z.date().nullable(),
  failed_at: z.date().nullable(),
  last_problem: z.string().nullable(),
  behind_since: z.date().nullable(),
  created_at: z.date(),
  updated_at: z.date(),
  waiting: z.number(),
})
export type StreamRow = z.output<typeof StreamRow>

export const destinationOf = (row: { readonly destination: unknown }): StreamDestination =>
  StreamDestination.parse(row.destination)

export const listStreams = (sql: OrgSql | SystemSql, owner: string) => sql(StreamRow)`
  select id, organization_id, name, destination, sealed_secrets, private, alerts, enabled, delivered_at, failed_at,
         last_problem, behind_since, created_at, updated_at,
         (select coalesce(sum(c.seq - coalesce(k.seq, 0)), 0)::float8
            from record_chains c
            left join record_stream_cursors k on k.organization_id = c.organization_id and k.stream_id = s.id
           where s.organization_id in (c.organization_id, 'platform')) as waiting
    from record_streams s where organization_id = ${owner} order by created_at, id`

export interface StreamWords {
  readonly name: string
  readonly destination: StreamDestination
  readonly private: boolean
  readonly alerts: boolean
  readonly enabled: boolean
}

const Id = z.object({ id: z.string() })

/** `fromNow`: what is on record already is not sent. */
export async function addStream(
  sql: OrgSql | SystemSql,
  owner: string,
  { words, fromNow, seal }: { words: StreamWords; fromNow: boolean; seal: (id: RecordStreamId) => Buffer },
): Promise<RecordStreamId> {
  const id = newId('str')
  await sql(Id)`
    insert into record_streams (organization_id, id, name, destination, sealed_secrets, private, alerts, enabled)
    values (${owner}, ${id}, ${words.name}, ${JSON.stringify(words.destination)}, ${seal(id)}, ${words.private},
            ${words.alerts}, ${words.enabled})
    returning id`
  if (fromNow)
    await sql(Id)`
      insert into record_stream_cursors (organization_id, stream_id, seq)
      select organization_id, ${id}, seq from record_chains
       where ${owner} in (organization_id, 'platform') returning stream_id as id`
  return id
}

/** A stream that is changed is tried at once. */
export const changeStream = (
  sql: OrgSql | SystemSql,
  { organization_id: owner, id }: Pick<StreamRow, 'organization_id' | 'id'>,
  words: StreamWords & { readonly sealed: Buffer },
) => sql(Id)`
  update record_streams
     set name = ${words.name}, destination = ${JSON.stringify(words.destination)}, sealed_secrets = ${words.sealed},
         private = ${words.private}, alerts = ${words.alerts}, enabled = ${words.enabled}, updated_at = now(),
         next_try = now(), attempts = 0, behind_since = case when ${words.enabled}::boolean then behind_since end
   where organization_id = ${owner} and id = ${id} returning id`

export const removeStream = async (sql: OrgSql | SystemSql, owner: string, id: string): Promise<boolean> =>
  (await sql(Id)`delete from record_streams where organization_id = ${owner} and id = ${id} returning id`).length > 0
