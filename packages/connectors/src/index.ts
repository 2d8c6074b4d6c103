/** The native connectors, each loaded when it is first used. A connector is added with one line here and one in `rows.ts`. */
import type { Vendor } from './kit/vendor.ts'

export const VENDORS: Readonly<Record<string, () => Promise<Vendor>>> = {
  github: async () => (await import('./github/github.ts')).github,
  gitlab: async () => (await import('./gitlab/gitlab.ts')).gitlab,
  bitbucket: async () => (await import('./bitbucket/bitbucket.ts')).bitbucket,
  jira: async () => (await import('./jira/jira.ts')).jira,
  linear: async () => (await import('./linear/linear.ts')).linear,
  confluence: async () => (await import('./confluence/confluence.ts')).confluence,
  slack: async () => (await import('./slack/slack.ts')).slack,
  discord: async () => (await import('./discord/discord.ts')).discord,
  teams: async () => (await import('./teams/teams.ts')).teams,
  gmail: async () => (await import('./gmail/gmail.ts')).gmail,
  outlook: async () => (await import('./outlook/outlook.ts')).outlook,
  google_docs: async () => (await import('./google_docs/google_docs.ts')).google_docs,
  google_sheets: async () => (await import('./google_sheets/google_sheets.ts')).google_sheets,
  google_slides: async () => (await import('./google_slides/google_slides.ts')).google_slides,
  notion: async () => (await import('./notion/notion.ts')).notion,
  excel: async () => (await import('./excel/excel.ts')).excel,
  powerpoint: async () => (await import('./powerpoint/powerpoint.ts')).powerpoint,
  zoom: async () => (await import('./zoom/zoom.ts')).zoom,
  copilot: async () => (await import('./copilot/copilot.ts')).copilot,
  claude_code: async () => (await import('./claude_code/claude_code.ts')).claude_code,
  codex: async () => (await import('./codex/codex.ts')).codex,
  cursor: async () => (await import('./cursor/cursor.ts')).cursor,
  windsurf: async () => (await import('./windsurf/windsurf.ts')).windsurf,
}

export { ADDRESSES, KEYED } from './addresses.ts'
export { ToolFailure, type Failure } from './kit/failure.ts'
export type { ApiRequest, Json, Run, SignedRequest, Tool, VendorAnswer, VendorRequest } from './kit/tool.ts'
export { definitionOf, scopesOf, type KeyAuth, type Vendor } from './kit/vendor.ts'
export { callOf, templatesOf, TOOL_OF_TEMPLATE, type ToolCall } from './kit/resources.ts'
export { quotaOf } from './kit/waits.ts'
