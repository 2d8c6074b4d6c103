/** Checks over all native connectors together: how they page, and which operations vendors changed or removed. */
import { describe, expect, test } from 'vitest'
import { CONNECTORS, type Json, type Tool } from '../../packages/connectors/src/index.ts'
import type { Paging } from '../../packages/connectors/src/kit/tool.ts'
import { ROWS } from '../../packages/connectors/src/rows.ts'
import { answer, drive, wireOf } from './drive.ts'

const tools = new Map<string, Tool>()
for (const { load } of Object.values(CONNECTORS)) for (const [name, tool] of (await load()).tools) tools.set(name, tool)

function toolOf(name: string): Tool {
  const found = tools.get(name)
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}
/** The input of its first row. */
function leastOf(name: string): Json {
  const id = Object.keys(CONNECTORS).find((one) => name.startsWith(`${one}_`)) ?? ''
  const rows = ROWS[id]
  return { ...rows?.place, ...rows?.tools[name.slice(id.length + 1)]?.[0]?.[0] }
}

const KINDS: readonly Paging['kind'][] = ['link', 'address', 'token', 'relay', 'last', 'page', 'offset']

test.each(KINDS)(
  'S3-CON-11: tools that page by %s give one page at a time, and none larger than the vendor allows',
  (kind) => {
    const paging = [...tools].filter(([, tool]) => tool.paging?.kind === kind)
    expect(paging.length).toBeGreaterThan(0)
    for (const [name, tool] of paging) {
      expect(Object.keys(tool.input.shape)).toContain('cursor')
      expect(Object.keys(tool.output.shape)).toContain('next_cursor')
      const { size } = tool.paging ?? {}
      if (size === undefined) continue
      expect([name, size.max]).toEqual([name, expect.any(Number)])
      const { failure, requests } = drive(tool, { ...leastOf(name), [size.name]: size.max + 1 }, () => answer({}))
      expect([name, failure?.word, requests]).toEqual([name, 'INVALID_ARGUMENT', []])
    }
  },
)

describe('S3-CON-17: a tool that the source system only named', () => {
  test.each([
    ['windsurf_list_members', 'POST /api/v1/UserPageAnalytics'],
    ['windsurf_get_spending_breakdown', 'POST /api/v1/CascadeAnalytics'],
    ['windsurf_get_seat_info', 'POST /api/v1/GetTeamCreditBalance'],
    ['powerpoint_get_slide_content', 'GET /v1.0/me/drive/items/i/content'],
    ['powerpoint_create_presentation', 'PUT /v1.0/me/drive/root:/'],
    ['powerpoint_export_pdf', 'GET /v1.0/me/drive/items/i/content?format=pdf'],
    ['powerpoint_upload_presentation', 'PUT /v1.0/me/drive/items/i/content'],
    ['powerpoint_list_slides', 'GET /v1.0/me/drive/items/i/content'],
  ])('%s does what its name says', (name, line) => expect(firstOf(name)).toContain(line))

  test('windsurf_list_audit_events answers NOT_SUPPORTED with the reason, and asks nothing', () => {
    const { failure, requests } = drive(toolOf('windsurf_list_audit_events'), {}, () => answer({}))
    expect(failure).toMatchObject({ word: 'NOT_SUPPORTED', message: expect.stringMatching(/Windsurf|vendor|API/) })
    expect(requests).toEqual([])
    expect([...tools].filter(([, { unsupported }]) => unsupported !== undefined).map(([name]) => name)).toEqual([
      'windsurf_list_audit_events',
    ])
  })
})

test.each([
  ['bitbucket_list_workspaces', 'GET /2.0/user/workspaces'],
  ['jira_search_issues', '/rest/api/3/search/jql'],
  ['jira_list_projects', '/rest/api/3/project/search'],
  ['linear_search_issues', 'searchIssues'],
  ['confluence_get_page_children', '/direct-children'],
  ['confluence_add_label', '/wiki/rest/api/content/'],
  ['teams_list_chat_messages', 'GET /v1.0/chats/c/messages'],
  ['teams_search_messages', 'POST /v1.0/search/query {"requests":[{"entityTypes":["chatMessage"]'],
  ['notion_query_database', '/v1/data_sources/'],
  ['notion_list_databases', '"value":"data_source"'],
  ['copilot_get_usage_trends', '/copilot/metrics/reports/organization-28-day/latest'],
  ['copilot_get_legacy_metrics', '/copilot/metrics/reports/organization-28-day/latest'],
  ['copilot_get_content_exclusions', '/copilot/content_exclusion'],
  ['cursor_get_daily_usage_data', 'POST /teams/daily-usage-data {"startDate":'],
  ['claude_code_get_usage', '/usage_report/messages?starting_at='],
  ['codex_get_completions_usage', '/organization/usage/completions?start_time='],
  ['windsurf_get_analytics', 'POST /api/v1/Analytics'],
] as const)('S3-CON-18: %s does the vendor’s operation of today: %s', (name, part) =>
  expect(firstOf(name)).toContain(part),
)

/** Method, path and body of the first request. */
function firstOf(name: string): string {
  const [request] = drive(toolOf(name), leastOf(name), () => answer({})).requests
  if (request === undefined) throw new Error(`${name} asks nothing`)
  const { method, url, body } = wireOf(request)
  return `${method} ${url.pathname}${url.search} ${body === undefined ? '' : JSON.stringify(body)}`
}
