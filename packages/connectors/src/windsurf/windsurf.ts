/** Windsurf: analytics, members, credits and limits of a team. The service key stands in the body of every request. */
import { z } from 'zod'
import {
  codingMetrics,
  get,
  has,
  many,
  num,
  refusal,
  rest,
  shape,
  str,
  sumOf,
  text,
  unsupported,
  vendor,
  type Json,
} from '../kit/index.ts'

const { read, write, ask } = rest({ base: 'https://server.codeium.com/api/v1' })

/** Every request is a POST; these change nothing. */
const READS = { reads: true } as const

const period = { start_date: text('First day, e.g. 2026-11-01'), end_date: text('Last day, e.g. 2026-11-30') }
type Period = { start_date: string; end_date: string }
const moment = (date: string): string => {
  const time = Date.parse(date)
  if (Number.isNaN(time)) throw refusal('INVALID_ARGUMENT', 'start_date and end_date must be dates, e.g. 2026-11-01.')
  return new Date(time).toISOString().replace('.000Z', 'Z')
}
const times = ({ start_date, end_date }: Period) => ({
  start_timestamp: moment(start_date),
  end_timestamp: moment(end_date),
})

/** The data source, field and aggregation of each metric. */
const METRICS = {
  acceptances: ['USER', 'num_acceptances', 'SUM'],
  lines_accepted: ['USER', 'num_lines_accepted', 'SUM'],
  active_users: ['USER', 'distinct_users', 'UNSPECIFIED'],
  chats: ['CHAT', 'num_chats_received', 'SUM'],
  command_lines_added: ['COMMAND', 'lines_added', 'SUM'],
  percent_code_written: ['PCW', 'percent_code_written', 'UNSPECIFIED'],
} as const
type Metric = keyof typeof METRICS
const NAMES = Object.keys(METRICS) as [Metric, ...Metric[]]

const queryOf = (metric: Metric) => {
  const [source, field, aggregation] = METRICS[metric]
  return {
    data_source: `QUERY_DATA_SOURCE_${source}_DATA`,
    selections: [{ field, name: metric, aggregation_function: `QUERY_AGGREGATION_${aggregation}` }],
  }
}
/** The answers stand in the order of the questions. */
const valuesOf = (body: unknown, metrics: readonly Metric[]) =>
  metrics.map((metric, index) => {
    const results = get(body, 'queryResults')
    const items = get(Array.isArray(results) ? results[index] : undefined, 'responseItems[].item')
    return { metric, value: sumOf(Array.isArray(items) ? items : [], (item) => get(item, metric)) }
  })

const CASCADE = [{ cascade_lines: {} }, { cascade_runs: {} }, { cascade_tool_usage: {} }]

const Analytics = shape({ metrics: many(shape({ metric: str(), value: num() })) })
const Member = shape({
  name: str(),
  email: str(),
  role: str(),
  status: str('teamStatus'),
  active_days: num('activeDays'),
  last_autocomplete: str('lastAutocompleteUsageTime'),
  last_chat: str('lastChatUsageTime'),
  last_command: str('lastCommandUsageTime'),
})
const Run = shape({ day: str(), model: str(), mode: str(), messages: num('messagesSent'), prompts: num('promptsUsed') })
const Cascade = shape({
  lines: many(shape({ day: str(), suggested: num('linesSuggested'), accepted: num('linesAccepted') })),
  runs: many(Run),
  tools: many(shape({ tool: str(), count: num() })),
})
const Credits = shape({
  credits_per_seat: num('promptCreditsPerSeat'),
  seats: num('numSeats'),
  add_on_available: num('addOnCreditsAvailable'),
  add_on_used: num('addOnCreditsUsed'),
  cycle_start: str('billingCycleStart'),
  cycle_end: str('billingCycleEnd'),
})
const Config = shape({ add_on_credit_cap: num('addOnCreditCap') })
const Spending = shape({
  runs: many(shape({ day: str(), model: str(), credits: num() })),
  credits: num(),
  add_on_used: num('addOnCreditsUsed'),
  add_on_available: num('addOnCreditsAvailable'),
})
const Seats = shape({ seats: num('numSeats'), members: num(), active_members: num() })
const Done = shape({ done: has('done') })

const listOf = (body: unknown, path: string): readonly unknown[] => {
  const found = get(body, path)
  return Array.isArray(found) ? found.flat() : []
}
const cascadeOf = (body: unknown) => ({
  lines: listOf(body, 'queryResults[].cascadeLines.cascadeLines'),
  runs: listOf(body, 'queryResults[].cascadeRuns.cascadeRuns'),
  tools: listOf(body, 'queryResults[].cascadeToolUsage.cascadeToolUsage'),
})
/** Prompts are counted in hundredths of a credit. */
const creditsOf = (run: unknown) => Number(get(run, 'promptsUsed') ?? 0) / 100

export const windsurf = vendor({
  id: 'windsurf',
  auth: { key: { in: 'body', name: 'service_key' } },
  scopes: {},
  whoami: 'get_credit_balance',
  tools: {
    get_analytics: read('POST /Analytics', {
      says: 'Get totals of selected team metrics over a period.',
      input: { ...period, metrics: z.array(z.enum(NAMES)).min(1).describe('e.g. lines_accepted') },
      send: ({ metrics, ...range }) => ({ ...times(range), query_requests: metrics.map(queryOf) }),
      output: Analytics,
      give: (body, { metrics }) => ({ metrics: valuesOf(body, metrics) }),
    }),
    get_user_analytics: read('POST /UserPageAnalytics', {
      says: 'Get the role, active days and last use of one member over a period.',
      input: { ...period, user_id: text('Email address of the member, e.g. ada@example.com') },
      send: times,
      output: Member,
      give(body, { user_id }) {
        const rows = listOf(body, 'userTableStats')
        const found = rows.find((row) => String(get(row, 'email')).toLowerCase() === user_id.toLowerCase())
        if (found === undefined && rows.length > 0)
          throw refusal('NOT_FOUND', `No member has the email address ${user_id} in this period.`)
        return (found ?? {}) as Json
      },
    }),
    get_cascade_analytics: read('POST /CascadeAnalytics', {
      says: 'Get lines, runs and tool uses of Cascade, the agent, by day.',
      input: period,
      send: (input) => ({ ...times(input), query_requests: CASCADE }),
      output: Cascade,
      give: (body) => cascadeOf(body),
    }),
    get_usage_config: read('POST /GetUsageConfig', {
      says: 'Get the team’s limit on add-on credits.',
      send: () => ({ team_level: true }),
      output: Config,
    }),
    set_usage_config: write('POST /UsageConfig', {
      says: 'Set or clear the limit on add-on credits for the team, a group or a member.',
      input: {
        config: z.strictObject({
          add_on_credit_cap: z.int().min(0).optional().describe('Credits; if omitted, the limit is cleared'),
          group_id: z.string().optional(),
          user_email: z.string().optional().describe('e.g. ada@example.com'),
        }),
      },
      send: ({ config: { add_on_credit_cap, group_id, user_email } }) => ({
        ...(add_on_credit_cap === undefined
          ? { clear_add_on_credit_cap: true }
          : { set_add_on_credit_cap: add_on_credit_cap }),
        ...(group_id === undefined ? (user_email === undefined ? { team_level: true } : { user_email }) : { group_id }),
      }),
      output: Done,
      give: () => ({ done: true }),
    }),
    get_credit_balance: read('POST /GetTeamCreditBalance', {
      says: 'Get the team’s credits and seats in the current billing cycle.',
      output: Credits,
    }),
    list_members: read('POST /UserPageAnalytics', {
      says: 'List the members of the team with role, active days and last use. The data is up to three hours old.',
      at: 'userTableStats',
      paging: false,
      list: Member,
    }),
    list_audit_events: unsupported(
      'read',
      'Windsurf has no API for audit events: this returns NOT_SUPPORTED.',
      'Windsurf has no API for audit events; an administrator can export them on the website.',
    ),
    get_spending_breakdown: read.steps({
      says: 'Get the credits that Cascade used by day and model in a period, and the team’s add-on credits. Credits are not money.',
      input: {
        start_date: text('First day, e.g. 2026-11-01').default('2026-01-01'),
        end_date: text('Last day, e.g. 2026-11-30').default('2026-12-31'),
      },
      output: Spending,
      *run(input) {
        const used = yield* ask(
          'POST /CascadeAnalytics',
          { ...times(input), query_requests: [{ cascade_runs: {} }] },
          READS,
        )
        const balance = yield* ask('POST /GetTeamCreditBalance', {}, READS)
        const { runs } = cascadeOf(used.body)
        return {
          ...(balance.body as Json | undefined),
          runs: runs.map((run) => ({ day: get(run, 'day'), model: get(run, 'model'), credits: creditsOf(run) })),
          credits: sumOf(runs, creditsOf),
        }
      },
    }),
    get_seat_info: read.steps({
      says: 'Get the number of seats, members and active members.',
      output: Seats,
      *run() {
        const balance = yield* ask('POST /GetTeamCreditBalance', {}, READS)
        const people = yield* ask('POST /UserPageAnalytics', {}, READS)
        const rows = listOf(people.body, 'userTableStats')
        return {
          ...(balance.body as Json | undefined),
          members: rows.length,
          active_members: rows.filter((row) => Number(get(row, 'activeDays') ?? 0) > 0).length,
        }
      },
    }),
    get_normalized_metrics: read.steps({
      says: 'Get users, acceptances, lines, credits and models in the format that all coding-tool connectors share.',
      input: period,
      output: codingMetrics(
        'active_users',
        'seats',
        'acceptances',
        'lines_suggested',
        'lines_accepted',
        'credits_used',
        'models',
      ),
      *run(input) {
        const metrics: readonly Metric[] = ['active_users', 'acceptances']
        const sums = yield* ask('POST /Analytics', { ...times(input), query_requests: metrics.map(queryOf) }, READS)
        const cascade = yield* ask('POST /CascadeAnalytics', { ...times(input), query_requests: CASCADE }, READS)
        const balance = yield* ask('POST /GetTeamCreditBalance', {}, READS)
        const [users, acceptances] = valuesOf(sums.body, metrics)
        const { lines, runs } = cascadeOf(cascade.body)
        return {
          from: input.start_date,
          to: input.end_date,
          active_users: users?.value,
          acceptances: acceptances?.value,
          seats: get(balance.body, 'numSeats'),
          lines_suggested: sumOf(lines, (line) => get(line, 'linesSuggested')),
          lines_accepted: sumOf(lines, (line) => get(line, 'linesAccepted')),
          credits_used: sumOf(runs, creditsOf),
          models: modelsOf(runs),
        }
      },
    }),
  },
})

function modelsOf(runs: readonly unknown[]): Json[] {
  const names = [...new Set(runs.map((run) => get(run, 'model')).filter((value) => typeof value === 'string'))]
  return names.map((model) => ({
    model,
    requests: sumOf(
      runs.filter((run) => get(run, 'model') === model),
      (run) => get(run, 'messagesSent'),
    ),
  }))
}
