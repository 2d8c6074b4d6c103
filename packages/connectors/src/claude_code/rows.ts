/** The cases of Claude Code: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const period = { start_date: '2026-11-01', end_date: '2026-12-01' }
const times = 'starting_at=2026-11-01T00%3A00%3A00Z&ending_at=2026-12-01T00%3A00%3A00Z'
const base = '/v1/organizations'
const list = (path: string, input: object = {}) =>
  [
    [{ ...input }, `GET ${base}${path}?limit=30`],
    [{ ...input, per_page: 5 }, `GET ${base}${path}?limit=5`],
  ] as const

export const rows: VendorRows = {
  described: ['anthropic-admin.json'],
  failures: [
    {
      status: 401,
      body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
      word: 'NEEDS_AUTH',
    },
    {
      status: 529,
      body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      word: 'UNAVAILABLE',
    },
  ],
  tools: {
    get_usage: [
      [period, `GET ${base}/usage_report/messages?${times}&bucket_width=1d&group_by[]=model&limit=7`],
      [
        { ...period, per_page: 31 },
        `GET ${base}/usage_report/messages?${times}&bucket_width=1d&group_by[]=model&limit=31`,
      ],
    ],
    get_cost_breakdown: [
      [period, `GET ${base}/cost_report?${times}&group_by[]=description&limit=7`],
      [{ ...period, per_page: 31 }, `GET ${base}/cost_report?${times}&group_by[]=description&limit=31`],
    ],
    get_code_analytics: [
      [{ start_date: '2026-11-01' }, `GET ${base}/usage_report/claude_code?starting_at=2026-11-01&limit=30`],
      [
        { start_date: '2026-11-01', per_page: 1000 },
        `GET ${base}/usage_report/claude_code?starting_at=2026-11-01&limit=1000`,
      ],
    ],
    get_org_info: [[{}, `GET ${base}/me`]],
    list_users: list('/users'),
    update_user_role: [[{ user_id: 'u', role: 'developer' }, [`POST ${base}/users/u`, { role: 'developer' }]]],
    remove_user: [[{ user_id: 'u' }, `DELETE ${base}/users/u`]],
    list_invites: list('/invites'),
    create_invite: [
      [
        { email: 'ada@example.com', role: 'user' },
        [`POST ${base}/invites`, { email: 'ada@example.com', role: 'user' }],
      ],
    ],
    delete_invite: [[{ invite_id: 'i' }, `DELETE ${base}/invites/i`]],
    list_workspaces: list('/workspaces'),
    get_workspace: [[{ workspace_id: 'w' }, `GET ${base}/workspaces/w`]],
    list_api_keys: list('/api_keys'),
    update_api_key: [
      [{ api_key_id: 'k', name: 'n' }, [`POST ${base}/api_keys/k`, { name: 'n' }]],
      [
        { api_key_id: 'k', name: 'n', status: 'inactive' },
        [`POST ${base}/api_keys/k`, { name: 'n', status: 'inactive' }],
      ],
    ],
    create_workspace: [[{ name: 'n' }, [`POST ${base}/workspaces`, { name: 'n' }]]],
    list_workspace_members: list('/workspaces/w/members', { workspace_id: 'w' }),
    add_workspace_member: [
      [
        { workspace_id: 'w', user_id: 'u' },
        [`POST ${base}/workspaces/w/members`, { user_id: 'u', workspace_role: 'workspace_user' }],
      ],
      [
        { workspace_id: 'w', user_id: 'u', role: 'workspace_admin' },
        [`POST ${base}/workspaces/w/members`, { user_id: 'u', workspace_role: 'workspace_admin' }],
      ],
    ],
    get_normalized_metrics: [
      [
        period,
        `GET ${base}/usage_report/messages?${times}&bucket_width=1d&group_by[]=model&limit=31`,
        `GET ${base}/cost_report?${times}&limit=31`,
        `GET ${base}/usage_report/claude_code?starting_at=2026-11-01&limit=1000`,
      ],
    ],
  },
  answers: {
    get_normalized_metrics: [
      [
        { data: [{ results: [{ model: 'claude-opus', uncached_input_tokens: 5, output_tokens: 2 }] }] },
        { data: [{ results: [{ amount: '123.5', currency: 'USD' }] }] },
        {
          data: [
            {
              core_metrics: {
                num_sessions: 2,
                lines_of_code: { added: 3 },
                commits_by_claude_code: 1,
                pull_requests_by_claude_code: 1,
              },
            },
          ],
        },
      ],
    ],
  },
}
