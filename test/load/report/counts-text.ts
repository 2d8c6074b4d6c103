/**
 * The table of counts: a line for each count, a column for each target.
 */
import { BYTES_RATE, type Counts, type TargetCounts } from '../counts/counts.ts'
import { fixed, spread, table } from './table.ts'

/** Names of system calls that have a line; the others share one. */
const NAMED = 6

export function countsText({ connections, targets, notMeasured }: Counts): string[] {
  const most = new Map<string, number>()
  for (const { systemCallsByName = [] } of targets)
    for (const [name, each] of systemCallsByName) most.set(name, Math.max(each, most.get(name) ?? 0))
  const names = [...most].toSorted(([, a], [, b]) => b - a).map(([name]) => name)
  const [told, others] = [names.slice(0, NAMED), names.slice(NAMED)]
  const line = (label: string, cell: (counts: TargetCounts) => string) => [label, ...targets.map(cell)]
  const systemCalls = (label: string, of: readonly string[]) =>
    line(`  ${label}`, ({ systemCallsByName: all }) =>
      fixed(
        all?.filter(([name]) => of.includes(name)).reduce((sum, [, each]) => sum + each, 0),
        2,
      ),
    )
  const lines = [
    line('Counts per call', ({ target }) => (target === 'direct' ? 'direct (server)' : target)),
    line('system calls', (counts) => spread(counts.systemCalls, 2)),
    ...told.map((name) => systemCalls(name, [name])),
    ...(others.length === 0 ? [] : [systemCalls('others', others)]),
    line('journal writes', (counts) => spread(counts.journalWrites, 2)),
    line('reads and writes (/proc)', (counts) => spread(counts.readsAndWrites, 2)),
    line('allocated kB', (counts) => spread(counts.allocatedBytes, 1, 1000)),
    line('promoted kB', (counts) => spread(counts.promotedBytes, 2, 1000)),
    line('promoted kB, all at once', (counts) => spread(counts.promotedAtOnceBytes, 2, 1000)),
    line('instructions, thousands', (counts) => spread(counts.instructions, 1, 1000)),
  ]
  // A line without a figure says nothing; the reason is below.
  const [title = '', ...rest] = table(lines.filter((cells) => cells.slice(1).some((cell) => cell !== '–')))
  return [
    title.trimStart().padEnd(title.length),
    ...rest,
    `  over ${connections} connections at once, bytes at ${BYTES_RATE} calls/s; the median of the rounds (lowest–highest)`,
    ...notMeasured.map((reason) => `  not measured: ${reason}`),
  ].map((each) => each.trimEnd())
}
