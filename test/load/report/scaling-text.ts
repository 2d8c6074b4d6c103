/** The table of several processes, each of which has as much CPU as the one alone. */
import type { Scaling } from '../scaling/scaling.ts'
import { spread, table } from './table.ts'

export function scalingText(scaling: Scaling): string {
  const head = ['Processes', 'calls/s', 'of one', 'CPU µs per call, with PostgreSQL', 'errors']
  const body = scaling.rows.map((row) => [
    String(row.processes),
    spread(row.callsPerSecond, 0),
    spread(row.ofOne, 2),
    spread(row.cpuUs, 0),
    String(row.errors),
  ])
  const busy = `  ${scaling.busyRounds} of ${scaling.rounds} rounds were busy with the work of others.`
  return `${[...table([head, ...body]), busy].join('\n')}\n`
}
