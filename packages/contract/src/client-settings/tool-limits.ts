/**
 * Limits on tools in a client's settings: which tools of a server the client offers to its model.
 *
 * Each client names them differently (`tools`, `includeTools`, `enabled_tools`, `disabledTools` …) and means the names that the server
 * uses. A limit becomes switches of the connection's tools. What cannot be one, such as a pattern, switches all tools off and is told,
 * so that an import never offers more than the file did. Lists of tools that need no confirmation are no limits.
 */
import { isFields, type Fields } from './fields.ts'

export interface ToolLimits {
  /** Only these tools are on; absent: all. */
  only?: string[]
  /** These tools are off. */
  except: string[]
  /** What was written that names no single tool. */
  unclear: string[]
}

/** Which tools of a connection are on, by the server's own names; `only` absent: all but `except`. */
export interface LimitedTools {
  only?: string[]
  except?: string[]
}

/** A limit that names no single tool leaves all others off: an import offers no tool that the file did not. */
export function limitedTools({ only, except, unclear }: ToolLimits): LimitedTools {
  if (only === undefined && unclear.length === 0) return { except }
  return { only: (only ?? []).filter((name) => !except.includes(name)) }
}

const ONLY = [
  'tools',
  'includeTools',
  'include_tools',
  'enabledTools',
  'enabled_tools',
  'allowedTools',
  'allowed_tools',
  'available_tools',
  'availableTools',
]
const EXCEPT = [
  'excludeTools',
  'exclude_tools',
  'disabledTools',
  'disabled_tools',
  'excludedTools',
  'blockedTools',
  'deniedTools',
]
export const LIMIT_MEMBERS: readonly string[] = [...ONLY, ...EXCEPT]

const isSet = (value: unknown) => value !== undefined && value !== null

/** The limits of one entry, with those that the file has for it elsewhere; undefined where there are none. */
export function limitsOf(entry: Fields, around: readonly ToolLimits[]): ToolLimits | undefined {
  const found = [
    ...ONLY.filter((name) => isSet(entry[name])).map((name) => onlyOf(name, entry[name])),
    ...EXCEPT.filter((name) => isSet(entry[name])).map((name) => exceptOf(name, entry[name])),
    ...around,
  ]
  const joined = found.reduce<ToolLimits>(join, { except: [], unclear: [] })
  const isEmpty = joined.only === undefined && joined.except.length === 0 && joined.unclear.length === 0
  return isEmpty ? undefined : joined
}

function join(before: ToolLimits, next: ToolLimits): ToolLimits {
  const both = before.only === undefined || next.only === undefined
  const only = both ? (before.only ?? next.only) : before.only?.filter((name) => next.only?.includes(name) === true)
  return {
    ...(only === undefined ? {} : { only: [...new Set(only)] }),
    except: [...new Set([...before.except, ...next.except])],
    unclear: [...before.unclear, ...next.unclear],
  }
}

function onlyOf(member: string, value: unknown): ToolLimits {
  if (isFields(value)) return ofRecord(member, value)
  const names = namesIn(value)
  if (names === undefined) return { except: [], unclear: [member] }
  // Goose: an empty list stands for all.
  if (names.includes('*') || (names.length === 0 && /^available_?tools$/i.test(member)))
    return { except: [], unclear: [] }
  return { only: names.filter(isPlain), except: [], unclear: names.filter((name) => !isPlain(name)) }
}

function exceptOf(member: string, value: unknown): ToolLimits {
  if (isFields(value)) return ofRecord(member, value)
  const names = namesIn(value)
  if (names === undefined) return { except: [], unclear: [member] }
  return { except: names.filter(isPlain), unclear: names.filter((name) => !isPlain(name)) }
}

/** `{ "name": false }`, or Codex's `[mcp_servers.x.tools.name]` with settings of the tool. */
function ofRecord(member: string, value: Fields): ToolLimits {
  const limits: ToolLimits = { except: [], unclear: [] }
  for (const [name, state] of Object.entries(value)) {
    const off = state === false || (isFields(state) && (state['enabled'] === false || state['disabled'] === true))
    if (!off) {
      if (state !== true && !isFields(state)) limits.unclear.push(member)
    } else if (isPlain(name)) limits.except.push(name)
    else limits.unclear.push(name)
  }
  return limits
}

/** Gemini CLI takes `name(arguments)`, of which the name counts here. */
function namesIn(value: unknown): string[] | undefined {
  const list = typeof value === 'string' ? value.split(',') : value
  if (!Array.isArray(list) || !list.every((name) => typeof name === 'string')) return undefined
  return list.map((name) => name.replace(/\(.*\)$/s, '').trim()).filter((name) => name !== '')
}

const isPlain = (name: string) => !/[*?[\]{}^$|\\]/.test(name)

type LimitsOfServer = (name: string) => { limits: ToolLimits[]; disabled: boolean }

/**
 * Limits that stand beside the servers: opencode's `tools`, Amazon Q's `tools`, Claude Code's `permissions.deny`, and lists of the
 * servers that are allowed or switched off.
 */
export function limitsAround(root: unknown, format: { isOpencode: boolean }): LimitsOfServer {
  const fields = isFields(root) ? root : {}
  const tools = fields['tools']
  const mcp = isFields(fields['mcp']) ? fields['mcp'] : {}
  const permissions = isFields(fields['permissions']) ? fields['permissions'] : {}
  const denied = namesIn(permissions['deny']) ?? []
  const off = ['disabledMcpjsonServers', 'disabledMcpServers'].flatMap((name) => namesIn(fields[name]) ?? [])
  const allowed = namesIn(mcp['allowed'])
  const excluded = namesIn(mcp['excluded']) ?? []
  return (server) => {
    const limits = [ofDenied(server, denied)]
    if (Array.isArray(tools)) limits.push(ofAgent(server, tools))
    if (format.isOpencode && isFields(tools)) limits.push(ofOpencode(server, tools))
    const isOff = off.includes(server) || excluded.includes(server) || denied.includes(`mcp__${server}`)
    return { limits, disabled: isOff || (allowed !== undefined && !allowed.includes(server)) }
  }
}

/** Amazon Q: `*`, `@server` and `@server/tool`. */
function ofAgent(server: string, tools: readonly unknown[]): ToolLimits {
  if (tools.includes('*') || tools.includes(`@${server}`) || tools.includes(`@${server}/*`))
    return { except: [], unclear: [] }
  const before = `@${server}/`
  const own = tools.flatMap((tool) =>
    typeof tool === 'string' && tool.startsWith(before) ? [tool.slice(before.length)] : [],
  )
  return { only: own.filter(isPlain), except: [], unclear: own.filter((name) => !isPlain(name)) }
}

const ofDenied = (server: string, denied: readonly string[]): ToolLimits =>
  exceptOf('permissions.deny', afterPrefix(denied, `mcp__${server}__`))

/** opencode: `server_tool: false`, with `*` for any characters. */
const ofOpencode = (server: string, tools: Fields): ToolLimits => {
  const off = Object.entries(tools).flatMap(([name, state]) => (state === false ? [name] : []))
  const wide = off.filter(
    (name) => name.includes('*') && !name.startsWith(`${server}_`) && mayMatch(name, `${server}_`),
  )
  return join(exceptOf('tools', afterPrefix(off, `${server}_`)), { except: [], unclear: wide })
}

const afterPrefix = (names: readonly string[], prefix: string) =>
  names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))

/** Whether a pattern may reach names that begin so. */
const mayMatch = (pattern: string, start: string) => {
  const [fixed = ''] = pattern.split('*')
  return start.startsWith(fixed)
}
