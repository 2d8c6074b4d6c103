/** Reports the decisions that rules in watch mode would have made, under the names that users know. */
import type { listShadows } from '@toolway/contract/admin'
import type { z } from 'zod'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { ShadowRow } from '../../records/call-records.ts'
import type { Callers } from './callers-of.ts'
import { createFindTool, type CalledIn } from './tool-of-record.ts'

type Report = z.input<(typeof listShadows)['answer']>

export interface ShadowsParts {
  readonly snapshot: CalledIn & Pick<Snapshot, 'rules'>
  /** Those of these ids. */
  callers(ids: readonly string[]): Promise<Pick<Callers, 'nameOf'>>
  count(since: Date, limit: number): Promise<readonly ShadowRow[]>
}

const MOST = 1000
/** Read at most: one tool has several rows where it was called by several names. */
const MOST_READ = 10_000
const DAY = 86_400_000

/** A rule that is gone keeps its id for a name, and a tool that is gone the name that it was called by. */
export async function shadowsOf({ snapshot, callers, count }: ShadowsParts, days: number): Promise<Report> {
  const names = new Map(snapshot.rules.rules.map(({ id, name }) => [id, name]))
  const findTool = await createFindTool(snapshot)
  const rows = await count(new Date(Date.now() - days * DAY), MOST_READ + 1)
  const merged = new Map<string, Shadowed>()
  for (const row of rows.slice(0, MOST_READ)) {
    const { rule, would, principal, calls, first, last, example } = row
    const tool = findTool(row)?.exposedName ?? row.target ?? ''
    const key = JSON.stringify([rule, would, tool, principal])
    merged.set(key, together({ rule, would, tool, principal, calls, first, last, example }, merged.get(key)))
  }
  const items = [...merged.values()].toSorted((item, other) => other.calls - item.calls)
  const shown = items.slice(0, MOST)
  const { nameOf } = await callers(shown.map(({ principal }) => principal))
  return {
    days,
    items: shown.map(({ rule, principal, first, last, ...rest }) => ({
      ...rest,
      rule: names.get(rule) ?? rule,
      caller: nameOf(principal),
      first: first.toISOString(),
      last: last.toISOString(),
    })),
    truncated: items.length > MOST || rows.length > MOST_READ,
  }
}

type Shadowed = Omit<ShadowRow, 'toolset' | 'connection' | 'target' | 'tool'> & { readonly tool: string }

/** The example is the newest. */
const together = (item: Shadowed, other: Shadowed | undefined): Shadowed =>
  other === undefined
    ? item
    : {
        ...item,
        calls: item.calls + other.calls,
        first: item.first < other.first ? item.first : other.first,
        last: item.last > other.last ? item.last : other.last,
        example: item.last > other.last ? item.example : other.example,
      }
