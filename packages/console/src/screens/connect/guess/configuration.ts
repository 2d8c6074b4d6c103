/**
 * Reads the servers from a client's configuration: Claude's and Cursor's `mcpServers`, VS Code's `servers`, Gemini's `httpUrl`,
 * Windsurf's `serverUrl`, Zed's `context_servers`, one server by itself, or a fragment of a file. Pure.
 */
import { draft, valueOf, withVariables, type Draft } from '../draft.ts'
import { readLoosely } from './loose-json.ts'
import { carriedBy, remoteOf } from './remote.ts'

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
const pairsIn = (value: unknown): [string, string][] =>
  isFields(value) ? Object.entries(value).map(([name, said]) => [name, String(said ?? '')]) : []

/** Undefined for what is no configuration. */
export function serversIn(text: string): Draft[] | undefined {
  const read = readLoosely(text)
  if (!isFields(read)) return undefined
  const drafts = Object.entries(namedIn(read)).flatMap(([name, said]) => serverOf(name, said) ?? [])
  return drafts.length === 0 ? undefined : drafts
}

function namedIn(read: Fields): Fields {
  const inner = isFields(read['mcp']) ? read['mcp'] : read
  for (const name of ['mcpServers', 'servers', 'mcp_servers', 'context_servers'])
    if (isFields(inner[name])) return inner[name]
  if (isServer(read)) return { [textOf(read['name']) ?? '']: read }
  return inner
}

const addressOf = (said: Fields): string | undefined =>
  textOf(said['url']) ?? textOf(said['serverUrl']) ?? textOf(said['httpUrl']) ?? textOf(said['uri'])
const isServer = (said: Fields): boolean => addressOf(said) !== undefined || said['command'] !== undefined

function serverOf(name: string, said: unknown): Draft | undefined {
  if (!isFields(said) || !isServer(said)) return undefined
  const url = addressOf(said)
  if (url !== undefined) return withVariables({ ...remoteOf({ url, headers: pairsIn(said['headers']) }), name })
  // Zed's: the command is an object of its own.
  const whole = isFields(said['command']) ? { ...said, ...said['command'], command: said['command']['path'] } : said
  const [command, ...first] = Array.isArray(whole['command'])
    ? listOf(whole['command'])
    : [textOf(whole['command']) ?? '']
  if (command === undefined || command === '') return undefined
  const args = [...first, ...listOf(whole['args'])]
  const remote = carriedBy([command, ...args])
  if (remote !== undefined) return withVariables({ ...remote, name })
  const environment = pairsIn(whole['env']).map(([variable, value]) => valueOf(variable, value))
  return withVariables(draft({ kind: 'program', command, args, environment, name, auth: 'none' }))
}
