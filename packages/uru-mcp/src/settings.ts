/**
 * Settings: the command line before the environment, the environment before `~/.uru-mcp.json`, the file before defaults (source system
 * Uru, section 1.2). A value that cannot be is refused by its name; it is never repeated, because it may be a key.
 */
import { parseArgs } from 'node:util'

/** Times in milliseconds. */
export interface Settings {
  readonly key: string | undefined
  readonly proxyUrl: URL
  readonly debug: boolean
  readonly poll: number
  readonly listChanged: boolean
  readonly pageSize: number
  readonly mostNamespaces: number
  readonly timeout: number
  /** Whether an argument `api_key` of a call is used. */
  readonly keyArgument: boolean
}

export type Command = 'serve' | 'setup' | 'test' | 'claude-config' | 'version' | 'help'

export interface Told {
  readonly command: Command
  readonly settings: Settings
}

/** A sentence for whoever said what cannot be. */
export class Refusal extends Error {}

export const HELP = `Usage: uru-mcp [options]

Serves the tools of a workspace over stdio (MCP). All other output goes to stderr.

Options:
  -k, --key KEY         the key (or URU_API_KEY)
  -p, --proxy-url URL   the address of the gateway (or URU_PROXY_URL)
  -d, --debug           log what happens to stderr (or URU_DEBUG)
  --setup               prompt for the key and the address, and write ~/.uru-mcp.json
  --test                check the address and the key, list the apps, and exit
  --claude-config       print the entry for a client's configuration
  --version, --help
`

type Source = Readonly<Record<string, unknown>>
type Variables = Readonly<Record<string, string | undefined>>

/** A setting: its variable, its member of the file, its bounds or kind. */
const NUMBERS = {
  poll: ['URU_TOOL_SYNC_POLL_MS', 'toolSyncPollMs', 60_000, 1_000, 3_600_000],
  pageSize: ['URU_MAX_TOOLS_PER_PAGE', 'maxToolsPerPage', 200, 1, 1_000],
  mostNamespaces: ['URU_MAX_NAMESPACES', 'maxNamespaces', 20, 1, 500],
  timeout: ['URU_TIMEOUT', 'timeout', 180_000, 1_000, 300_000],
} as const
const SWITCHES = {
  debug: ['URU_DEBUG', 'debug', false],
  listChanged: ['URU_ENABLE_TOOL_LIST_CHANGED', 'enableToolListChanged', true],
  keyArgument: ['URU_ALLOW_KEY_ARGUMENT', 'allowKeyArgument', false],
} as const
const DEFAULT_PROXY = 'http://127.0.0.1:8787'

/** @param file the content of the settings file; undefined where there is none. Throws Refusal. */
export function readSettings(args: readonly string[], variables: Variables, file: string | undefined): Told {
  const words = wordsOf(args)
  const stored = fileOf(file)
  const valueOf = (variable: string, member: string): unknown => {
    const value = variables[variable]
    return value === undefined || value === '' ? stored[member] : value
  }
  const number = (name: keyof typeof NUMBERS): number => {
    const [variable, member, normal, least, most] = NUMBERS[name]
    const value = valueOf(variable, member)
    if (value === undefined) return normal
    const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof read === 'number' && Number.isInteger(read) && read >= least && read <= most) return read
    throw new Refusal(`${variable} must be a whole number from ${least} to ${most}.`)
  }
  const isOn = (name: keyof typeof SWITCHES): boolean => {
    const [variable, member, normal] = SWITCHES[name]
    const value = String(valueOf(variable, member) ?? normal).toLowerCase()
    if (value === 'true' || value === '1') return true
    if (value === 'false' || value === '0') return false
    throw new Refusal(`${variable} must be true or false.`)
  }
  return {
    command: commandOf(words),
    settings: {
      key: keyIn(words.key ?? valueOf('URU_API_KEY', 'token')),
      proxyUrl: addressIn(words['proxy-url'] ?? valueOf('URU_PROXY_URL', 'proxyUrl') ?? DEFAULT_PROXY),
      debug: words.debug === true || isOn('debug'),
      poll: number('poll'),
      listChanged: isOn('listChanged'),
      pageSize: number('pageSize'),
      mostNamespaces: number('mostNamespaces'),
      timeout: number('timeout'),
      keyArgument: isOn('keyArgument'),
    },
  }
}

const OPTIONS = {
  key: { type: 'string', short: 'k' },
  'proxy-url': { type: 'string', short: 'p' },
  debug: { type: 'boolean', short: 'd' },
  setup: { type: 'boolean' },
  test: { type: 'boolean' },
  'claude-config': { type: 'boolean' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Words = ReturnType<typeof wordsOf>

function wordsOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true }).values
  } catch (thrown) {
    const [sentence = ''] = thrown instanceof Error ? thrown.message.split(/[.\n]\s/, 1) : []
    throw new Refusal(`${sentence.replace(/\.$/, '')}. \`uru-mcp --help\` lists the options.`)
  }
}

const commandOf = (words: Words): Command =>
  (['help', 'version', 'setup', 'test', 'claude-config'] as const).find((name) => words[name] === true) ?? 'serve'

function fileOf(text: string | undefined): Source {
  if (text === undefined) return {}
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Source
  } catch {
    // Said below.
  }
  throw new Refusal('~/.uru-mcp.json is not a JSON object: correct it, or create it again with `uru-mcp --setup`.')
}

/** What a header can hold (RFC 6750, section 2.1). */
function keyIn(value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined
  const key = typeof value === 'string' ? value.trim() : ''
  if (/^[A-Za-z0-9\-._~+/]+=*$/.test(key)) return key
  throw new Refusal('The key contains characters that are not allowed: letters, digits and - . _ ~ + / only.')
}

function addressIn(value: unknown): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Refusal('URU_PROXY_URL must be an address that begins with https:// or http://.')
  if (url.username !== '' || url.password !== '')
    throw new Refusal('URU_PROXY_URL must not contain a user name or a password: set the key in URU_API_KEY.')
  return url
}
