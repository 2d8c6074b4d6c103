/** Cursor: members, spend, usage and analytics of a team. Admin and Analytics API; the key is the user name of Basic authentication. */
import { z } from 'zod'
import {
  bool,
  codingMetrics,
  free,
  get,
  isJson,
  many,
  maybe,
  num,
  page,
  refusal,
  rest,
  shape,
  str,
  strs,
  sumOf,
  text,
  vendor,
  type Json,
} from '../kit/index.ts'

const { read, write, destroy, ask } = rest({
  base: 'https://api.cursor.com',
  paging: page('pagination.hasNextPage', 'page', { name: 'per_page', as: 'pageSize', default: 30, max: 100 }),
})

const period = { start_date: text('First day, e.g. 2026-11-01'), end_date: text('Last day, e.g. 2026-11-30') }
type Period = { start_date: string; end_date: string }
const dates = ({ start_date, end_date }: Period) => ({ startDate: start_date, endDate: end_date })

/** Reports of members take milliseconds since 1970 and at most 30 days. */
const milliseconds = ({ start_date, end_date }: Period) => {
  const [startDate, endDate] = [Date.parse(start_date), Date.parse(end_date)]
  if (Number.isNaN(startDate) || Number.isNaN(endDate))
    throw refusal('INVALID_ARGUMENT', 'start_date and end_date must be dates, e.g. 2026-11-01.')
  return { startDate, endDate }
}

const Lines = {
  green_lines_accepted: num('total_green_lines_accepted'),
  red_lines_accepted: num('total_red_lines_accepted'),
  lines_suggested: num('total_lines_suggested'),
  lines_accepted: num('total_lines_accepted'),
}
const Edits = shape({
  date: str('event_date'),
  suggested: num('total_suggested_diffs'),
  accepted: num('total_accepted_diffs'),
  rejected: num('total_rejected_diffs'),
  ...Lines,
})
const Tabs = shape({
  date: str('event_date'),
  suggestions: num('total_suggestions'),
  accepts: num('total_accepts'),
  rejects: num('total_rejects'),
  ...Lines,
})
const Active = shape({
  date: str(),
  users: num('dau'),
  cli: num('cli_dau'),
  cloud: num('cloud_agent_dau'),
  bugbot: num('bugbot_dau'),
})
const Models = shape({ date: str(), models: free('model_breakdown') })
const Extensions = shape({
  date: str('event_date'),
  extension: str('file_extension'),
  files: num('total_files'),
  accepts: num('total_accepts'),
  lines_suggested: num('total_lines_suggested'),
  lines_accepted: num('total_lines_accepted'),
})
const Mcp = shape({
  date: str('event_date'),
  tool: str('tool_name'),
  server: str('mcp_server_name'),
  uses: num('usage'),
})
const Commands = shape({ date: str('event_date'), command: str('command_name'), uses: num('usage') })
const Ranked = shape({
  rank: num(),
  email: str(),
  accepts: num('total_accepts'),
  lines_accepted: num('total_lines_accepted'),
  lines_suggested: num('total_lines_suggested'),
  accept_ratio: num(),
})
const Leaderboard = shape({
  tab: many(Ranked, 'data.tab_leaderboard.data', 30),
  agent: many(Ranked, 'data.agent_leaderboard.data', 30),
})
const Daily = shape({
  day: str(),
  email: str(),
  active: bool('isActive'),
  lines_added: num('totalLinesAdded'),
  lines_accepted: num('acceptedLinesAdded'),
  tabs_shown: num('totalTabsShown'),
  tabs_accepted: num('totalTabsAccepted'),
  composer: num('composerRequests'),
  chat: num('chatRequests'),
  agent: num('agentRequests'),
  model: str('mostUsedModel'),
})
const Event = shape({
  time: str('timestamp'),
  email: str('userEmail'),
  model: str(),
  kind: str(),
  requests: num('requestsCosts'),
  input_tokens: num('tokenUsage.inputTokens'),
  output_tokens: num('tokenUsage.outputTokens'),
  charged_cents: num('chargedCents'),
})
const Versions = shape({
  date: str('event_date'),
  version: str('client_version'),
  users: num('user_count'),
  share: num('percentage'),
})
const Member = shape({ id: str(), email: str(), name: str(), role: str(), removed: bool('isRemoved') })
const Removed = shape({ success: bool(), user_id: str('userId'), has_billing_usage: bool('hasBillingCycleUsage') })
const Spend = shape({
  user_id: str('userId'),
  name: str(),
  email: str(),
  role: str(),
  spend_cents: num('spendCents'),
  overall_cents: num('overallSpendCents'),
  premium_requests: num('fastPremiumRequests'),
  limit_usd: num('monthlyLimitDollars'),
})
const Limit = shape({ outcome: str(), message: str() })
const Audit = shape({
  id: str('event_id'),
  time: str('timestamp'),
  email: str('user_email'),
  ip: str('ip_address'),
  type: str('event_type'),
  data: free('event_data'),
})
const Blocklist = shape({ repositories: many(shape({ url: str(), patterns: strs() }), 'repos') })

/** A report by day, whole: the vendor has no pages for these. */
const report = { input: period, send: dates, at: 'data', paging: false } as const

const byUser = { user_id: text('Email address of the member, e.g. ada@example.com') }

export const cursor = vendor({
  id: 'cursor',
  auth: { key: { in: 'basic-user', name: 'authorization' } },
  scopes: {},
  whoami: 'list_members',
  tools: {
    get_agent_edits: read('GET /analytics/team/agent-edits', {
      says: 'Get the number of edits that the agent suggested and that people accepted, by day.',
      ...report,
      list: Edits,
    }),
    get_tab_usage: read('GET /analytics/team/tabs', {
      says: 'Get tab completion usage by day.',
      ...report,
      list: Tabs,
    }),
    get_daily_active_users: read('GET /analytics/team/dau', {
      says: 'Get the number of active users by day.',
      ...report,
      list: Active,
    }),
    get_model_usage: read('GET /analytics/team/models', {
      says: 'Get the usage of each model by day.',
      ...report,
      list: Models,
    }),
    get_top_file_extensions: read('GET /analytics/team/top-file-extensions', {
      says: 'Get the file types that were edited most, by day.',
      ...report,
      list: Extensions,
    }),
    get_mcp_adoption: read('GET /analytics/team/mcp', {
      says: 'Get MCP tool usage by day and server.',
      ...report,
      list: Mcp,
    }),
    get_commands_adoption: read('GET /analytics/team/commands', {
      says: 'Get command usage by day.',
      ...report,
      list: Commands,
    }),
    get_leaderboard: read('GET /analytics/team/leaderboard', {
      says: 'Get the top 30 members by accepted completions and by agent edits.',
      input: period,
      send: dates,
      output: Leaderboard,
    }),
    get_daily_usage_data: read('POST /teams/daily-usage-data', {
      says: 'Get each member’s figures by day, for at most 30 days.',
      input: period,
      send: milliseconds,
      at: 'data',
      list: Daily,
    }),
    get_usage_events: read('POST /teams/filtered-usage-events', {
      says: 'List individual uses with model, tokens and cost, of all members or of one.',
      input: {
        ...period,
        user_ids: z.array(z.int()).max(1).optional().describe('Number of one member, e.g. 12345678'),
      },
      send: ({ user_ids, ...range }) => ({ ...milliseconds(range), userId: user_ids?.[0] }),
      at: 'usageEvents',
      list: Event,
    }),
    get_client_versions: read('GET /analytics/team/client-versions', {
      says: 'Get the versions of the client in use by day.',
      ...report,
      list: Versions,
    }),
    list_members: read('GET /teams/members', {
      says: 'List the members of the team with their roles.',
      at: 'teamMembers',
      paging: false,
      list: Member,
    }),
    remove_member: destroy('POST /teams/remove-member', {
      says: 'Remove a member from the team.',
      input: byUser,
      send: ({ user_id }) => (user_id.includes('@') ? { email: user_id } : { userId: user_id }),
      output: Removed,
    }),
    get_spending: read('POST /teams/spend', {
      says: 'List the spend of each member in the current billing cycle; other periods are not available.',
      at: 'teamMemberSpend',
      paging: page('totalPages', 'page', { name: 'per_page', as: 'pageSize', default: 30, max: 100 }),
      list: Spend,
    }),
    set_user_spend_limit: write('POST /teams/user-spend-limit', {
      says: 'Set the monthly spend limit of a member, in whole US dollars.',
      input: { ...byUser, limit_usd: z.int().min(0).describe('US dollars, e.g. 50') },
      send: ({ user_id, limit_usd }) => ({ userEmail: user_id, spendLimitDollars: limit_usd }),
      output: Limit,
    }),
    list_audit_events: read('GET /teams/audit-logs', {
      says: 'List the team’s audit events, for at most 30 days.',
      input: { start_date: maybe('First day, e.g. 2026-11-01'), end_date: maybe('Last day, e.g. 2026-11-30') },
      send: ({ start_date, end_date }) => ({ startTime: start_date, endTime: end_date }),
      at: 'events',
      list: Audit,
    }),
    get_repo_blocklists: read('GET /settings/repo-blocklists/repos', {
      says: 'Get the repositories and paths that Cursor may not index.',
      output: Blocklist,
    }),
    get_normalized_metrics: read.steps({
      says: 'Get active users, seats, cost and models in the format that all coding-tool connectors share.',
      input: period,
      output: codingMetrics('active_users', 'seats', 'cost_usd', 'models'),
      *run(input) {
        const active = yield* ask('GET /analytics/team/dau', dates(input))
        const spend = yield* ask('POST /teams/spend', { page: 1, pageSize: 100 }, { reads: true })
        const members = yield* ask('GET /teams/members')
        const models = yield* ask('GET /analytics/team/models', dates(input))
        const days = listOf(active.body, 'data').map((day) => Number(get(day, 'dau')))
        const cents = sumOf(listOf(spend.body, 'teamMemberSpend'), (value) => get(value, 'spendCents'))
        return {
          from: input.start_date,
          to: input.end_date,
          active_users: days.length === 0 ? undefined : Math.max(...days.filter(Number.isFinite)),
          seats: listOf(members.body, 'teamMembers').filter((teamMember) => get(teamMember, 'isRemoved') !== true)
            .length,
          cost_usd: cents === undefined ? undefined : cents / 100,
          models: modelsOf(listOf(models.body, 'data')),
        }
      },
    }),
  },
})

const listOf = (body: unknown, path: string): readonly unknown[] => {
  const found = get(body, path)
  return Array.isArray(found) ? found : []
}

/** `model_breakdown` of each day: the messages of each model. */
function modelsOf(days: readonly unknown[]): Json[] {
  const sums = new Map<string, number>()
  for (const day of days) {
    const models = get(day, 'model_breakdown')
    for (const [model, facts] of Object.entries(isJson(models) ? models : {}))
      sums.set(model, (sums.get(model) ?? 0) + (Number(get(facts, 'messages')) || 0))
  }
  return [...sums].map(([model, requests]) => ({ model, requests }))
}
