/** GitHub Copilot: use, seats, settings and audit events of an organization. REST API of version 2022-11-28, for owners. */
import { z } from 'zod'
import { githubFacts, githubQuota } from '../github/api.ts'
import {
  bool,
  codingMetrics,
  free,
  get,
  link,
  many,
  num,
  rest,
  shape,
  str,
  sumOf,
  text,
  vendor,
  whole,
  type Json,
  type Run,
} from '../kit/index.ts'
import { days, organizationReport, partsOf, sumsBy, sumsOf, usersReport, type Report } from './report.ts'

const { read, write, ask } = rest({
  ...githubFacts,
  paging: link('page', { name: 'per_page', default: 50, max: 100 }),
})

const { destroy } = rest({ ...githubFacts, deleteBody: true })

const org = text('Login of the organization, e.g. octo-org')
const selected_usernames = z.array(z.string()).min(1).describe('Logins, e.g. ["octocat"]')
const report = { org, ...days }
const paged = {
  page: z.int().min(1).default(1),
  per_page: z.int().min(1).max(100).default(28),
}
const MANAGE = ['manage_billing:copilot']

const period = { from: str(), to: str() }
const counts = {
  interactions: num(),
  suggestions: num(),
  acceptances: num(),
  lines_suggested: num(),
  lines_added: num(),
  lines_deleted: num(),
}
const active = { active_users: num('daily_active_users'), active_users_month: num('monthly_active_users') }
const Day = shape({ day: str(), ...active, ...counts })
const Days = shape({ ...period, days: many(Day), next_page: num() })
const Trends = shape({ ...period, ...counts, weeks: many(shape({ ...period, most_active_users: num(), ...counts })) })
const User = shape({ user: str('user_login'), day: str(), ...counts, used_agent: bool(), used_chat: bool() })
const Users = shape({ ...period, users: many(User), next_page: num() })
const Rate = shape({ ...period, suggestions: num(), acceptances: num(), rate: num() })
const Languages = shape({ ...period, languages: many(shape({ language: str(), ...counts })) })
const Editors = shape({ ...period, editors: many(shape({ ide: str(), ...counts })) })
const Chat = shape({
  ...period,
  interactions: num(),
  users_month: num(),
  modes: many(shape({ feature: str(), ...counts })),
})
const PullRequests = shape({
  ...period,
  created: num(),
  created_by_copilot: num(),
  reviewed: num(),
  reviewed_by_copilot: num(),
})
const Seat = shape({
  login: str('assignee.login'),
  team: str('assigning_team.slug'),
  plan: str('plan_type'),
  created: str('created_at'),
  last_active: str('last_activity_at'),
  last_editor: str('last_activity_editor'),
  ends: str('pending_cancellation_date'),
})
const Inactive = shape({ seats: num(), inactive: num(), inactive_seats: many(Seat, 'list', 200) })
const policy = {
  public_code_suggestions: str(),
  ide_chat: str(),
  platform_chat: str(),
  cli: str(),
  seat_management: str('seat_management_setting'),
  plan: str('plan_type'),
}
const Billing = shape({
  seats: num('seat_breakdown.total'),
  active_seats: num('seat_breakdown.active_this_cycle'),
  inactive_seats: num('seat_breakdown.inactive_this_cycle'),
  added_seats: num('seat_breakdown.added_this_cycle'),
  cancelled_seats: num('seat_breakdown.pending_cancellation'),
  invited_seats: num('seat_breakdown.pending_invitation'),
  plan: str('plan_type'),
})
const Event = shape({
  time: num('@timestamp'),
  action: str(),
  actor: str(),
  user: str(),
  repository: str('repo'),
  operation: str('operation_type'),
  country: str('actor_location.country_name'),
})

export const copilot = vendor({
  id: 'copilot',
  auth: { provider: 'github' },
  scopes: { read: ['read:org'], write: MANAGE, destructive: MANAGE },
  whoami: read('GET /user', { says: 'Get the connected account.', output: shape({ login: str(), name: str() }) }),
  quota: githubQuota,
  tools: {
    get_org_usage: read.steps({
      says: 'Get an organization’s active users, suggestions, acceptances and lines by day.',
      input: { ...report, ...paged },
      output: Days,
      *run(input) {
        const { records, ...span } = yield* organizationReport(input)
        const { items, next_page } = slice(records, input)
        return { ...span, days: items.map((day) => ({ ...day, ...sumsOf([day]) })), next_page }
      },
    }),
    get_usage_trends: read.steps({
      says: 'Get an organization’s totals for the latest 28 days, overall and by week.',
      input: report,
      output: Trends,
      *run(input) {
        const { records, ...span } = yield* organizationReport(input)
        return { ...span, ...sumsOf(records), weeks: weeksOf(records) }
      },
    }),
    get_user_usage: read.steps({
      says: 'Get each user’s usage on the latest day that has a report, or on up to 7 days.',
      input: { ...report, ...paged },
      output: Users,
      *run(input) {
        const { records, ...span } = yield* usersReport(input)
        const { items, next_page } = slice(records, input)
        return { ...span, users: items.map((user) => ({ ...user, ...sumsOf([user]) })), next_page }
      },
    }),
    get_acceptance_rate: computed('Get how many code completion suggestions were accepted, and their share.', {
      output: Rate,
      of(records) {
        const completions = partsOf(records, 'totals_by_feature').filter(({ feature }) => feature === 'code_completion')
        const { suggestions, acceptances } = sumsOf(completions.length === 0 ? records : completions)
        return { suggestions, acceptances, rate: shareOf(acceptances, suggestions) }
      },
    }),
    get_usage_by_language: computed('Get suggestions, acceptances and lines by programming language.', {
      output: Languages,
      of: (records) => ({ languages: sumsBy(partsOf(records, 'totals_by_language_feature'), 'language') }),
    }),
    get_usage_by_editor: computed('Get suggestions, acceptances and lines by editor.', {
      output: Editors,
      of: (records) => ({ editors: sumsBy(partsOf(records, 'totals_by_ide'), 'ide') }),
    }),
    get_chat_usage: computed('Get chat usage by mode: ask, edit, plan, agent and inline.', {
      output: Chat,
      of(records) {
        const chats = partsOf(records, 'totals_by_feature').filter(({ feature }) => /chat|agent/.test(String(feature)))
        const { interactions } = sumsOf(chats)
        return {
          interactions,
          users_month: records.at(-1)?.['monthly_active_chat_users'],
          modes: sumsBy(chats, 'feature'),
        }
      },
    }),
    get_pr_summary_usage: computed(
      'Get how many pull requests were created and reviewed, in total and by Copilot. GitHub no longer counts pull request summaries.',
      {
        output: PullRequests,
        of(records) {
          const sum = (member: string) => sumOf(records, (record) => get(record, `pull_requests.${member}`) ?? 'none')
          return {
            created: sum('total_created'),
            created_by_copilot: sum('total_created_by_copilot'),
            reviewed: sum('total_reviewed'),
            reviewed_by_copilot: sum('total_reviewed_by_copilot'),
          }
        },
      },
    ),
    get_legacy_metrics: read.steps({
      says: 'Get the days of the latest report. GitHub removed the older metrics; prefer copilot_get_org_usage.',
      input: { org },
      output: shape({ ...period, days: many(Day) }),
      *run(input) {
        const { records, ...span } = yield* organizationReport(input)
        return { ...span, days: records.map((day) => ({ ...day, ...sumsOf([day]) })) }
      },
    }),
    get_billing_info: read('GET /orgs/{org}/copilot/billing', {
      says: 'Get the plan and the number of seats: all, active, inactive, added and cancelled in this cycle.',
      input: { org },
      output: Billing,
    }),
    list_seat_assignments: read('GET /orgs/{org}/copilot/billing/seats', {
      says: 'List the members with a seat, with their last activity and the editor they used.',
      input: { org },
      at: 'seats',
      list: Seat,
    }),
    get_seat_details: read('GET /orgs/{org}/members/{username}/copilot', {
      says: 'Get one member’s seat and last activity.',
      input: { org, username: text('Login, e.g. octocat') },
      output: Seat,
    }),
    add_seats: write('POST /orgs/{org}/copilot/billing/selected_users', {
      says: 'Assign seats to members. Each seat is billed.',
      input: { org, selected_usernames },
      output: shape({ seats_created: num() }),
    }),
    remove_seats: destroy('DELETE /orgs/{org}/copilot/billing/selected_users', {
      says: 'Remove the seats of members at the end of the billing cycle.',
      input: { org, selected_usernames },
      output: shape({ seats_cancelled: num() }),
    }),
    list_inactive_seats: read.steps({
      says: 'List seats without activity for a number of days, at most 200, and their total number.',
      input: { org, days_inactive: whole('e.g. 30').default(30) },
      output: Inactive,
      *run({ org: of, days_inactive }) {
        const { seats, total, at } = yield* allSeats(of)
        const before = at - days_inactive * 86_400_000
        const idle = seats.filter(({ last_activity_at: last }) => typeof last !== 'string' || Date.parse(last) < before)
        return { seats: total, inactive: idle.length, list: idle }
      },
    }),
    get_org_config: read('GET /orgs/{org}/copilot/billing', {
      says: 'Get the settings of the organization: public code suggestions, chat, command line and seat assignment.',
      input: { org },
      output: shape(policy),
    }),
    get_content_exclusions: read('GET /orgs/{org}/copilot/content_exclusion', {
      says: 'Get the paths that Copilot ignores, by repository.',
      input: { org },
      output: shape({ exclusions: free() }),
      give: (body) => ({ exclusions: body }),
    }),
    list_audit_events: read('GET /orgs/{org}/audit-log', {
      says: 'List Copilot audit events, newest first. Available only with GitHub Enterprise Cloud.',
      input: { org, phrase: text('Search phrase, e.g. action:copilot.cfb_seat_added').default('action:copilot') },
      paging: link('after', { name: 'per_page', default: 30, max: 100 }),
      list: Event,
      scopes: ['read:audit_log'],
    }),
    get_normalized_metrics: read.steps({
      says: 'Get users, seats, suggestions and lines in the format that all coding-tool connectors share.',
      input: report,
      output: codingMetrics(
        'active_users',
        'seats',
        'requests',
        'suggestions',
        'acceptances',
        'lines_suggested',
        'lines_accepted',
        'models',
      ),
      *run(input) {
        const { records, ...span } = yield* organizationReport(input)
        const { body } = yield* ask('GET /orgs/{org}/copilot/billing', { org: input.org })
        return { ...span, ...metricsOf(records), seats: get(body, 'seat_breakdown.total') }
      },
    }),
  },
})

interface Computed {
  readonly output: ReturnType<typeof shape>
  of(records: Report['records']): Json
}

/** A tool that counts over an organization's report. */
function computed(says: string, { output, of }: Computed) {
  return read.steps({
    says,
    input: report,
    output,
    *run(input) {
      const { records, ...span } = yield* organizationReport(input)
      return { ...span, ...of(records) }
    },
  })
}

/** One page of what is here whole. */
function slice(records: Report['records'], { page, per_page }: { page: number; per_page: number }) {
  const items = records.slice((page - 1) * per_page, page * per_page)
  return { items, next_page: page * per_page < records.length ? page + 1 : undefined }
}

function weeksOf(records: Report['records']): readonly Json[] {
  const weeks = Array.from({ length: Math.ceil(records.length / 7) }, (_, index) =>
    records.slice(index * 7, index * 7 + 7),
  )
  return weeks.map((week) => {
    const active = week.map((day) => Number(day['daily_active_users'])).filter(Number.isFinite)
    const most = active.length === 0 ? undefined : Math.max(...active)
    return { from: week[0]?.['day'], to: week.at(-1)?.['day'], most_active_users: most, ...sumsOf(week) }
  })
}

const shareOf = (part: unknown, whole: unknown): number | undefined =>
  Number(whole) > 0 ? Math.round((Number(part) / Number(whole)) * 1000) / 1000 : undefined

const SEATS_A_PAGE = 100
const MOST_SEATS = 10_000

function* allSeats(of: string): Run<{ seats: readonly Json[]; total: unknown; at: number }> {
  const seats: Json[] = []
  for (let page = 1; ; page += 1) {
    const { body, at } = yield* ask('GET /orgs/{org}/copilot/billing/seats', { org: of, per_page: SEATS_A_PAGE, page })
    const found = get(body, 'seats')
    const pageSeats = Array.isArray(found) ? (found as Json[]) : []
    seats.push(...pageSeats)
    if (pageSeats.length < SEATS_A_PAGE || seats.length >= MOST_SEATS)
      return { seats, total: get(body, 'total_seats'), at }
  }
}

function metricsOf(records: Report['records']): Json {
  const { interactions, suggestions, acceptances, lines_suggested, lines_added } = sumsOf(records)
  const last = records.at(-1)
  const models = sumsBy(partsOf(records, 'totals_by_model_feature'), 'model')
  return {
    active_users: last?.['monthly_active_users'] ?? last?.['daily_active_users'],
    requests: interactions,
    suggestions,
    acceptances,
    lines_suggested,
    lines_accepted: lines_added,
    models: models.map((model) => ({ model: model['model'], requests: model['interactions'] })),
  }
}
