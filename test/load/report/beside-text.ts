/**
 * The table of `--peers`: what the calls of each target cost, what it needs to run, and what it does and does not do for a call.
 *
 * Targets of one road stand together: the same kind of server stands behind them. Speed and CPU are those of the highest number of
 * connections. A target whose calls failed has no figures, because an error is no answer.
 */
import type { Row } from '../bench-figures.ts'
import type { Beside } from '../beside.ts'
import { ABOUT, type About } from '../peers/peers.ts'
import { fixed, table } from './table.ts'

/** More of its calls than this share failed: what it answered is not counted. */
const MOST_FAILED = 0.001
const HEAD = [
  'calls/s',
  'p99 ms',
  'CPU ms',
  'with DB',
  'MB idle',
  'with DB',
  'MB after',
  'with DB',
  'start s',
  'version',
]

const LEGEND = [
  '  CPU and MB: the process and all that it started but the server; MB: proportional set size, after one call and after',
  '  the rounds; start: to the first answered call. The targets of the gateway are one process, which makes its database',
  '  when it starts.',
]

export function besideText(beside: readonly Beside[], rows: readonly Row[]): string[] {
  if (beside.length === 0) return []
  const most = Math.max(...rows.map(({ connections }) => connections))
  const all = Object.entries(ABOUT).flatMap(([name, about]) => {
    const row = rows.find(({ target, connections }) => target === name && connections === most)
    return beside.filter(({ target }) => target === name).map((one) => ({ one, about, row }))
  })
  const [head = '', ...lines] = table([
    ['', ...HEAD],
    ...all.map(({ one, row }) => [one.target, ...callCells(row), ...memoryCells(one)]),
  ])
  const isFirst = (at: number) => all[at - 1]?.about.road !== all[at]?.about.road
  return [
    `Beside others, ${most} connections, a server of one kind behind each group`,
    head,
    ...lines.flatMap((line, at) => (isFirst(at) ? [all[at]?.about.road ?? '', line] : [line])),
    ...LEGEND,
    'What each does for a call, and what it does not',
    ...all.flatMap(({ one, about }) => aboutText(one.target, about)),
  ]
}

function callCells(row: Row | undefined): string[] {
  if (row === undefined) return ['–', '–', '–', '–']
  const { calls, errors, cpuMsPerCall: cpu } = row
  if (errors > MOST_FAILED * (calls + errors)) return [`${errors} of ${calls + errors} failed`, '–', '–', '–']
  const whole = cpu.target === null ? null : cpu.target + (cpu.descendants ?? 0)
  const apart = whole === null ? null : whole - (cpu.database ?? 0)
  return [row.callsPerSecond.median.toFixed(0), row.p99Ms.toFixed(2), fixed(apart, 3), fixed(whole, 3)]
}

function memoryCells({ idle, after, startMs, version }: Beside): string[] {
  const megabytes = (memory: Beside['idle']) =>
    memory === undefined ? ['–', '–'] : [memory.hop, memory.hop + memory.database].map((bytes) => fixed(bytes / 1e6, 0))
  return [
    ...megabytes(idle),
    ...megabytes(after),
    fixed(startMs === undefined ? undefined : startMs / 1000, 2),
    version,
  ]
}

function aboutText(target: string, { does, lacks }: About): string[] {
  const indent = ' '.repeat(16)
  return [`  ${target.padEnd(14)}${does}`, ...(lacks === undefined ? [] : [`${indent}without ${lacks}`])]
}
