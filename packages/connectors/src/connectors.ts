/** The native connectors. A connector is added with one row here and one line in `rows.ts`; it is loaded when it is first used. */
import type { CatalogCategory } from '@toolway/contract'
import type { Vendor } from './kit/vendor.ts'

export interface Connector {
  load(): Promise<Vendor>
  readonly title: string
  /** The use of its tools, in one sentence. */
  readonly about: string
  readonly category: CatalogCategory
  /** The address of the vendor's API: what a connection has where no other server of the same kind is named. */
  readonly address: string
  /** The vendor's reference pages. */
  readonly docs: string
  /** Where a person gets a key or token that its tools accept, and how one begins. */
  readonly key?: { readonly page: string; readonly looks: string }
  /** Its tools need a key. A person's OAuth account opens little or nothing of Discord's. */
  readonly keyOnly?: true
  /** The MCP server that the vendor itself runs for the same service, as the vendor publishes its address. */
  readonly officialServer?: string
}

/** By the name that begins the names of the tools. */
export const CONNECTORS: Readonly<Record<string, Connector>> = {
  github: {
    load: async () => (await import('./github/github.ts')).github,
    title: 'GitHub',
    about: 'GitHub repositories, issues, pull requests, workflows and releases.',
    category: 'code',
    address: 'https://api.github.com',
    docs: 'https://docs.github.com/en/rest',
    key: { page: 'https://github.com/settings/personal-access-tokens', looks: 'github_pat_…' },
    officialServer: 'https://api.githubcopilot.com/mcp/',
  },
  gitlab: {
    load: async () => (await import('./gitlab/gitlab.ts')).gitlab,
    title: 'GitLab',
    about: 'GitLab projects, issues, merge requests and pipelines, hosted or self-managed.',
    category: 'code',
    address: 'https://gitlab.com',
    docs: 'https://docs.gitlab.com/api/rest/',
    key: { page: 'https://gitlab.com/-/user_settings/personal_access_tokens', looks: 'glpat-…' },
    officialServer: 'https://gitlab.com/api/v4/mcp',
  },
  bitbucket: {
    load: async () => (await import('./bitbucket/bitbucket.ts')).bitbucket,
    title: 'Bitbucket',
    about: 'Bitbucket Cloud repositories, pull requests, branches and pipelines.',
    category: 'code',
    address: 'https://api.bitbucket.org',
    docs: 'https://developer.atlassian.com/cloud/bitbucket/rest/',
  },
  jira: {
    load: async () => (await import('./jira/jira.ts')).jira,
    title: 'Jira',
    about: 'Jira issues, sprints, boards and projects.',
    category: 'work',
    address: 'https://api.atlassian.com',
    docs: 'https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/',
    officialServer: 'https://mcp.atlassian.com/v1/mcp',
  },
  linear: {
    load: async () => (await import('./linear/linear.ts')).linear,
    title: 'Linear',
    about: 'Linear issues, projects, cycles and comments.',
    category: 'work',
    address: 'https://api.linear.app',
    docs: 'https://linear.app/developers/graphql',
    officialServer: 'https://mcp.linear.app/mcp',
  },
  confluence: {
    load: async () => (await import('./confluence/confluence.ts')).confluence,
    title: 'Confluence',
    about: 'Spaces, pages, comments and search in Confluence.',
    category: 'documents',
    address: 'https://api.atlassian.com',
    docs: 'https://developer.atlassian.com/cloud/confluence/rest/v2/intro/',
    officialServer: 'https://mcp.atlassian.com/v1/mcp',
  },
  slack: {
    load: async () => (await import('./slack/slack.ts')).slack,
    title: 'Slack',
    about: 'Channels, messages, reactions and people in a Slack workspace.',
    category: 'messages',
    address: 'https://slack.com',
    docs: 'https://docs.slack.dev/reference/methods',
    key: { page: 'https://api.slack.com/apps', looks: 'xoxp-…' },
    officialServer: 'https://mcp.slack.com/mcp',
  },
  discord: {
    load: async () => (await import('./discord/discord.ts')).discord,
    title: 'Discord',
    about: 'Servers, channels, messages and members in Discord, as a bot.',
    category: 'messages',
    address: 'https://discord.com',
    docs: 'https://discord.com/developers/docs/reference',
    key: { page: 'https://discord.com/developers/applications', looks: 'MTA…' },
    keyOnly: true,
  },
  teams: {
    load: async () => (await import('./teams/teams.ts')).teams,
    title: 'Microsoft Teams',
    about: 'Teams, channels, chats and messages in Microsoft Teams.',
    category: 'messages',
    address: 'https://graph.microsoft.com',
    docs: 'https://learn.microsoft.com/en-us/graph/api/resources/teams-api-overview',
  },
  gmail: {
    load: async () => (await import('./gmail/gmail.ts')).gmail,
    title: 'Gmail',
    about: 'Messages, threads, drafts and labels in a Gmail mailbox.',
    category: 'messages',
    address: 'https://gmail.googleapis.com',
    docs: 'https://developers.google.com/workspace/gmail/api/reference/rest',
    officialServer: 'https://gmailmcp.googleapis.com/mcp/v1',
  },
  outlook: {
    load: async () => (await import('./outlook/outlook.ts')).outlook,
    title: 'Outlook',
    about: 'Messages, drafts and folders in an Outlook mailbox.',
    category: 'messages',
    address: 'https://graph.microsoft.com',
    docs: 'https://learn.microsoft.com/en-us/graph/api/resources/mail-api-overview',
  },
  google_docs: {
    load: async () => (await import('./google_docs/google_docs.ts')).google_docs,
    title: 'Google Docs',
    about: 'Read and write Google Docs documents.',
    category: 'documents',
    address: 'https://docs.googleapis.com',
    docs: 'https://developers.google.com/workspace/docs/api/reference/rest',
  },
  google_sheets: {
    load: async () => (await import('./google_sheets/google_sheets.ts')).google_sheets,
    title: 'Google Sheets',
    about: 'Cells, sheets and charts in Google Sheets.',
    category: 'documents',
    address: 'https://sheets.googleapis.com',
    docs: 'https://developers.google.com/workspace/sheets/api/reference/rest',
  },
  google_slides: {
    load: async () => (await import('./google_slides/google_slides.ts')).google_slides,
    title: 'Google Slides',
    about: 'Slides, text and images in Google Slides.',
    category: 'documents',
    address: 'https://slides.googleapis.com',
    docs: 'https://developers.google.com/workspace/slides/api/reference/rest',
  },
  notion: {
    load: async () => (await import('./notion/notion.ts')).notion,
    title: 'Notion',
    about: 'Pages, databases, blocks and comments in Notion.',
    category: 'documents',
    address: 'https://api.notion.com',
    docs: 'https://developers.notion.com/reference/intro',
    key: { page: 'https://www.notion.so/profile/integrations', looks: 'ntn_…' },
    officialServer: 'https://mcp.notion.com/mcp',
  },
  excel: {
    load: async () => (await import('./excel/excel.ts')).excel,
    title: 'Excel',
    about: 'Excel workbooks, sheets, tables and ranges in OneDrive.',
    category: 'documents',
    address: 'https://graph.microsoft.com',
    docs: 'https://learn.microsoft.com/en-us/graph/api/resources/excel',
  },
  powerpoint: {
    load: async () => (await import('./powerpoint/powerpoint.ts')).powerpoint,
    title: 'PowerPoint',
    about: 'PowerPoint presentations and slides in OneDrive.',
    category: 'documents',
    address: 'https://graph.microsoft.com',
    docs: 'https://learn.microsoft.com/en-us/graph/api/resources/driveitem',
  },
  zoom: {
    load: async () => (await import('./zoom/zoom.ts')).zoom,
    title: 'Zoom',
    about: 'Zoom meetings, participants, recordings and users.',
    category: 'messages',
    address: 'https://api.zoom.us',
    docs: 'https://developers.zoom.us/docs/api/',
  },
  copilot: {
    load: async () => (await import('./copilot/copilot.ts')).copilot,
    title: 'GitHub Copilot',
    about: 'GitHub Copilot seats, usage and metrics.',
    category: 'usage',
    address: 'https://api.github.com',
    docs: 'https://docs.github.com/en/rest/copilot',
    key: { page: 'https://github.com/settings/personal-access-tokens', looks: 'github_pat_…' },
  },
  claude_code: {
    load: async () => (await import('./claude_code/claude_code.ts')).claude_code,
    title: 'Claude Code',
    about: 'Usage, cost, members and keys for Claude Code and the Claude organization.',
    category: 'usage',
    address: 'https://api.anthropic.com',
    docs: 'https://platform.claude.com/docs/en/api/admin-api',
    key: { page: 'https://platform.claude.com/settings/admin-keys', looks: 'sk-ant-admin…' },
    keyOnly: true,
  },
  codex: {
    load: async () => (await import('./codex/codex.ts')).codex,
    title: 'OpenAI Codex',
    about: 'Usage, cost, projects and members of the OpenAI organization.',
    category: 'usage',
    address: 'https://api.openai.com',
    docs: 'https://platform.openai.com/docs/api-reference/administration',
    key: { page: 'https://platform.openai.com/settings/organization/admin-keys', looks: 'sk-admin-…' },
    keyOnly: true,
  },
  cursor: {
    load: async () => (await import('./cursor/cursor.ts')).cursor,
    title: 'Cursor',
    about: 'Members, usage and spending of a Cursor team.',
    category: 'usage',
    address: 'https://api.cursor.com',
    docs: 'https://cursor.com/docs/account/teams/admin-api',
    key: { page: 'https://cursor.com/dashboard', looks: 'key_…' },
    keyOnly: true,
  },
  windsurf: {
    load: async () => (await import('./windsurf/windsurf.ts')).windsurf,
    title: 'Windsurf',
    about: 'Usage and credits of a Windsurf team.',
    category: 'usage',
    address: 'https://server.codeium.com',
    docs: 'https://docs.windsurf.com/windsurf/accounts/api-reference/api-introduction',
    key: { page: 'https://windsurf.com/team/settings', looks: '' },
    keyOnly: true,
  },
}
