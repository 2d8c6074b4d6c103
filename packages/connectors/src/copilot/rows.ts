/** The cases of GitHub Copilot: input, then the requests that it makes. Reports are read from addresses that GitHub signed. */
import type { VendorRows } from '../kit/rows.ts'

const org = { org: 'o' }
const day = { since: '2026-11-01', until: '2026-11-01' }
const latest = 'GET /orgs/o/copilot/metrics/reports/organization-28-day/latest'
const dayReport = 'GET /orgs/o/copilot/metrics/reports/organization-1-day?day=2026-11-01'
const ofReport = [
  [org, latest],
  [{ ...org, ...day }, dayReport],
] as const

const totals = {
  user_initiated_interaction_count: 5,
  code_generation_activity_count: 10,
  code_acceptance_activity_count: 4,
  loc_suggested_to_add_sum: 40,
  loc_added_sum: 12,
  loc_deleted_sum: 3,
}
const record = (date: string) => ({
  day: date,
  daily_active_users: 7,
  monthly_active_users: 20,
  monthly_active_chat_users: 9,
  ...totals,
  totals_by_ide: [{ ide: 'vscode', ...totals }],
  totals_by_feature: [
    { feature: 'code_completion', ...totals },
    { feature: 'chat_panel_ask_mode', ...totals },
  ],
  totals_by_language_feature: [{ language: 'typescript', feature: 'code_completion', ...totals }],
  totals_by_model_feature: [{ model: 'gpt-5', feature: 'code_completion', ...totals }],
  pull_requests: { total_created: 3, total_created_by_copilot: 1, total_reviewed: 2, total_reviewed_by_copilot: 2 },
})
const links = {
  download_links: ['https://copilot-reports.github.com/a.ndjson?sig=x'],
  report_start_day: '2026-10-05',
  report_end_day: '2026-11-01',
}
const whole = [links, { report_start_day: '2026-10-05', day_totals: [record('2026-11-01'), record('2026-10-05')] }]
/** More days than fit one page. */
const long = [
  { ...links, report_start_day: '2026-10-01' },
  Array.from({ length: 30 }, (_, index) =>
    JSON.stringify(record(`2026-10-${String(index + 1).padStart(2, '0')}`)),
  ).join('\n'),
]
const user = (login: string) =>
  JSON.stringify({ day: '2026-11-01', user_login: login, used_agent: true, used_chat: false, ...totals })
const users = Array.from({ length: 30 }, (_, index) => user(`u${index}`)).join('\n')
const REPORTS = [
  'get_org_usage',
  'get_usage_trends',
  'get_user_usage',
  'get_acceptance_rate',
  'get_usage_by_language',
  'get_usage_by_editor',
  'get_chat_usage',
  'get_pr_summary_usage',
  'get_legacy_metrics',
  'get_normalized_metrics',
]

export const rows: VendorRows = {
  described: ['github.json'],
  failures: [
    {
      status: 403,
      headers: { 'x-ratelimit-remaining': '0' },
      body: { message: 'API rate limit exceeded' },
      word: 'RATE_LIMITED',
    },
    { status: 403, body: { message: 'Copilot usage metrics policy is not enabled' }, word: 'PERMISSION_DENIED' },
  ],
  picks: REPORTS,
  answers: {
    ...Object.fromEntries(REPORTS.map((name) => [name, [whole, long]])),
    get_user_usage: [[links, { ...links, report_day: '2026-11-01' }, users]],
    list_inactive_seats: [[{ total_seats: 2, seats: [{ assignee: { login: 'ada' }, last_activity_at: null }] }]],
    get_normalized_metrics: [[...whole, { seat_breakdown: { total: 30 } }]],
  },
  tools: {
    get_org_usage: [
      [org, latest],
      [{ ...org, ...day, page: 2, per_page: 7 }, dayReport],
    ],
    get_usage_trends: ofReport,
    get_user_usage: [
      [org, latest],
      [
        { ...org, since: '2026-11-01', until: '2026-11-02', page: 1, per_page: 5 },
        'GET /orgs/o/copilot/metrics/reports/users-1-day?day=2026-11-01',
        'GET /orgs/o/copilot/metrics/reports/users-1-day?day=2026-11-02',
      ],
    ],
    get_acceptance_rate: ofReport,
    get_usage_by_language: ofReport,
    get_usage_by_editor: ofReport,
    get_chat_usage: ofReport,
    get_pr_summary_usage: ofReport,
    get_legacy_metrics: [[org, latest]],
    get_billing_info: [[org, 'GET /orgs/o/copilot/billing']],
    list_seat_assignments: [
      [org, 'GET /orgs/o/copilot/billing/seats?per_page=50'],
      [{ ...org, per_page: 5 }, 'GET /orgs/o/copilot/billing/seats?per_page=5'],
    ],
    get_seat_details: [[{ ...org, username: 'ada' }, 'GET /orgs/o/members/ada/copilot']],
    add_seats: [
      [
        { ...org, selected_usernames: ['ada'] },
        ['POST /orgs/o/copilot/billing/selected_users', { selected_usernames: ['ada'] }],
      ],
    ],
    remove_seats: [
      [
        { ...org, selected_usernames: ['ada'] },
        ['DELETE /orgs/o/copilot/billing/selected_users', { selected_usernames: ['ada'] }],
      ],
    ],
    list_inactive_seats: [
      [org, 'GET /orgs/o/copilot/billing/seats?per_page=100&page=1'],
      [{ ...org, days_inactive: 90 }, 'GET /orgs/o/copilot/billing/seats?per_page=100&page=1'],
    ],
    get_org_config: [[org, 'GET /orgs/o/copilot/billing']],
    get_content_exclusions: [[org, 'GET /orgs/o/copilot/content_exclusion']],
    list_audit_events: [
      [org, 'GET /orgs/o/audit-log?phrase=action%3Acopilot&per_page=30'],
      [
        { ...org, phrase: 'action:copilot.cfb_seat_added', per_page: 5 },
        'GET /orgs/o/audit-log?phrase=action%3Acopilot.cfb_seat_added&per_page=5',
      ],
    ],
    get_normalized_metrics: [
      [org, latest, 'GET /orgs/o/copilot/billing'],
      [{ ...org, ...day }, dayReport, 'GET /orgs/o/copilot/billing'],
    ],
  },
}
