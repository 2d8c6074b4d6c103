/** The cases of Windsurf: input, then the requests that it makes. The executor adds the key. */
import type { VendorRows } from '../kit/rows.ts'

const period = { start_date: '2026-11-01', end_date: '2026-11-30' }
const times = { start_timestamp: '2026-11-01T00:00:00Z', end_timestamp: '2026-11-30T00:00:00Z' }
const year = { start_timestamp: '2026-01-01T00:00:00Z', end_timestamp: '2026-12-31T00:00:00Z' }
const query = (source: string, field: string, name: string, aggregation = 'SUM') => ({
  data_source: `QUERY_DATA_SOURCE_${source}_DATA`,
  selections: [{ field, name, aggregation_function: `QUERY_AGGREGATION_${aggregation}` }],
})
const cascade = [{ cascade_lines: {} }, { cascade_runs: {} }, { cascade_tool_usage: {} }]
const runs = {
  cascadeRuns: { cascadeRuns: [{ day: '2026-11-01', model: 'm', messagesSent: '3', promptsUsed: '250' }] },
}
const lines = { cascadeLines: { cascadeLines: [{ day: '2026-11-01', linesSuggested: '9', linesAccepted: '4' }] } }
const balance = { promptCreditsPerSeat: 500, numSeats: 3, addOnCreditsAvailable: 10, addOnCreditsUsed: 1 }

export const rows: VendorRows = {
  described: ['windsurf.json'],
  failures: [
    { status: 401, body: { error: 'Invalid service key' }, word: 'NEEDS_AUTH' },
    { status: 400, body: { error: 'invalid timestamp' }, word: 'INVALID_ARGUMENT' },
  ],
  tools: {
    get_analytics: [
      [
        { ...period, metrics: ['lines_accepted', 'chats'] },
        [
          'POST /Analytics',
          {
            ...times,
            query_requests: [
              query('USER', 'num_lines_accepted', 'lines_accepted'),
              query('CHAT', 'num_chats_received', 'chats'),
            ],
          },
        ],
      ],
    ],
    get_user_analytics: [[{ ...period, user_id: 'ada@example.com' }, ['POST /UserPageAnalytics', times]]],
    get_cascade_analytics: [[period, ['POST /CascadeAnalytics', { ...times, query_requests: cascade }]]],
    get_usage_config: [[{}, ['POST /GetUsageConfig', { team_level: true }]]],
    set_usage_config: [
      [{ config: {} }, ['POST /UsageConfig', { clear_add_on_credit_cap: true, team_level: true }]],
      [
        { config: { add_on_credit_cap: 100, user_email: 'ada@example.com' } },
        ['POST /UsageConfig', { set_add_on_credit_cap: 100, user_email: 'ada@example.com' }],
      ],
      [
        { config: { add_on_credit_cap: 100, group_id: 'g' } },
        ['POST /UsageConfig', { set_add_on_credit_cap: 100, group_id: 'g' }],
      ],
    ],
    get_credit_balance: [[{}, 'POST /GetTeamCreditBalance']],
    list_members: [[{}, 'POST /UserPageAnalytics']],
    list_audit_events: [[{}]],
    get_spending_breakdown: [
      [
        {},
        ['POST /CascadeAnalytics', { ...year, query_requests: [{ cascade_runs: {} }] }],
        'POST /GetTeamCreditBalance',
      ],
      [
        period,
        ['POST /CascadeAnalytics', { ...times, query_requests: [{ cascade_runs: {} }] }],
        'POST /GetTeamCreditBalance',
      ],
    ],
    get_seat_info: [[{}, 'POST /GetTeamCreditBalance', 'POST /UserPageAnalytics']],
    get_normalized_metrics: [
      [
        period,
        [
          'POST /Analytics',
          {
            ...times,
            query_requests: [
              query('USER', 'distinct_users', 'active_users', 'UNSPECIFIED'),
              query('USER', 'num_acceptances', 'acceptances'),
            ],
          },
        ],
        ['POST /CascadeAnalytics', { ...times, query_requests: cascade }],
        'POST /GetTeamCreditBalance',
      ],
    ],
  },
  picks: ['get_user_analytics'],
  answers: {
    get_user_analytics: [
      [
        {
          userTableStats: [
            {
              name: 'Ada',
              email: 'ada@example.com',
              role: 'admin',
              teamStatus: 'USER_TEAM_STATUS_APPROVED',
              activeDays: '3',
              lastAutocompleteUsageTime: '2026-11-01T00:00:00Z',
              lastChatUsageTime: '2026-11-01T00:00:00Z',
              lastCommandUsageTime: '2026-11-01T00:00:00Z',
            },
          ],
        },
      ],
    ],
    get_spending_breakdown: [[{ queryResults: [runs] }, balance]],
    get_normalized_metrics: [
      [
        {
          queryResults: [
            { responseItems: [{ item: { active_users: '2' } }] },
            { responseItems: [{ item: { acceptances: '7' } }] },
          ],
        },
        { queryResults: [lines, runs] },
        balance,
      ],
    ],
  },
}
