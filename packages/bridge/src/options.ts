/**
 * Reads the bridge's options from its command line and its environment, which is all that a client's configuration file can set.
 *
 * The key never comes from the command line, which every user of a machine can read. Pure except for the one file that may hold
 * the key, which is read through the given function.
 */
import { parseArgs } from 'node:util'

export const VERSION = '0.1.0'

export interface Options {
  readonly url: URL
  readonly key: string | undefined
  /** Where the key is to be set, for who has to. */
  readonly keySource: string
}

/** The action to take: run, print a text and exit successfully, or report a problem and exit with code 2. */
export type Told = { readonly run: Options } | { readonly print: string } | { readonly refuse: string }

export type Variables = Readonly<Record<string, string | undefined>>

export const HELP = `Usage: toolway-bridge --url ADDRESS

Connects an MCP client that starts its servers as processes to a Toolway gateway: MCP on stdin and stdout, in any
revision, and Streamable HTTP to the gateway. All other output goes to stderr.

Options:
  --url ADDRESS          the gateway, or one of its MCP addresses (or TOOLWAY_URL)
  --toolset SLUG         one toolset of the gateway
  --connection ALIAS     one connection of the gateway, with its tools under their own names
  --organization SLUG    the organization of the toolset or connection (default: default)
  --key-env NAME         the variable that contains the key (default: TOOLWAY_KEY)
  --key-file PATH        a file that contains the key (or TOOLWAY_KEY_FILE)
  --help, --version

HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply if Node supports them (24.5 and later); NODE_EXTRA_CA_CERTS always applies.

In a client's configuration:
  { "command": "toolway-bridge", "args": ["--url", "http://127.0.0.1:8787"], "env": { "TOOLWAY_KEY": "uru_…" } }

Exit codes: 0 success · 2 usage error
`

/** An address of this very machine. */
export const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** A sentence for who has said something that cannot be. */
class Refusal extends Error {}

const OPTIONS = {
  url: { type: 'string' },
  toolset: { type: 'string' },
  connection: { type: 'string' },
  organization: { type: 'string' },
  'key-env': { type: 'string' },
  'key-file': { type: 'string' },
  key: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

type Words = ReturnType<typeof wordsOf>

export function readOptions(args: readonly string[], variables: Variables, readFile: (path: string) => string): Told {
  try {
    const words = wordsOf(args)
    if (words.help === true) return { print: HELP }
    if (words.version === true) return { print: `${VERSION}\n` }
    if (words.key !== undefined)
      throw new Refusal(
        'A key passed as an argument can be read by every user of this machine: put it in the variable TOOLWAY_KEY, or specify another variable with --key-env.',
      )
    const url = addressOf(words, variables)
    return { run: { url, ...keyOf(words, variables, readFile) } }
  } catch (thrown) {
    if (thrown instanceof Refusal) return { refuse: thrown.message }
    throw thrown
  }
}

function wordsOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true }).values
  } catch (thrown) {
    // Node says what is wrong in its first sentence, and how to quote in the others.
    const [sentence = ''] = thrown instanceof Error ? thrown.message.split(/[.\n]\s/, 1) : []
    throw new Refusal(`${sentence.replace(/\.$/, '')}. \`toolway-bridge --help\` lists the options.`)
  }
}

const SLUG = /^[\w-]+$/

function addressOf(words: Words, variables: Variables): URL {
  const text = words.url ?? variables['TOOLWAY_URL']
  if (text === undefined || text === '')
    throw new Refusal('Specify the gateway: --url http://127.0.0.1:8787, or the variable TOOLWAY_URL.')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Refusal(`"${text}" is not a gateway address: it must begin with https:// or http://.`)
  if (url.username !== '' || url.password !== '')
    throw new Refusal('The address must not contain a user name or a password: set the key in TOOLWAY_KEY.')
  url.hash = ''
  url.pathname = pathOf(url, words)
  return url
}

function pathOf({ pathname }: URL, { toolset, connection, organization }: Words): string {
  const isBase = pathname === '/' || /^\/mcp\/?$/.test(pathname)
  const parts = { '--toolset': toolset, '--connection': connection, '--organization': organization }
  for (const [option, value] of Object.entries(parts))
    if (value !== undefined && !SLUG.test(value)) throw new Refusal(`"${value}" is not a valid name for ${option}.`)
  if (toolset === undefined && connection === undefined) {
    if (organization === undefined) return isBase ? '/mcp' : pathname
    return pathOf({ pathname } as URL, { toolset: 'default', organization })
  }
  if (toolset !== undefined && connection !== undefined)
    throw new Refusal('Use either --toolset or --connection, not both.')
  if (!isBase)
    throw new Refusal(
      'The address already points to an endpoint: omit --toolset, --connection and --organization, or remove the path from the address.',
    )
  const owner = organization ?? 'default'
  return toolset === undefined ? `/api/v1/${owner}/connectors/${connection}/mcp` : `/o/${owner}/t/${toolset}/mcp`
}

const DEFAULT_VARIABLE = 'TOOLWAY_KEY'
/** RFC 6750, section 2.1. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

function keyOf(
  words: Words,
  variables: Variables,
  readFile: (path: string) => string,
): Pick<Options, 'key' | 'keySource'> {
  const named = words['key-env']
  const variable = named ?? DEFAULT_VARIABLE
  const keyText = variables[variable]
  const file = words['key-file'] ?? (named === undefined && !keyText ? variables['TOOLWAY_KEY_FILE'] : undefined)
  if (file !== undefined) {
    const keySource = `the file ${file}`
    return { key: tokenOf(contentOf(file, readFile), keySource), keySource }
  }
  if (named !== undefined && !keyText)
    throw new Refusal(
      `The variable ${named}, which --key-env refers to, is not set: set it to the key in the client's configuration.`,
    )
  const keySource = `the variable ${variable}`
  // Without a key the gateway says what it thinks of that, in the client, where it is read.
  return { key: keyText ? tokenOf(keyText, keySource) : undefined, keySource }
}

function contentOf(file: string, readFile: (path: string) => string): string {
  try {
    return readFile(file)
  } catch (thrown) {
    const { code = 'unreadable' } = thrown as NodeJS.ErrnoException
    throw new Refusal(`The key file ${file} cannot be read (${code}).`)
  }
}

function tokenOf(text: string, source: string): string {
  const token = text.trim().replace(/^Bearer\s+/i, '')
  if (/^\$\{|^\$\w|^%\w+%$/.test(token))
    throw new Refusal(`The value of ${source} is a placeholder that this client does not replace: use the key itself.`)
  if (!TOKEN.test(token))
    throw new Refusal(`The value of ${source} is not a valid key: letters, digits and - . _ ~ + / only.`)
  return token
}
