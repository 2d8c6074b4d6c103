/** The cases of Codex: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const least = { start_time: 1793491200 }
const lists = { project_ids: ['p1', 'p2'], user_ids: ['u'], api_key_ids: ['k'], models: ['m'], group_by: ['model'] }
const fullest = { ...least, end_time: 1796083200, bucket_width: '1d', ...lists }
const query =
  'start_time=1793491200&end_time=1796083200&bucket_width=1d&project_ids=p1&project_ids=p2&user_ids=u&api_key_ids=k&models=m&group_by=model'
const usage = (name: string) =>
  [
    [least, `GET /organization/usage/${name}?start_time=1793491200`],
    [fullest, `GET /organization/usage/${name}?${query}`],
  ] as const
const project = { project_id: 'p1' }
const list = (path: string, input: object = {}) =>
  [
    [{ ...input }, `GET ${path}?limit=20`],
    [{ ...input, limit: 5 }, `GET ${path}?limit=5`],
  ] as const

export const rows: VendorRows = {
  described: ['openai-admin.json'],
  failures: [
    {
      status: 401,
      body: {
        error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
      },
      word: 'NEEDS_AUTH',
    },
    {
      status: 429,
      headers: { 'retry-after': '3' },
      body: { error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' } },
      word: 'RATE_LIMITED',
      retryAfter: 3,
    },
  ],
  tools: {
    get_completions_usage: usage('completions'),
    get_cost_breakdown: [
      [least, 'GET /organization/costs?start_time=1793491200'],
      [
        { ...least, end_time: 1796083200, bucket_width: '1d', project_ids: ['p1'], group_by: ['line_item'] },
        'GET /organization/costs?start_time=1793491200&end_time=1796083200&bucket_width=1d&project_ids=p1&group_by=line_item',
      ],
    ],
    get_embeddings_usage: usage('embeddings'),
    get_code_interpreter_usage: [
      [least, 'GET /organization/usage/code_interpreter_sessions?start_time=1793491200'],
      [
        { ...least, end_time: 1796083200, bucket_width: '1h', project_ids: ['p1'], group_by: ['project_id'] },
        'GET /organization/usage/code_interpreter_sessions?start_time=1793491200&end_time=1796083200&bucket_width=1h&project_ids=p1&group_by=project_id',
      ],
    ],
    list_users: list('/organization/users'),
    modify_user: [[{ user_id: 'u', role: 'reader' }, ['POST /organization/users/u', { role: 'reader' }]]],
    delete_user: [[{ user_id: 'u' }, 'DELETE /organization/users/u']],
    list_invites: list('/organization/invites'),
    create_invite: [
      [
        { email: 'ada@example.com', role: 'owner' },
        ['POST /organization/invites', { email: 'ada@example.com', role: 'owner' }],
      ],
    ],
    list_projects: [
      [{}, 'GET /organization/projects?limit=20'],
      [{ include_archived: true, limit: 5 }, 'GET /organization/projects?include_archived=true&limit=5'],
    ],
    get_project: [[project, 'GET /organization/projects/p1']],
    create_project: [[{ name: 'n' }, ['POST /organization/projects', { name: 'n' }]]],
    list_project_api_keys: list('/organization/projects/p1/api_keys', project),
    list_audit_events: [
      [{}, 'GET /organization/audit_logs?limit=20'],
      [
        {
          effective_at_start: 1,
          effective_at_end: 2,
          project_ids: ['p1', 'p2'],
          event_types: ['api_key.created'],
          actor_ids: ['u'],
          actor_emails: ['ada@example.com'],
          limit: 5,
        },
        'GET /organization/audit_logs?effective_at[gte]=1&effective_at[lt]=2&project_ids[]=p1&project_ids[]=p2&event_types[]=api_key.created&actor_ids[]=u&actor_emails[]=ada%40example.com&limit=5',
      ],
    ],
    list_service_accounts: list('/organization/projects/p1/service_accounts', project),
    get_normalized_metrics: [
      [
        least,
        'GET /organization/usage/completions?start_time=1793491200&bucket_width=1d&limit=31&group_by=model',
        'GET /organization/costs?start_time=1793491200&bucket_width=1d&limit=31',
      ],
      [
        { ...least, end_time: 1796083200 },
        'GET /organization/usage/completions?start_time=1793491200&end_time=1796083200&bucket_width=1d&limit=31&group_by=model',
        'GET /organization/costs?start_time=1793491200&end_time=1796083200&bucket_width=1d&limit=31',
      ],
    ],
  },
  answers: {
    get_normalized_metrics: [
      [
        { data: [{ results: [{ model: 'gpt-5', input_tokens: 5, output_tokens: 2, num_model_requests: 1 }] }] },
        { data: [{ results: [{ amount: { value: 0.06, currency: 'usd' } }] }] },
      ],
    ],
  },
}
