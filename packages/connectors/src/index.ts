/** The native connectors, each loaded when it is first used. A connector is added with one line here and one in `rows.ts`. */
import type { Vendor } from './kit/vendor.ts'

export const VENDORS: Readonly<Record<string, () => Promise<Vendor>>> = {
  github: async () => (await import('./github/github.ts')).github,
  gmail: async () => (await import('./gmail/gmail.ts')).gmail,
  linear: async () => (await import('./linear/linear.ts')).linear,
  slack: async () => (await import('./slack/slack.ts')).slack,
}

export { ADDRESSES } from './addresses.ts'
export { ToolFailure, type Failure } from './kit/failure.ts'
export type { ApiRequest, Json, Run, SignedRequest, Tool, VendorAnswer, VendorRequest } from './kit/tool.ts'
export { definitionOf, scopesOf, type KeyAuth, type Vendor } from './kit/vendor.ts'
export { quotaOf } from './kit/waits.ts'
