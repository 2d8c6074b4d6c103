/**
 * The client that a settings file belongs to, by marks that only it writes. It affects only the wording of messages: every form is
 * read in any file.
 */
import { isFields, type Fields } from './fields.ts'

export type ImportClient =
  | 'claude-desktop'
  | 'claude-code'
  | 'cursor'
  | 'vscode'
  | 'codex'
  | 'opencode'
  | 'gemini'
  | 'windsurf'
  | 'zed'
  | 'cline'
  | 'roo'
  | 'librechat'
  | 'continue'
  | 'goose'
  | 'amazon-q'
  | 'unknown'

/** Clients that have a place of their own in their file. */
const OF_PLACE: Readonly<Record<string, ImportClient>> = {
  context_servers: 'zed',
  servers: 'vscode',
  'mcp.servers': 'vscode',
  mcp_servers: 'codex',
  mcp: 'opencode',
  extensions: 'goose',
  projects: 'claude-code',
}

interface Marks {
  root: unknown
  path: string
  format: 'json' | 'toml' | 'yaml'
  isList: boolean
  entries: readonly unknown[]
}

export function clientOf({ root, path, format, isList, entries }: Marks): ImportClient {
  const placed = OF_PLACE[path]
  if (placed !== undefined) return placed
  if (isList) return 'continue'
  if (format === 'yaml') return 'librechat'
  const servers = entries.filter(isFields)
  const some = (...names: string[]) => servers.some((server) => names.some((name) => Object.hasOwn(server, name)))
  const around = isFields(root) ? root : {}
  const text = JSON.stringify(servers, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  if (Object.hasOwn(around, 'toolsSettings') || Object.hasOwn(around, 'useLegacyMcpJson')) return 'amazon-q'
  if (some('httpUrl', 'includeTools', 'excludeTools', 'trust')) return 'gemini'
  if (some('watchPaths') || (some('alwaysAllow') && text.includes('"streamable-http"'))) return 'roo'
  if (some('autoApprove', 'alwaysAllow') || text.includes('"streamableHttp"')) return 'cline'
  if (some('serverUrl', 'disabledTools')) return 'windsurf'
  if (some('type')) return 'claude-code'
  if (some('url', 'envFile') || /\$\{(?:env:|userHome|workspaceFolder)/.test(text)) return 'cursor'
  if (/\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/.test(withoutRemote(servers))) return 'claude-code'
  if (path === 'mcpServers' && servers.length > 0) return 'claude-desktop'
  return 'unknown'
}

/** mcp-remote fills `${NAME}` itself, so in its entries the form says nothing about the client. */
const withoutRemote = (servers: readonly Fields[]) =>
  JSON.stringify(
    servers.filter(({ args }) => !(Array.isArray(args) && args.some((arg) => String(arg).startsWith('mcp-remote')))),
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  )
