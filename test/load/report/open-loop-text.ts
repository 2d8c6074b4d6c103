/**
 * The tables of the open loop: one for each offered rate, a column for each target.
 */
import { batchSentence } from '../counts/record-batches.ts'
import { type OpenLevel, type OpenLoop, type OpenRow, SHARES } from '../open-loop.ts'
import { spread, table } from './table.ts'

export const openLoopText = ({ connections, levels }: OpenLoop): string[][] =>
  levels.map((level) => levelText(level, connections))

function levelText(level: OpenLevel, connections: number): string[] {
  const line = (label: string, cell: (row: OpenRow) => string) => [label, ...level.rows.map(cell)]
  const latency = SHARES.map((share, at) =>
    line(share === 1 ? 'longest ms' : `p${share * 100} ms`, ({ latencyMs }) =>
      (latencyMs[at] ?? Number.NaN).toFixed(2),
    ),
  )
  const lines = [
    line(`Open loop, ${Math.round(level.share * 100)} %`, ({ target }) => target),
    ...latency,
    line('p99 ms of the rounds', ({ p99Ms }) => spread(p99Ms, 2)),
    line('CPU µs per call', ({ cpuUs }) => spread(cpuUs, 0)),
    line('with PostgreSQL', ({ cpuWithDatabaseUs }) => spread(cpuWithDatabaseUs, 0)),
    line('late by generator, p99 ms', ({ lateP99Ms }) => lateP99Ms.toFixed(2)),
  ]
  const [title = '', ...rest] = table(lines)
  const busy = `others were busy in ${level.busyRounds} of ${level.rounds} rounds`
  return [
    title.trimStart().padEnd(title.length),
    ...rest,
    `  ${level.callsPerSecond} calls/s offered over ${connections} connections; ${busy}`,
    ...(level.cpuOfRaw === undefined
      ? []
      : [
          `  CPU of the gateway ÷ raw ${spread(level.cpuOfRaw, 2)} with PostgreSQL, ${spread(level.cpuOfRawAlone, 2)} without`,
        ]),
    ...(level.addedP99Ms === undefined
      ? []
      : [`  gateway − direct: p50 ${spread(level.addedP50Ms, 2)} ms, p99 ${spread(level.addedP99Ms, 2)} ms`]),
    ...level.rows.flatMap(({ target, stored }) =>
      stored === undefined ? [] : [`  ${target}: ${batchSentence(stored)}`],
    ),
  ].map((each) => each.trimEnd())
}
