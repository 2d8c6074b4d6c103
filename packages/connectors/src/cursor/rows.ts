/** The cases of Cursor: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const period = { start_date: '2026-11-01', end_date: '2026-11-30' }
const dates = 'startDate=2026-11-01&endDate=2026-11-30'
const numbers = { startDate: 1793491200000, endDate: 1795996800000 }
const report = (name: string) => [[period, `GET /analytics/team/${name}?${dates}`]] as const

export const rows: VendorRows = {
  described: ['cursor.json'],
  failures: [
    { status: 401, body: { error: 'Unauthorized', message: 'Invalid API key' }, word: 'NEEDS_AUTH' },
    { status: 429, body: { error: 'Too Many Requests', message: 'slow down' }, word: 'RATE_LIMITED' },
  ],
  tools: {
    get_agent_edits: report('agent-edits'),
    get_tab_usage: report('tabs'),
    get_daily_active_users: report('dau'),
    get_model_usage: report('models'),
    get_top_file_extensions: report('top-file-extensions'),
    get_mcp_adoption: report('mcp'),
    get_commands_adoption: report('commands'),
    get_leaderboard: report('leaderboard'),
    get_daily_usage_data: [
      [period, ['POST /teams/daily-usage-data', { ...numbers, pageSize: 30 }]],
      [{ ...period, per_page: 100 }, ['POST /teams/daily-usage-data', { ...numbers, pageSize: 100 }]],
    ],
    get_usage_events: [
      [period, ['POST /teams/filtered-usage-events', { ...numbers, pageSize: 30 }]],
      [
        { ...period, user_ids: [12], per_page: 5 },
        ['POST /teams/filtered-usage-events', { ...numbers, userId: 12, pageSize: 5 }],
      ],
    ],
    get_client_versions: report('client-versions'),
    list_members: [[{}, 'GET /teams/members']],
    remove_member: [
      [{ user_id: 'user_1' }, ['POST /teams/remove-member', { userId: 'user_1' }]],
      [{ user_id: 'ada@example.com' }, ['POST /teams/remove-member', { email: 'ada@example.com' }]],
    ],
    get_spending: [
      [{}, ['POST /teams/spend', { pageSize: 30 }]],
      [{ per_page: 5 }, ['POST /teams/spend', { pageSize: 5 }]],
    ],
    set_user_spend_limit: [
      [
        { user_id: 'ada@example.com', limit_usd: 50 },
        ['POST /teams/user-spend-limit', { userEmail: 'ada@example.com', spendLimitDollars: 50 }],
      ],
    ],
    list_audit_events: [
      [{}, 'GET /teams/audit-logs?pageSize=30'],
      [{ ...period, per_page: 5 }, 'GET /teams/audit-logs?startTime=2026-11-01&endTime=2026-11-30&pageSize=5'],
    ],
    get_repo_blocklists: [[{}, 'GET /settings/repo-blocklists/repos']],
    get_normalized_metrics: [
      [
        period,
        `GET /analytics/team/dau?${dates}`,
        ['POST /teams/spend', { page: 1, pageSize: 100 }],
        'GET /teams/members',
        `GET /analytics/team/models?${dates}`,
      ],
    ],
  },
  answers: {
    get_normalized_metrics: [
      [
        { data: [{ date: '2026-11-01', dau: 7 }] },
        { teamMemberSpend: [{ spendCents: 250 }] },
        { teamMembers: [{ id: 1 }] },
        { data: [{ date: '2026-11-01', model_breakdown: { 'gpt-5': { messages: 3, users: 1 } } }] },
      ],
    ],
  },
}
