/**
 * How far a client has got since somebody sat down to connect it. Pure: the rows that the gateway knows, and what was there before.
 *
 * A client is told by its key where one was made for it, else by whose it is and by the name that it gives itself; a name that is
 * not the expected one counts too, when what it did is new, and is shown.
 */
import type { SeenClient } from '@toolway/contract/admin'

export type StepKey = 'initialize_at' | 'list_at' | 'call_at'
export const STEP_KEYS: readonly StepKey[] = ['initialize_at', 'list_at', 'call_at']

/** Steps of that long ago are still news. Milliseconds. */
const RECENT = 10 * 60_000

export interface ExpectedClient {
  /** Of the key that was made for it. */
  readonly keyId: string | undefined
  readonly userId: string | undefined
  /**
   * The pattern of the name that the client reports; undefined where it is unknown, so that only new activity is attributed to
   * it.
   */
  readonly says: RegExp | undefined
  /** The clients known when the screen was opened, and the time of opening. */
  readonly before: { readonly rows: readonly SeenClient[]; readonly at: number }
}

export interface Check {
  readonly row: SeenClient | undefined
  /** Whether it calls itself as such a client does. */
  readonly expected: boolean
  /** Times of the steps that are news. */
  readonly done: Readonly<Partial<Record<StepKey, string>>>
}

export function checkOf(rows: readonly SeenClient[], client: ExpectedClient): Check {
  const candidates = rows
    .filter(({ key_id, user_id }) =>
      client.keyId === undefined ? user_id === null || user_id === client.userId : key_id === client.keyId,
    )
    .map((row) => newsOf(row, client))
    .filter(({ done }) => Object.keys(done).length > 0)
  const last = (some: readonly Check[]) => some.toSorted((check, other) => seen(other).localeCompare(seen(check))).at(0)
  return last(candidates.filter(({ expected }) => expected)) ?? last(candidates) ?? NOTHING
}

const NOTHING: Check = { row: undefined, expected: true, done: {} }
const seen = ({ row }: Check): string => row?.seen_at ?? ''

function newsOf(row: SeenClient, { says, before, keyId, userId }: ExpectedClient): Check {
  const expected = keyId !== undefined || says === undefined || (row.client !== null && says.test(row.client.name))
  const old = before.rows.find((item) => sameAs(item, row))
  // A key was made a moment ago: all that it did is news, but what another client did with it before.
  const mine = keyId === undefined && row.user_id === userId
  const isNews = (step: StepKey) => {
    const at = row[step]
    if (at === null) return false
    return (
      at !== (old?.[step] ?? null) || (says !== undefined && expected && mine && before.at - Date.parse(at) < RECENT)
    )
  }
  const done = STEP_KEYS.flatMap((step) => (isNews(step) ? [[step, row[step]] as const] : []))
  return { row, expected, done: Object.fromEntries(done) }
}

const sameAs = (client: SeenClient, other: SeenClient): boolean =>
  client.key_id === other.key_id && client.user_id === other.user_id && client.client?.name === other.client?.name
