/**
 * The methods that counters, histograms and names of spans tell apart. A method of a client's own making, and an error code of a
 * server's, share one label: each would grow the metrics without bound.
 */

/** Methods whose requests act or read at an upstream, and are on record; lists and pings are counted only. */
export const RECORDED: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'prompts/get',
  'tasks/update',
  'tasks/cancel',
])
const COUNTED: ReadonlySet<string> = new Set([
  ...RECORDED,
  'initialize',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'completion/complete',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'tasks/get',
  'tasks/list',
  'tasks/result',
])

export const labelOf = (method: string): string => (COUNTED.has(method) ? method : 'other')

/** The codes of JSON-RPC and of MCP's revisions. */
const CODES: ReadonlySet<unknown> = new Set([
  ...[-32_700, -32_600, -32_601, -32_602, -32_603],
  ...[-32_000, -32_001, -32_002, -32_020, -32_021, -32_022, -32_042],
])

/** The class of a server's error (`error.type`; `_OTHER` is OpenTelemetry's own word for what is not told apart). */
export const errorLabelOf = (code: unknown): string => (CODES.has(code) ? String(code) : '_OTHER')
