/** Claude Code: usage, costs, members, workspaces and keys of an Anthropic organization. Admin API with an admin key. */
import {
  changed,
  choice,
  codingMetrics,
  get,
  many,
  maybe,
  num,
  refusal,
  rest,
  shape,
  str,
  strs,
  sumOf,
  text,
  token,
  vendor,
  type Json,
} from '../kit/index.ts'

const size = { name: 'per_page', as: 'limit', default: 30, max: 100 }
const { read, write, destroy, ask } = rest({
  base: 'https://api.anthropic.com',
  headers: { 'anthropic-version': '2023-06-01' },
  paging: token('last_id', 'after_id', size, 'has_more'),
})
/** Reports are paged by buckets of a day. */
const buckets = token('next_page', 'page', { ...size, default: 7, max: 31 }, 'has_more')

const period = {
  start_date: text('First day, e.g. 2026-11-01'),
  end_date: text('Day after the last one, e.g. 2026-12-01'),
}
type Period = { start_date: string; end_date: string }
const moment = (date: string): string => {
  const time = Date.parse(date)
  if (Number.isNaN(time)) throw refusal('INVALID_ARGUMENT', 'start_date and end_date must be dates, e.g. 2026-11-01.')
  return new Date(time).toISOString().replace('.000Z', 'Z')
}
const times = ({ start_date, end_date }: Period) => ({ starting_at: moment(start_date), ending_at: moment(end_date) })
const byModel = (input: Period) => ({ ...times(input), bucket_width: '1d', 'group_by[]': ['model'] })

const user = { user_id: text('From claude_code_list_users, e.g. user_01WCz1FkmYMm4gnmykNKUu3Q') }
const workspace = { workspace_id: text('From claude_code_list_workspaces, e.g. wrkspc_01JwQvzr7rXLA5AGx3HKfFUJ') }
const role = choice(['user', 'developer', 'billing', 'claude_code_user', 'managed'])

const Usage = shape({
  from: str('starting_at'),
  to: str('ending_at'),
  results: many(
    shape({
      model: str(),
      input_tokens: num('uncached_input_tokens'),
      cache_read_tokens: num('cache_read_input_tokens'),
      output_tokens: num(),
      web_searches: num('server_tool_use.web_search_requests'),
    }),
    'results',
    50,
  ),
})
const Costs = shape({
  from: str('starting_at'),
  to: str('ending_at'),
  results: many(
    shape({ cents: num('amount'), currency: str(), description: str(), model: str(), type: str('cost_type') }),
    'results',
    50,
  ),
})
const Productivity = shape({
  date: str(),
  email: str('actor.email_address'),
  api_key: str('actor.api_key_name'),
  terminal: str('terminal_type'),
  sessions: num('core_metrics.num_sessions'),
  lines_added: num('core_metrics.lines_of_code.added'),
  lines_removed: num('core_metrics.lines_of_code.removed'),
  commits: num('core_metrics.commits_by_claude_code'),
  pull_requests: num('core_metrics.pull_requests_by_claude_code'),
  edits_accepted: num('tool_actions.edit_tool.accepted'),
  edits_rejected: num('tool_actions.edit_tool.rejected'),
  models: strs('model_breakdown[].model'),
})
const Organization = shape({ id: str(), name: str() })
const User = shape({ id: str(), name: str(), email: str(), role: str(), added_at: str() })
const Deleted = shape({ id: str(), type: str() })
const Invite = shape({ id: str(), email: str(), role: str(), status: str(), invited_at: str(), expires_at: str() })
const Workspace = shape({ id: str(), name: str(), created_at: str(), archived_at: str() })
const Key = shape({
  id: str(),
  name: str(),
  hint: str('partial_key_hint'),
  status: str(),
  workspace: str('scope.workspace_id'),
  created_by: str('created_by.id'),
  created_at: str(),
})
const Member = shape({ user_id: str(), workspace_id: str(), role: str('workspace_role') })

export const claude_code = vendor({
  id: 'claude_code',
  auth: { key: { in: 'header', name: 'x-api-key' } },
  scopes: {},
  whoami: 'get_org_info',
  tools: {
    get_usage: read('GET /v1/organizations/usage_report/messages', {
      says: 'Get the organization’s token usage by day and model.',
      input: period,
      send: byModel,
      paging: buckets,
      at: 'data',
      list: Usage,
    }),
    get_cost_breakdown: read('GET /v1/organizations/cost_report', {
      says: 'Get the organization’s costs by day, in cents, grouped by purpose.',
      input: period,
      send: (input) => ({ ...times(input), 'group_by[]': ['description'] }),
      paging: buckets,
      at: 'data',
      list: Costs,
    }),
    get_code_analytics: read('GET /v1/organizations/usage_report/claude_code', {
      says: 'Get each user’s Claude Code activity on one day: sessions, lines, commits and accepted edits.',
      input: { start_date: text('The day, e.g. 2026-11-01') },
      send: ({ start_date }) => ({ starting_at: start_date }),
      paging: token('next_page', 'page', { ...size, max: 1_000 }, 'has_more'),
      at: 'data',
      list: Productivity,
    }),
    get_org_info: read('GET /v1/organizations/me', {
      says: 'Get the name of the organization that the key belongs to.',
      output: Organization,
    }),
    list_users: read('GET /v1/organizations/users', {
      says: 'List the members of the organization with their roles.',
      at: 'data',
      list: User,
    }),
    update_user_role: write('POST /v1/organizations/users/{user_id}', {
      says: 'Change the role of a member. The role admin cannot be assigned through the API.',
      input: { ...user, role },
      output: User,
    }),
    remove_user: destroy('DELETE /v1/organizations/users/{user_id}', {
      says: 'Remove a member from the organization.',
      input: user,
      output: Deleted,
    }),
    list_invites: read('GET /v1/organizations/invites', {
      says: 'List the organization’s invitations with their states.',
      at: 'data',
      list: Invite,
    }),
    create_invite: write('POST /v1/organizations/invites', {
      says: 'Invite a person to the organization by email.',
      input: { email: text('e.g. ada@example.com'), role },
      output: Invite,
    }),
    delete_invite: destroy('DELETE /v1/organizations/invites/{invite_id}', {
      says: 'Withdraw an invitation that has not been accepted.',
      input: { invite_id: text('From claude_code_list_invites, e.g. invite_015gWxCN9Hfg2QhZwTK7Mdeu') },
      output: Deleted,
    }),
    list_workspaces: read('GET /v1/organizations/workspaces', {
      says: 'List the workspaces in the organization that are not archived.',
      at: 'data',
      list: Workspace,
    }),
    get_workspace: read('GET /v1/organizations/workspaces/{workspace_id}', {
      says: 'Get the name and state of a workspace.',
      input: workspace,
      output: Workspace,
    }),
    list_api_keys: read('GET /v1/organizations/api_keys', {
      says: 'List the organization’s API keys; values are not shown.',
      at: 'data',
      list: Key,
    }),
    update_api_key: write('POST /v1/organizations/api_keys/{api_key_id}', {
      says: 'Rename an API key or change its status. An inactive key can be reactivated.',
      input: {
        api_key_id: text('From claude_code_list_api_keys, e.g. apikey_01Rj2N8SVvo6BePZj99NhmiT'),
        name: maybe('New name'),
        status: choice(['active', 'inactive', 'archived']).optional(),
      },
      send: ({ api_key_id, ...members }) => ({ api_key_id, ...changed(members) }),
      output: Key,
    }),
    create_workspace: write('POST /v1/organizations/workspaces', {
      says: 'Create a workspace. The API does not support a description.',
      input: { name: text('e.g. Data team') },
      output: Workspace,
    }),
    list_workspace_members: read('GET /v1/organizations/workspaces/{workspace_id}/members', {
      says: 'List the members of a workspace with their roles.',
      input: workspace,
      at: 'data',
      list: Member,
    }),
    add_workspace_member: write('POST /v1/organizations/workspaces/{workspace_id}/members', {
      says: 'Add a member of the organization to a workspace.',
      input: {
        ...workspace,
        ...user,
        role: choice([
          'workspace_user',
          'workspace_developer',
          'workspace_restricted_developer',
          'workspace_admin',
        ]).default('workspace_user'),
      },
      send: ({ role: workspace_role, ...rest }) => ({ ...rest, workspace_role }),
      output: Member,
    }),
    get_normalized_metrics: read.steps({
      says: 'Get users, sessions, lines, tokens, cost and models in the format that all coding-tool connectors share; users and sessions cover only the first day.',
      input: period,
      output: codingMetrics(
        'active_users',
        'sessions',
        'lines_accepted',
        'commits',
        'pull_requests',
        'input_tokens',
        'output_tokens',
        'cost_usd',
        'models',
      ),
      *run(input) {
        const used = yield* ask('GET /v1/organizations/usage_report/messages', { ...byModel(input), limit: 31 })
        const costs = yield* ask('GET /v1/organizations/cost_report', { ...times(input), limit: 31 })
        const day = yield* ask('GET /v1/organizations/usage_report/claude_code', {
          starting_at: input.start_date,
          limit: 1_000,
        })
        const results = listOf(used.body, 'data[].results').flat()
        const people = listOf(day.body, 'data')
        const cents = sumOf(listOf(costs.body, 'data[].results').flat(), (result) => get(result, 'amount'))
        return {
          from: input.start_date,
          to: input.end_date,
          active_users: people.length,
          sessions: sumOf(people, (person) => get(person, 'core_metrics.num_sessions')),
          lines_accepted: sumOf(people, (person) => get(person, 'core_metrics.lines_of_code.added')),
          commits: sumOf(people, (person) => get(person, 'core_metrics.commits_by_claude_code')),
          pull_requests: sumOf(people, (person) => get(person, 'core_metrics.pull_requests_by_claude_code')),
          input_tokens: sumOf(results, (result) => get(result, 'uncached_input_tokens')),
          output_tokens: sumOf(results, (result) => get(result, 'output_tokens')),
          cost_usd: cents === undefined ? undefined : cents / 100,
          models: modelsOf(results),
        }
      },
    }),
  },
})

const listOf = (body: unknown, path: string): readonly unknown[] => {
  const found = get(body, path)
  return Array.isArray(found) ? found : []
}

function modelsOf(results: readonly unknown[]): Json[] {
  const names = [...new Set(results.map((result) => get(result, 'model')).filter((value) => typeof value === 'string'))]
  return names.map((model) => {
    const own = results.filter((result) => get(result, 'model') === model)
    return {
      model,
      tokens: sumOf(
        own,
        (value) => Number(get(value, 'uncached_input_tokens') ?? 0) + Number(get(value, 'output_tokens') ?? 0),
      ),
    }
  })
}
