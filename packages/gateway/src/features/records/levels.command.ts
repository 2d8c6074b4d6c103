/** `toolway records levels`: availability, p95 latency and error budget of each connection. */
import { findServiceLevels, LEVEL_WINDOWS, type LevelWindow, type ServiceLevel } from '@toolway/contract/admin'
import { Option } from 'commander'
import { describeCommand } from '../../cli/command.ts'
import { table } from '../../cli/terminal/output.ts'
import { notesOf, type OfChain } from './of-chain.command.ts'

const wordOf = (value: number | null, unit: string): string => (value === null ? '–' : `${value}${unit}`)

const cellsOf = (name: string, { calls, failed, availability, p95_ms: p95, budget_left: left }: ServiceLevel) => [
  ...[name, wordOf(availability, '%'), wordOf(p95, ' ms')],
  ...[wordOf(left === null ? null : Math.floor(left), '%'), String(calls), String(failed)],
]

export const levels = describeCommand({
  name: 'levels',
  about: 'show the availability, p95 latency and error budget of each connection, lowest budget first',
  options: [new Option('--window <span>', 'the last hour, day or month').choices(LEVEL_WINDOWS).default('month')],
  examples: ['toolway records levels', 'toolway records levels --window hour --json'],
  call: ({ call }, { organization }: OfChain & { readonly window: LevelWindow }) =>
    call(findServiceLevels, { params: { organization } }),
  print: (found, { window }) => ({
    value: found,
    notes: notesOf(found),
    lines: [
      ...table(
        ['CONNECTION', 'AVAILABILITY', 'P95', 'BUDGET LEFT', 'CALLS', 'FAILED'],
        [
          ...found.connections.map(({ name, windows }) => cellsOf(name, windows[window])),
          cellsOf('(all)', found.total[window]),
        ],
      ),
      `The target is ${found.target}%.`,
    ],
  }),
})
