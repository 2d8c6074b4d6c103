/** Reports the decisions that rules in watch mode would have made, under the names that users know. */
import type { listShadows } from '@toolway/contract/admin'
import type { z } from 'zod'
import type { Snapshot } from '../../call/snapshot.ts'
import type { ShadowRow } from '../../records/call-records.ts'
import type { Callers } from './callers-of.ts'

type Report = z.input<(typeof listShadows)['answer']>

export interface ShadowsParts {
  readonly snapshot: Pick<Snapshot, 'rules'>
  readonly callers: Pick<Callers, 'nameOf'>
  count(since: Date, limit: number): Promise<readonly ShadowRow[]>
}

const MOST = 1000
const DAY = 86_400_000

/** A rule that is gone keeps its id for a name. */
export async function shadowsOf({ snapshot, callers, count }: ShadowsParts, days: number): Promise<Report> {
  const names = new Map(snapshot.rules.rules.map(({ id, name }) => [id, name]))
  const rows = await count(new Date(Date.now() - days * DAY), MOST + 1)
  return {
    days,
    items: rows.slice(0, MOST).map(({ rule, principal, first, last, ...rest }) => ({
      ...rest,
      rule: names.get(rule) ?? rule,
      caller: callers.nameOf(principal),
      first: first.toISOString(),
      last: last.toISOString(),
    })),
    truncated: rows.length > MOST,
  }
}
