/**
 * Reads the servers from a client's configuration: Claude's and Cursor's `mcpServers`, VS Code's `servers`, Gemini's `httpUrl`,
 * Windsurf's `serverUrl`, Zed's `context_servers`, one server by itself, or a fragment of a file. Pure.
 */
import { isFields, limitedTools, LIMIT_MEMBERS, limitsAround, limitsOf, type Fields } from '@toolway/contract'
import { draft, valueOf, withVariables, type Draft } from '../draft.ts'
import { readLoosely } from './loose-json.ts'
import { carriedBy, remoteOf } from './remote.ts'

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])
const pairsIn = (value: unknown): [string, string][] =>
  isFields(value) ? Object.entries(value).map(([name, said]) => [name, String(said ?? '')]) : []

/** Undefined for what is no configuration. */
export function serversIn(text: string): Draft[] | undefined {
  const read = readLoosely(text)
  if (!isFields(read)) return undefined
  const around = limitsAround(read, { isOpencode: isFields(read['mcp']) && !isFields(read['mcpServers']) })
  const drafts = Object.entries(namedIn(read)).flatMap(([name, said]) => {
    const found = serverOf(name, said)
    if (found === undefined || !isFields(said)) return []
    const limits = limitsOf(said, around(name).limits)
    return [{ ...found, tools: limits === undefined ? undefined : limitedTools(limits), unread: unreadIn(said) }]
  })
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
/** Members that are read, or that mean something only in the screens of a client. */
const READ = new Set([
  ...[
    'type',
    'transport',
    'name',
    'description',
    'command',
    'args',
    'env',
    'environment',
    'disabled',
    'enabled',
    'source',
  ],
  ...['url', 'serverUrl', 'httpUrl', 'uri', 'headers', 'http_headers', 'requestInit', 'requestOptions', 'settings'],
  ...['bearerToken', 'bearer_token', 'bearer_token_env_var'],
  ...LIMIT_MEMBERS,
])
const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)
const unreadIn = (said: Fields): string[] => Object.keys(said).filter((name) => !READ.has(name) && !isEmpty(said[name]))

/** Headers from all their places; a bearer token becomes one. */
function headersIn(said: Fields): [string, string][] {
  const [init, options] = [said['requestInit'], said['requestOptions']]
  const found = [isFields(init) ? init['headers'] : undefined, isFields(options) ? options['headers'] : undefined]
  const headers = [...found, said['http_headers'], said['headers']].flatMap(pairsIn)
  const variable = textOf(said['bearer_token_env_var'])
  const token = textOf(said['bearerToken']) ?? textOf(said['bearer_token']) ?? (variable && `\${${variable}}`)
  const isThere = headers.some(([name]) => name.toLowerCase() === 'authorization')
  return token === undefined || token === '' || isThere ? headers : [...headers, ['Authorization', `Bearer ${token}`]]
}

const isServer = (said: Fields): boolean => addressOf(said) !== undefined || said['command'] !== undefined

function serverOf(name: string, said: unknown): Draft | undefined {
  if (!isFields(said) || !isServer(said)) return undefined
  const url = addressOf(said)
  if (url !== undefined) return withVariables({ ...remoteOf({ url, headers: headersIn(said) }), name })
  // Zed's: the command is an object of its own.
  const whole = isFields(said['command']) ? { ...said, ...said['command'], command: said['command']['path'] } : said
  const [command, ...first] = Array.isArray(whole['command'])
    ? listOf(whole['command'])
    : [textOf(whole['command']) ?? '']
  if (command === undefined || command === '') return undefined
  const args = [...first, ...listOf(whole['args'])]
  const remote = carriedBy([command, ...args])
  if (remote !== undefined) return withVariables({ ...remote, name })
  const environment = [...pairsIn(whole['environment']), ...pairsIn(whole['env'])].map(([variable, value]) =>
    valueOf(variable, value),
  )
  return withVariables(draft({ kind: 'program', command, args, environment, name, auth: 'none' }))
}
