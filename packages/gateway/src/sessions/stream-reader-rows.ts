/**
 * Rows of streams that are read at another gateway than the one that holds them (ADR 0101): one for each reader, with the events that
 * are on their way to it. Each change of a reader's state is announced to every gateway by a trigger.
 */
import type { OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import { hasOthers } from '../db/live-listeners.ts'
import type { OrgSql, SystemSql } from '../db/db.ts'

/** `asked`: nobody has answered; `lent`: events come; `over`: the last ones are there; `gone`, `ended`: refused. */
const State = z.enum(['asked', 'lent', 'over', 'gone', 'ended'])
export type ReaderState = z.output<typeof State>

/** As the change feed tells it. `left`: the row is gone. */
export interface StreamReaderNotice {
  readonly organization?: string | undefined
  readonly reader?: string
  /** Hash of the session's name, in hexadecimal. */
  readonly session?: string
  readonly stream?: string
  readonly state?: ReaderState | 'left'
}

/** Seconds for which either gateway holds its end of a stream without a word. */
export const LEASE = 15

const Reader = z.object({ reader: z.string() })
const Place = z.object({ after: z.number(), asked_at: z.date() })
const Look = z.object({ state: State, abandoned: z.boolean() })
const Sealed = z.object({ at: z.number(), sealed: z.instanceof(Buffer) })
export type SealedEvent = z.output<typeof Sealed>
const Waiting = z.object({ events: z.int(), bytes: z.int() })

export interface WantedStream {
  readonly organizationId: OrganizationId
  readonly session: Buffer
  readonly stream: string
  readonly after: number
  readonly reader: string
}

/** Asks whichever gateway holds the stream for it. Whether there can be one: another gateway, and a stored session. */
export async function askForStream(sql: OrgSql, requested: WantedStream): Promise<boolean> {
  const { organizationId, session, stream, after, reader } = requested
  if (!(await hasOthers(sql))) return false
  const asked = await sql(Reader)`
    insert into stream_readers (organization_id, reader, session, stream, after, read_until)
    select ${organizationId}, ${reader}, hash, ${stream}, ${after}::bigint, clock_timestamp() + make_interval(secs => ${LEASE}::int)
      from sessions where hash = ${session} for key share
    returning reader`
  return asked.length > 0
}

/** For a gateway that was not told, as it could not hear for a moment. */
export const askAgain = (sql: OrgSql, reader: string) =>
  sql(Reader)`update stream_readers set state = state where reader = ${reader} and state = 'asked' returning reader`

/**
 * Renews the reader's lease and takes the events that are there. Undefined where the reader's row is gone. `abandoned`: the gateway that
 * held the stream has not renewed its lease.
 */
export async function takeEvents(
  sql: OrgSql,
  reader: string,
): Promise<{ state: ReaderState; abandoned: boolean; events: readonly SealedEvent[] } | undefined> {
  const [look] = await sql(Look)`
    update stream_readers set read_until = clock_timestamp() + make_interval(secs => ${LEASE}::int)
     where reader = ${reader} returning state, coalesce(held_until < clock_timestamp(), false) as abandoned`
  if (look === undefined) return undefined
  const events = await sql(Sealed)`
    delete from stream_reader_events where reader = ${reader} returning at::double precision as at, sealed`
  return { ...look, events: events.toSorted((a, b) => a.at - b.at) }
}

export const removeReader = (sql: OrgSql, reader: string) =>
  sql(Reader)`delete from stream_readers where reader = ${reader} returning reader`

/** Takes what a reader asked for upon this gateway. Undefined where another one did, or the reader has left. */
export async function claimReader(
  sql: OrgSql,
  reader: string,
): Promise<{ after: number; askedAt: number } | undefined> {
  const [row] = await sql(Place)`
    update stream_readers set held_until = clock_timestamp() + make_interval(secs => ${LEASE}::int)
     where reader = ${reader} and state = 'asked' and held_until is null and read_until > clock_timestamp()
    returning after::double precision as after, asked_at`
  return row === undefined ? undefined : { after: row.after, askedAt: row.asked_at.getTime() }
}

export const refuseReader = (sql: OrgSql, reader: string, state: 'gone' | 'ended') =>
  sql(Reader)`update stream_readers set state = ${state} where reader = ${reader} returning reader`

/** Renews the holder's lease. Whether the reader still reads. */
export async function holdReader(sql: OrgSql, reader: string): Promise<boolean> {
  const held = await sql(Reader)`
    update stream_readers set held_until = clock_timestamp() + make_interval(secs => ${LEASE}::int)
     where reader = ${reader} and read_until > clock_timestamp() returning reader`
  return held.length > 0
}

export interface LentEvents {
  readonly organizationId: OrganizationId
  readonly reader: string
  readonly events: readonly SealedEvent[]
  /** Nothing comes after these. */
  readonly over: boolean
  /** The events and bytes that may wait for the reader. */
  readonly most: { readonly events: number; readonly bytes: number }
}

/** Passes events on. `full`: the reader has to take those that wait first; `left`: it does not read any more. */
export async function lendEvents(sql: OrgSql, lent: LentEvents): Promise<'lent' | 'full' | 'left'> {
  const { organizationId, reader, events, over, most } = lent
  if (!(await holdReader(sql, reader))) return 'left'
  const [waiting] = await sql(Waiting)`
    select count(*)::int as events, coalesce(sum(length(sealed)), 0)::int as bytes
      from stream_reader_events where reader = ${reader}`
  const bytes = events.reduce((sum, { sealed }) => sum + sealed.length, waiting?.bytes ?? 0)
  const isFull = (waiting?.events ?? 0) + events.length > most.events || bytes > most.bytes
  if (isFull && (waiting?.events ?? 0) > 0) return 'full'
  await sql(z.object({}))`
    insert into stream_reader_events (organization_id, reader, at, sealed)
    select ${organizationId}, ${reader}, e.at, e.sealed
      from unnest(${events.map(({ at }) => at)}::bigint[], ${events.map(({ sealed }) => sealed)}::bytea[]) as e (at, sealed)`
  await sql(Reader)`
    update stream_readers set state = ${over ? 'over' : 'lent'} where reader = ${reader} returning reader`
  return 'lent'
}

/** Removes readers that nobody reads, in every organization, with the events that wait for them. */
export const removeOldReaders = (sql: SystemSql) =>
  sql(Reader)`delete from stream_readers where read_until < clock_timestamp() returning reader`
