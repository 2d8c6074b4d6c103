/** `toolway records usage`: every key and user that called in a span of time, with the number of their calls. */
import { listUsageCallers, MOST_USAGE_DAYS, type UsageCaller } from '@toolway/contract/admin'
import { csvLine } from '@toolway/contract'
import { Option } from 'commander'
import { describeCommand } from '../../cli/command.ts'
import { table } from '../../cli/terminal/output.ts'
import type { Transport } from '../../cli/transport/transport.ts'
import { momentOf, notesOf, wholeNumberOption, type OfChain } from './of-chain.command.ts'

interface Words extends OfChain {
  readonly days: number
  readonly start?: string
  readonly end?: string
  readonly connection?: string
  readonly csv?: boolean
}

const DAY = 86_400_000
const PAGE = 200

/** All pages of one span, which does not move meanwhile. */
async function allOf({ call }: Transport, { organization, days, start, end, connection }: Words) {
  const to = momentOf(end) ?? new Date().toISOString()
  const from = momentOf(start) ?? new Date(Date.parse(to) - days * DAY).toISOString()
  const items: UsageCaller[] = []
  let uncounted = 0
  for (;;) {
    const query = { from, to, connection, limit: PAGE, offset: items.length }
    const page = await call(listUsageCallers, { params: { organization }, query })
    items.push(...page.items)
    uncounted = Math.max(uncounted, page.uncounted)
    if (page.items.length < PAGE) return { from, to, uncounted, items }
  }
}

const COLUMNS = ['id', 'name', 'calls', 'failed', 'refused'] as const

export const usage = describeCommand({
  name: 'usage',
  about: 'list every key and user that called, with the most calls first',
  options: [
    new Option('--days <count>', `the last days, up to ${MOST_USAGE_DAYS}`)
      .argParser(wholeNumberOption(1, MOST_USAGE_DAYS))
      .default(1),
    new Option('--start <moment>', 'from this time on, instead of --days'),
    new Option('--end <moment>', 'before this time'),
    new Option('--connection <alias>', 'only calls through this connection'),
    new Option('--csv', 'print CSV'),
  ],
  examples: ['toolway records usage --days 31', 'toolway records usage --days 7 --csv > callers.csv'],
  call: allOf,
  print: (found, { csv = false }) => ({
    value: found,
    notes: notesOf(found),
    lines: csv
      ? [COLUMNS, ...found.items.map((row) => COLUMNS.map((name) => row[name]))].map((row) => csvLine(row).trimEnd())
      : [
          ...table(
            ['CALLER', 'CALLS', 'FAILED', 'REFUSED', 'ID'],
            found.items.map(({ id, name, calls, failed, refused }) => [
              ...[name ?? '(removed)', String(calls), String(failed), String(refused), id],
            ]),
          ),
          `${found.items.length} callers from ${found.from} to ${found.to}`,
        ],
  }),
})
