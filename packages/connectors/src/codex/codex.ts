/** OpenAI Codex: usage, costs, members, projects and audit events of an OpenAI organization. Administration API with an admin key. */
import {
  bool,
  choice,
  codingMetrics,
  flag,
  get,
  many,
  num,
  rest,
  shape,
  str,
  sumOf,
  text,
  texts,
  token,
  vendor,
  whole,
  type Json,
} from '../kit/index.ts'

const size = { name: 'limit', default: 20, max: 100 }
const { read, write, destroy, ask } = rest({
  base: 'https://api.openai.com/v1',
  paging: token('last_id', 'after', size, 'has_more'),
})
/** Reports are paged by buckets of time. */
const buckets = token('next_page', 'page', undefined, 'has_more')

const start_time = whole('Start time, in seconds since 1970, e.g. 1793491200')
const period = { start_time, end_time: whole('End time, in seconds since 1970').optional() }
const bucket_width = choice(['1m', '1h', '1d']).optional()
const project_ids = texts('Only these projects, e.g. proj_abc')
const group_by = (examples: string) => texts(`Fields to group by, e.g. ${examples}`)
const usage = {
  ...period,
  bucket_width,
  project_ids,
  user_ids: texts('Only these users, e.g. user-abc'),
  api_key_ids: texts('Only these keys, e.g. key_abc'),
  models: texts('Only these models, e.g. gpt-5-codex'),
  group_by: group_by('model, project_id'),
}
const user = { user_id: text('From codex_list_users, e.g. user-abc') }
const project = { project_id: text('From codex_list_projects, e.g. proj_abc') }
const role = choice(['owner', 'reader'])

const bucket = (results: ReturnType<typeof shape>) =>
  shape({ from: num('start_time'), to: num('end_time'), results: many(results, 'results', 50) })
const Completions = bucket(
  shape({
    input_tokens: num(),
    input_cached_tokens: num(),
    output_tokens: num(),
    requests: num('num_model_requests'),
    project_id: str(),
    user_id: str(),
    model: str(),
  }),
)
const Embeddings = bucket(
  shape({ input_tokens: num(), requests: num('num_model_requests'), project_id: str(), user_id: str(), model: str() }),
)
const Sessions = bucket(shape({ sessions: num('num_sessions'), project_id: str() }))
const Costs = bucket(
  shape({ amount: num('amount.value'), currency: str('amount.currency'), line_item: str(), project_id: str() }),
)
const User = shape({ id: str(), name: str(), email: str(), role: str(), added_at: num() })
const Deleted = shape({ id: str(), deleted: bool() })
const Invite = shape({ id: str(), email: str(), role: str(), status: str(), created_at: num(), expires_at: num() })
const Project = shape({ id: str(), name: str(), status: str(), created_at: num(), archived_at: num() })
const Key = shape({
  id: str(),
  name: str(),
  redacted_value: str(),
  created_at: num(),
  last_used_at: num(),
  owner: str('owner.user.email'),
  service_account: str('owner.service_account.name'),
})
const Audit = shape({
  id: str(),
  type: str(),
  effective_at: num(),
  project: str('project.name'),
  actor: str('actor.type'),
  email: str('actor.session.user.email'),
  ip: str('actor.session.ip_address'),
})
const Account = shape({ id: str(), name: str(), role: str(), created_at: num() })

export const codex = vendor({
  id: 'codex',
  auth: { key: { in: 'header', name: 'authorization', prefix: 'Bearer ' } },
  scopes: {},
  whoami: 'list_projects',
  quota: { left: 'x-ratelimit-remaining-requests', resets: 'x-ratelimit-reset-requests', unit: 'from-now' },
  tools: {
    get_completions_usage: read('GET /organization/usage/completions', {
      says: 'Get token usage of completions in time buckets, in total or grouped.',
      input: usage,
      paging: buckets,
      at: 'data',
      list: Completions,
    }),
    get_cost_breakdown: read('GET /organization/costs', {
      says: 'Get costs by day in the billing currency, in total or grouped. Only daily buckets are available.',
      input: {
        ...period,
        bucket_width: choice(['1d']).optional(),
        project_ids,
        group_by: group_by('line_item, project_id'),
      },
      paging: buckets,
      at: 'data',
      list: Costs,
    }),
    get_embeddings_usage: read('GET /organization/usage/embeddings', {
      says: 'Get token usage of embeddings in time buckets, in total or grouped.',
      input: usage,
      paging: buckets,
      at: 'data',
      list: Embeddings,
    }),
    get_code_interpreter_usage: read('GET /organization/usage/code_interpreter_sessions', {
      says: 'Get the number of code interpreter sessions in time buckets.',
      input: { ...period, bucket_width, project_ids, group_by: group_by('project_id') },
      paging: buckets,
      at: 'data',
      list: Sessions,
    }),
    list_users: read('GET /organization/users', {
      says: 'List the members of the organization with their roles.',
      at: 'data',
      list: User,
    }),
    modify_user: write('POST /organization/users/{user_id}', {
      says: 'Change the role of a member.',
      input: { ...user, role },
      output: User,
    }),
    delete_user: destroy('DELETE /organization/users/{user_id}', {
      says: 'Remove a member from the organization.',
      input: user,
      output: Deleted,
    }),
    list_invites: read('GET /organization/invites', {
      says: 'List the organization’s invitations with their states.',
      at: 'data',
      list: Invite,
    }),
    create_invite: write('POST /organization/invites', {
      says: 'Invite a person to the organization by email.',
      input: { email: text('e.g. ada@example.com'), role },
      output: Invite,
    }),
    list_projects: read('GET /organization/projects', {
      says: 'List the projects in the organization.',
      input: { include_archived: flag('Include archived projects') },
      at: 'data',
      list: Project,
    }),
    get_project: read('GET /organization/projects/{project_id}', {
      says: 'Get the name and state of a project.',
      input: project,
      output: Project,
    }),
    create_project: write('POST /organization/projects', {
      says: 'Create a project in the organization.',
      input: { name: text('e.g. Data team') },
      output: Project,
    }),
    list_project_api_keys: read('GET /organization/projects/{project_id}/api_keys', {
      says: 'List the API keys of a project; values are redacted.',
      input: project,
      at: 'data',
      list: Key,
    }),
    list_audit_events: read('GET /organization/audit_logs', {
      says: 'List the organization’s audit events, filtered by time, project, type or actor.',
      input: {
        effective_at_start: whole('Not before, in seconds since 1970').optional(),
        effective_at_end: whole('Before, in seconds since 1970').optional(),
        project_ids,
        event_types: texts('e.g. api_key.created'),
        actor_ids: texts('e.g. user-abc'),
        actor_emails: texts('e.g. ada@example.com'),
      },
      send: ({ effective_at_start, effective_at_end, ...lists }) => ({
        'effective_at[gte]': effective_at_start,
        'effective_at[lt]': effective_at_end,
        ...Object.fromEntries(Object.entries(lists).map(([name, value]) => [`${name}[]`, value])),
      }),
      at: 'data',
      list: Audit,
    }),
    list_service_accounts: read('GET /organization/projects/{project_id}/service_accounts', {
      says: 'List the service accounts of a project.',
      input: project,
      at: 'data',
      list: Account,
    }),
    get_normalized_metrics: read.steps({
      says: 'Get requests, tokens, cost and models in the format that all coding-tool connectors share, for at most 31 days.',
      input: period,
      output: codingMetrics('requests', 'input_tokens', 'output_tokens', 'cost_usd', 'models'),
      *run({ start_time: from, end_time: to }) {
        const sent = { start_time: from, end_time: to, bucket_width: '1d', limit: 31 }
        const used = yield* ask('GET /organization/usage/completions', { ...sent, group_by: ['model'] })
        const costs = yield* ask('GET /organization/costs', sent)
        const results = resultsOf(used.body)
        return {
          from: dayOf(from),
          to: dayOf(to),
          requests: sumOf(results, (result) => get(result, 'num_model_requests')),
          input_tokens: sumOf(results, (result) => get(result, 'input_tokens')),
          output_tokens: sumOf(results, (result) => get(result, 'output_tokens')),
          cost_usd: sumOf(resultsOf(costs.body), (result) => get(result, 'amount.value')),
          models: modelsOf(results),
        }
      },
    }),
  },
})

const dayOf = (seconds: number | undefined) =>
  seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().slice(0, 10)

const resultsOf = (body: unknown): readonly unknown[] => {
  const found = get(body, 'data[].results')
  return Array.isArray(found) ? found.flat() : []
}

function modelsOf(results: readonly unknown[]): Json[] {
  const names = [...new Set(results.map((result) => get(result, 'model')).filter((value) => typeof value === 'string'))]
  return names.map((model) => {
    const own = results.filter((result) => get(result, 'model') === model)
    const tokens = sumOf(
      own,
      (value) => Number(get(value, 'input_tokens') ?? 0) + Number(get(value, 'output_tokens') ?? 0),
    )
    return { model, requests: sumOf(own, (value) => get(value, 'num_model_requests')), tokens }
  })
}
