/**
 * What each list shows for choosing: the members of a row by which a model tells items apart, and those that the call after it needs.
 * The table has every tool that lists. The vendors' own rows, sent by a double at another host, come out with those members; null and
 * absent members cost themselves, not the row. What a vendor's list does not have stands in no row: its reference says so.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONNECTORS, definitionOf, type Json } from '../../packages/connectors/src/index.ts'
import { startOwnServer, type OwnServer } from './own-server.ts'

const ISSUE = 'title state author labels url'
const ROW_FILES = 'id name modified url'
const MAIL = 'id from to subject'

/** By tool, the members for choosing. Reports of usage, whose rows nothing follows, name what a row is about. */
const CHOOSES: Readonly<Record<string, string>> = {
  github_list_repositories: 'full_name description private updated_at url',
  github_search_repositories: 'full_name description stars updated_at url',
  github_list_issues: `number ${ISSUE} assignees updated_at`,
  github_list_pull_requests: `number ${ISSUE} draft from into updated_at`,
  github_list_organizations: 'login description',
  github_search_users_by_email: 'login url',
  github_list_commits: 'sha message author date',
  github_list_branches: 'name sha protected',
  github_get_user_activity: 'type repository action number title url created_at',
  github_list_contributors: 'login contributions',
  github_list_workflows: 'id name path state',
  github_list_workflow_runs: 'id name title branch status conclusion actor created_at',
  github_list_releases: 'id tag name prerelease author published_at',
  gitlab_list_projects: 'id path name description last_activity_at url',
  gitlab_list_merge_requests: `iid ${ISSUE} source_branch target_branch updated_at`,
  gitlab_list_issues: `iid ${ISSUE} assignees updated_at`,
  gitlab_list_pipelines: 'id status ref sha source created_at',
  gitlab_list_branches: 'name default commit commit_title committed_at',
  gitlab_list_commits: 'id title author date',
  gitlab_list_project_members: 'id username name access_level',
  gitlab_list_groups: 'id path name description',
  gitlab_list_mr_discussions: 'id notes',
  gitlab_list_milestones: 'id title state due_date',
  gitlab_list_labels: 'id name description',
  gitlab_get_repository_tree: 'path name type',
  gitlab_search_users: 'id username name state',
  bitbucket_list_repositories: 'full_name name description updated_on',
  bitbucket_list_pull_requests: 'id title state author source destination updated_on',
  bitbucket_list_pr_comments: 'id author text path line created_on reply_to',
  bitbucket_list_issues: 'id title state kind priority reporter assignee updated_on',
  bitbucket_list_pipelines: 'uuid build_number state result branch commit trigger creator created_on',
  bitbucket_list_branches: 'name commit message date',
  bitbucket_list_commits: 'hash author date message',
  bitbucket_list_workspaces: 'slug name uuid',
  bitbucket_list_workspace_members: 'uuid name',
  jira_search_issues: 'key summary status type priority assignee updated',
  jira_get_sprint_issues: 'key summary status type priority assignee updated',
  jira_get_transitions: 'id name to',
  jira_get_comments: 'id author body created',
  jira_list_projects: 'key name type lead last_issue_update',
  jira_list_boards: 'id name type project_key',
  jira_list_sprints: 'id name state goal start end',
  jira_search_users: 'account_id name email active',
  jira_list_versions: 'id name released release',
  linear_list_issues: 'id identifier title state team assignee priority updatedAt',
  linear_search_issues: 'id identifier title state team assignee priority updatedAt',
  linear_list_teams: 'id key name',
  linear_list_projects: 'id name description status lead targetDate',
  linear_list_cycles: 'id number name startsAt endsAt isActive',
  linear_list_labels: 'id name description team',
  linear_list_workflow_states: 'id name type',
  linear_list_comments: 'id body author createdAt',
  linear_list_users: 'id name email active',
  linear_get_user_by_email: 'id name email active',
  confluence_list_spaces: 'id key name type status',
  confluence_list_pages: 'id title status space_id changed_at url',
  confluence_search_content: 'id type title space excerpt changed_at url',
  confluence_get_page_children: 'id title type status',
  confluence_list_page_comments: 'id author_id created_at body',
  confluence_get_page_labels: 'id name',
  confluence_get_page_history: 'number author_id created_at message',
  confluence_list_page_attachments: 'id title media_type size created_at',
  slack_conversations_history: 'ts user username bot_id subtype text blocks attachments files thread_ts reply_count',
  slack_conversations_replies: 'ts user username bot_id subtype text blocks attachments files thread_ts',
  slack_conversations_search_messages: 'ts user username text blocks attachments files channel channel_name url',
  slack_conversations_list: 'id name user is_private is_archived topic purpose',
  slack_users_list: 'id name real_name email is_bot deleted',
  discord_list_guilds: 'id name members',
  discord_list_channels: 'id name type topic parent_id',
  discord_list_messages: 'id channel_id author bot content embeds attachments timestamp reply_to',
  discord_search_messages: 'id channel_id author bot content embeds attachments timestamp',
  discord_list_guild_members: 'id username name nick roles',
  discord_list_threads: 'id name parent_id messages archived',
  discord_list_roles: 'id name position',
  teams_list_teams: 'id name description',
  teams_list_channels: 'id name description membership',
  teams_list_channel_messages: 'id from app created subject text attachments',
  teams_list_chats: 'id topic type members updated',
  teams_list_chat_messages: 'id from app created text attachments',
  teams_list_team_members: 'user_id name email roles',
  teams_list_channel_members: 'user_id name email roles',
  teams_search_messages: 'id summary from created chat_id team_id channel_id url',
  gmail_list_messages: `${MAIL} thread_id date snippet labels problem`,
  gmail_search_messages: `${MAIL} thread_id date snippet labels problem`,
  gmail_list_threads: 'id from subject date messages snippet labels problem',
  gmail_list_drafts: `${MAIL} message_id thread_id date snippet problem`,
  gmail_list_labels: 'id name type',
  outlook_list_messages: `${MAIL} received preview is_read has_attachments`,
  outlook_search_messages: `${MAIL} received preview is_read has_attachments`,
  outlook_list_focused_inbox: `${MAIL} received preview is_read has_attachments`,
  outlook_list_folders: 'id name messages unread',
  outlook_list_attachments: 'id name type size is_inline',
  google_docs_list_documents: `${ROW_FILES} owners`,
  google_docs_search_documents: `${ROW_FILES} owners`,
  google_docs_list_shared_documents: `${ROW_FILES} owners`,
  google_docs_get_permissions: 'id role type email name',
  google_sheets_list_spreadsheets: `${ROW_FILES} owners`,
  google_sheets_search_spreadsheets: `${ROW_FILES} owners`,
  google_slides_list_presentations: `${ROW_FILES} owners`,
  notion_list_databases: 'id data_source_id title description url edited_at',
  notion_search: 'id object title url edited_at',
  notion_query_database: 'id title url edited_at properties',
  excel_list_workbooks: `${ROW_FILES} size modified_by folder`,
  excel_list_worksheets: 'id name visibility',
  excel_list_tables: 'id name',
  powerpoint_list_presentations: `${ROW_FILES} size modified_by folder`,
  zoom_list_meetings: 'id topic type start_time duration join_url',
  zoom_list_recordings: 'uuid id topic start_time duration files',
  zoom_list_webinars: 'id topic start_time duration join_url',
  zoom_list_meeting_participants: 'id name email join_time leave_time',
  copilot_list_seat_assignments: 'login team plan created last_active',
  copilot_list_audit_events: 'time action actor user',
  claude_code_get_usage: 'from to results',
  claude_code_get_cost_breakdown: 'from to results',
  claude_code_get_code_analytics: 'date email sessions',
  claude_code_list_users: 'id name email role',
  claude_code_list_invites: 'id email role status expires_at',
  claude_code_list_workspaces: 'id name created_at archived_at',
  claude_code_list_api_keys: 'id name hint status workspace created_at',
  claude_code_list_workspace_members: 'user_id role',
  codex_get_completions_usage: 'from to results',
  codex_get_cost_breakdown: 'from to results',
  codex_get_embeddings_usage: 'from to results',
  codex_get_code_interpreter_usage: 'from to results',
  codex_list_users: 'id name email role',
  codex_list_invites: 'id email role status expires_at',
  codex_list_projects: 'id name status created_at',
  codex_list_project_api_keys: 'id name redacted_value owner last_used_at',
  codex_list_audit_events: 'id type effective_at project actor email',
  codex_list_service_accounts: 'id name role created_at',
  cursor_get_agent_edits: 'date',
  cursor_get_tab_usage: 'date',
  cursor_get_daily_active_users: 'date users',
  cursor_get_model_usage: 'date models',
  cursor_get_top_file_extensions: 'date extension',
  cursor_get_mcp_adoption: 'date tool server',
  cursor_get_commands_adoption: 'date command',
  cursor_get_client_versions: 'date version users',
  cursor_get_daily_usage_data: 'day email',
  cursor_get_usage_events: 'time email model kind',
  cursor_list_members: 'id email name role',
  cursor_get_spending: 'user_id email name spend_cents',
  cursor_list_audit_events: 'id time email type',
  windsurf_list_members: 'name email role status',
}

interface Listing {
  readonly name: string
  readonly members: readonly string[]
  readonly pages: boolean
}
const lists = (
  await Promise.all(
    Object.values(CONNECTORS).map(async ({ load }) =>
      [...(await load()).tools].flatMap(([name, tool]): Listing[] => {
        const { items } = (definitionOf(name, tool)['outputSchema'] as { properties: Json }).properties
        if (items === undefined) return []
        const { properties } = (items as { items: { properties: Json } }).items
        return [{ name, members: Object.keys(properties), pages: tool.paging !== undefined }]
      }),
    ),
  )
).flat()

test('the table has every tool that lists, and no other', () => {
  expect(lists.map(({ name }) => name).toSorted()).toEqual(Object.keys(CHOOSES).toSorted())
  expect(lists.length).toBeGreaterThan(120)
})

test.each(lists)('$name says what is needed to choose', ({ name, members }) => {
  expect(members).toEqual(expect.arrayContaining(CHOOSES[name]?.split(' ') ?? []))
})

let vendor: OwnServer
beforeAll(async () => {
  vendor = await startOwnServer()
})
afterAll(() => vendor.close())

const file = (name: string) => ({
  id: '91',
  filename: name,
  content_type: 'image/png',
  size: 3,
  url: 'https://cdn.example/a',
})
/** Rows as the vendor sends them, and what is read of them. */
const RECORDED: readonly (readonly [tool: string, body: unknown, item: Json])[] = [
  [
    'bitbucket_list_pipelines',
    {
      values: [
        {
          ...{ type: 'pipeline', uuid: '{1}', build_number: 7, created_on: '2026-11-01T00:00:00Z', completed_on: null },
          state: { type: 'pipeline_state_completed', name: 'COMPLETED', result: { name: 'FAILED' } },
          target: { type: 'pipeline_ref_target', ref_type: 'branch', ref_name: 'main', commit: { hash: 'a1b2' } },
          ...{ trigger: { name: 'PUSH' }, creator: { display_name: 'Ada' } },
        },
      ],
    },
    {
      uuid: '{1}',
      state: 'COMPLETED',
      result: 'FAILED',
      branch: 'main',
      commit: 'a1b2',
      trigger: 'PUSH',
      creator: 'Ada',
    },
  ],
  [
    'discord_list_messages',
    [
      {
        ...{
          id: '1234567890123456789',
          channel_id: '1234567890123456700',
          content: '',
          author: { username: 'CI', bot: true },
        },
        embeds: [
          {
            title: 'Build failed',
            url: 'https://ci.example/7',
            description: null,
            fields: [{ name: 'Branch', value: 'main' }],
          },
        ],
        ...{
          attachments: [file('a.png')],
          message_reference: { message_id: '1234567890123456788' },
          edited_timestamp: null,
        },
      },
    ],
    {
      ...{ id: '1234567890123456789', channel_id: '1234567890123456700', author: 'CI', bot: true },
      ...{ embeds: ['Build failed\nhttps://ci.example/7\nBranch: main'], reply_to: '1234567890123456788' },
      attachments: [{ id: '91', name: 'a.png', type: 'image/png', size: 3, url: 'https://cdn.example/a' }],
    },
  ],
  [
    'discord_search_messages',
    { total_results: 1, messages: [[{ id: '2', channel_id: '3', content: 'x', author: { username: 'ada' } }]] },
    { id: '2', channel_id: '3', content: 'x', author: 'ada' },
  ],
  [
    'teams_list_chats',
    {
      value: [
        {
          ...{ id: '19:a', topic: null, chatType: 'oneOnOne', lastUpdatedDateTime: '2026-11-01T00:00:00Z' },
          members: [{ displayName: 'Ada' }, { displayName: null }, { displayName: 'Bob' }],
        },
      ],
    },
    { id: '19:a', type: 'oneOnOne', updated: '2026-11-01T00:00:00Z', members: ['Ada', 'Bob'] },
  ],
  [
    'teams_list_channel_messages',
    {
      value: [
        {
          ...{ id: '1', from: { user: null, application: { displayName: 'Azure DevOps' } } },
          body: { contentType: 'html', content: '<attachment id="x"></attachment>' },
          attachments: [
            {
              ...{ id: 'x', contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, name: null },
              content:
                '{"type":"AdaptiveCard","body":[{"type":"TextBlock","text":"Build failed"},{"type":"FactSet","facts":[{"title":"Branch","value":"main"}]}]}',
            },
            { id: 'y', contentType: 'reference', contentUrl: 'https://acme.sharepoint.com/a.docx', name: 'a.docx' },
          ],
        },
      ],
    },
    {
      ...{ id: '1', app: 'Azure DevOps' },
      attachments: [
        { type: 'application/vnd.microsoft.card.adaptive', text: 'Build failed\nBranch\nmain' },
        { type: 'reference', name: 'a.docx', url: 'https://acme.sharepoint.com/a.docx' },
      ],
    },
  ],
  [
    'teams_search_messages',
    {
      value: [
        {
          hitsContainers: [
            {
              hits: [
                {
                  ...{ hitId: 'AAMk', summary: 'x' },
                  resource: { id: '1616990032035', channelIdentity: { channelId: '19:c', teamId: 't1' } },
                },
              ],
            },
          ],
        },
      ],
    },
    { id: '1616990032035', channel_id: '19:c', team_id: 't1' },
  ],
  [
    'github_get_user_activity',
    [
      {
        ...{ type: 'IssueCommentEvent', repo: { name: 'o/r' }, created_at: '2026-11-01T00:00:00Z' },
        payload: {
          ...{ action: 'created', issue: { number: 7, title: 'Login', html_url: 'https://github.com/o/r/issues/7' } },
          comment: { html_url: 'https://github.com/o/r/issues/7#issuecomment-1' },
        },
      },
    ],
    { number: 7, title: 'Login', url: 'https://github.com/o/r/issues/7#issuecomment-1', action: 'created' },
  ],
  [
    'linear_search_issues',
    {
      data: {
        searchIssues: {
          nodes: [
            {
              ...{ id: 'u', identifier: 'ENG-7', title: 'Login', url: 'https://linear.app/x', state: { name: 'Todo' } },
              ...{ team: { key: 'ENG' }, assignee: null, priorityLabel: 'High', updatedAt: '2026-11-01T00:00:00Z' },
            },
          ],
          pageInfo: { hasNextPage: false, endCursor: null },
        },
      },
    },
    { identifier: 'ENG-7', state: 'Todo', priority: 'High', updatedAt: '2026-11-01T00:00:00Z' },
  ],
  [
    'slack_conversations_list',
    { ok: true, channels: [{ id: 'D1', is_im: true, user: 'U7', name: null, topic: null }] },
    { id: 'D1', user: 'U7' },
  ],
]

describe('a row of the vendor', () => {
  test.each(RECORDED)('%s shows it', async (name, body, item) => {
    vendor.reply = () => ({ body })
    const { items } = await vendor.call(name)
    expect(items).toEqual([expect.objectContaining(item)])
  })
})
