/** The native connectors, each loaded when it is first used. A connector is added with one line here and one in `rows.ts`. */
import type { Vendor } from './kit/vendor.ts'

export const VENDORS: Readonly<Record<string, () => Promise<Vendor>>> = {
  confluence: async () => (await import('./confluence/confluence.ts')).confluence,
  github: async () => (await import('./github/github.ts')).github,
  jira: async () => (await import('./jira/jira.ts')).jira,
  linear: async () => (await import('./linear/linear.ts')).linear,
  cursor: async () => (await import('./cursor/cursor.ts')).cursor,
  codex: async () => (await import('./codex/codex.ts')).codex,
  claude_code: async () => (await import('./claude_code/claude_code.ts')).claude_code,
  windsurf: async () => (await import('./windsurf/windsurf.ts')).windsurf,
  gitlab: async () => (await import('./gitlab/gitlab.ts')).gitlab,
  bitbucket: async () => (await import('./bitbucket/bitbucket.ts')).bitbucket,
  discord: async () => (await import('./discord/discord.ts')).discord,
  zoom: async () => (await import('./zoom/zoom.ts')).zoom,
  notion: async () => (await import('./notion/notion.ts')).notion,
  slack: async () => (await import('./slack/slack.ts')).slack,
}

export { ADDRESSES, KEYED } from './addresses.ts'
export { ToolFailure, type Failure } from './kit/failure.ts'
export type { ApiRequest, Json, Run, SignedRequest, Tool, VendorAnswer, VendorRequest } from './kit/tool.ts'
export { definitionOf, scopesOf, type KeyAuth, type Vendor } from './kit/vendor.ts'
export { quotaOf } from './kit/waits.ts'
