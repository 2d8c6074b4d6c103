/**
 * What a request says of a connection, in our words or in the source system's, as one description: pure, and without a judgement of
 * who may say it.
 */
import {
  CONNECTORS,
  contractWordsOf,
  Fault,
  kindOf,
  type ConnectionSecrets,
  type ConnectionSettings,
  type Connector,
  type OpenApiSettings,
} from '@toolway/contract'
import type { ConnectionChange, NewConnection } from '@toolway/contract/admin'
import { isDeepStrictEqual } from 'node:util'
import { MASK } from '../../lib/secret-marks.ts'
import type { ApiWords, ConnectionWords } from './describe-connection.ts'

type Said = NewConnection | ConnectionChange
type Pairs = Readonly<Record<string, string | null>>

const EXTERNAL = /^external_(python|nodejs|go|custom)$/
const TAKES =
  'mcp.http, mcp.process, contract; or runtime_type external_python, external_nodejs, external_go, external_custom'

const misfit = (place: string, problem: string) => new Fault('body.shape', { place, problem })

/** What kind of connection is described. Throws `connector.unknown`, and `body.shape` where nothing says it. */
export function connectorOf(said: NewConnection): Connector {
  const { connector, connector_type: type, runtime_type: runtime } = said
  const named = connector ?? type
  if (named === 'openapi') throw misfit('/connector', 'is connected at …/connectors/openapi, with its document')
  const known = CONNECTORS.find((one) => one === named)
  if (known !== undefined) return known
  if (runtime !== undefined && EXTERNAL.test(runtime)) return 'mcp.process'
  // `custom` only says that it is none of the source system's own.
  if (named !== undefined && named !== 'custom')
    throw new Fault('connector.unknown', { connector: named, connectors: TAKES })
  if (runtime !== undefined) throw new Fault('connector.unknown', { connector: runtime, connectors: TAKES })
  if (said.url !== undefined) return 'mcp.http'
  if (said.command !== undefined || said.runtime_command !== undefined) return 'mcp.process'
  throw misfit('/connector', `is missing: ${TAKES}`)
}

const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  external_nodejs: ['npx', '-y'],
  external_python: ['uvx'],
}

/** The words of the command line, as far as any are said. */
function commandOf(said: Said): { command?: string; args?: string[] } {
  const { command, args, runtime_command: runtime, package_path: path, runtime_type: type = '' } = said
  if (runtime === undefined && path === undefined)
    return { ...(command === undefined ? {} : { command }), ...(args === undefined ? {} : { args }) }
  if (command !== undefined || args !== undefined) throw misfit('/command', 'is said in two ways')
  if (runtime !== undefined && path !== undefined)
    throw misfit('/package_path', 'is for a package without a command of its own')
  const words = path === undefined ? wordsIn(runtime ?? []) : [...(RUNNERS[type] ?? []), path]
  const [program, ...rest] = words
  if (program === undefined || program === '') throw misfit('/runtime_command', 'holds no word')
  return { command: program, args: rest }
}

/** No shell reads it, so a text is either a list in JSON or words with spaces between them. */
function wordsIn(said: readonly string[] | string): readonly string[] {
  if (typeof said !== 'string') return said
  if (!said.trimStart().startsWith('[')) return said.split(/\s+/).filter((word) => word !== '')
  try {
    const read: unknown = JSON.parse(said)
    if (Array.isArray(read) && read.every((word) => typeof word === 'string')) return read
  } catch {
    // Told below.
  }
  throw misfit('/runtime_command', 'is no list of texts in JSON')
}

/** The source system gives its configuration to a program as variables `CONFIG_NAME`. */
function environmentOf({ configuration = {}, runtime_env: runtime = {}, environment = {} }: Said): Pairs {
  const configured = Object.entries(configuration).map(([name, value]) => [
    `CONFIG_${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return { ...(Object.fromEntries(configured) as Pairs), ...runtime, ...environment }
}

/** What is held of a connection, with its secrets. */
export interface Held {
  readonly settings: ConnectionSettings
  readonly secrets: ConnectionSecrets
}

export interface Described {
  readonly words: Omit<ConnectionWords, 'shown'>
  /** Whether what was held goes to another server or program than the one that it was given for. */
  readonly moved: boolean
  /** Whether a secret that is held was not said anew. */
  readonly keeps: boolean
}

/** A connection as it is to be: what is said, over what is held. */
export function describe(connector: Connector, said: Said, held: Held | undefined): Described {
  const shared = {
    revision: said.revision ?? held?.settings.revision ?? 'auto',
    checks: said.checks ?? held?.settings.checks,
    timeout: said.timeout ?? held?.settings.timeout ?? kindOf(connector).timeout,
  }
  return connector === 'mcp.process'
    ? describeProcess(shared, said, held)
    : describeRemote(connector, shared, said, held)
}

function describeRemote(
  connector: 'mcp.http' | 'contract' | 'openapi',
  shared: Pick<ConnectionWords, 'revision' | 'timeout' | 'checks'>,
  said: Said,
  held: Held | undefined,
): Described {
  refuseWords(said, [
    'command',
    'args',
    'environment',
    'runtime_command',
    'runtime_env',
    'package_path',
    'configuration',
    connector === 'contract' ? 'auth' : 'contract',
    ...(connector === 'openapi' ? [] : ['openapi']),
  ])
  const settings = held?.settings
  const shown = settings === undefined || settings.connector === 'mcp.process' ? undefined : settings.url
  const before = held?.secrets.url ?? shown
  // What was shown comes back unchanged from whoever changes something else.
  const url = said.url === undefined || said.url === shown ? before : said.url
  if (url === undefined) throw misfit('/url', 'is missing')
  if (url !== before) refuseMask('/url', url)
  const { pairs, kept } = merged('/headers', held?.secrets.headers ?? {}, said.headers ?? {}, true)
  const lets = settings?.connector === 'mcp.http' || settings?.connector === 'openapi' ? settings.auth : {}
  const auth = { ...lets, ...said.auth }
  const words = { ...(settings?.connector === 'contract' ? contractWordsOf(settings) : {}), ...said.contract }
  const api = settings?.connector === 'openapi' ? { api: apiOf(settings, said) } : {}
  return {
    words: {
      ...shared,
      wire:
        connector === 'contract'
          ? { kind: 'contract', url, headers: pairs, words }
          : { kind: 'http', url, headers: pairs, auth, ...api },
    },
    moved: before !== undefined && originOf(before) !== originOf(url),
    keeps: kept || (held?.secrets.url !== undefined && url === before),
  }
}

function apiOf({ document, select, effects, key }: OpenApiSettings, said: Said): ApiWords {
  const next = 'openapi' in said ? said.openapi : undefined
  return {
    document,
    select: next?.select ?? select,
    effects: next?.effects ?? effects,
    key: next?.key === undefined ? key : (next.key ?? undefined),
  }
}

function describeProcess(
  shared: Pick<ConnectionWords, 'revision' | 'timeout' | 'checks'>,
  said: Said,
  held: Held | undefined,
): Described {
  refuseWords(said, ['url', 'headers', 'private', 'auth', 'contract', 'openapi'])
  const shown = held?.settings.connector === 'mcp.process' ? held.settings : undefined
  const next = commandOf(said)
  const command = next.command ?? shown?.command
  if (command === undefined) throw misfit('/command', 'is missing')
  const before = held?.secrets.args ?? shown?.args ?? []
  const args = next.args === undefined || isDeepStrictEqual(next.args, shown?.args) ? before : next.args
  if (args !== before) for (const [at, arg] of args.entries()) refuseMask(`/args/${at}`, arg)
  const { pairs, kept } = merged('/environment', held?.secrets.environment ?? {}, environmentOf(said), false)
  return {
    words: { ...shared, wire: { kind: 'process', command, args, environment: pairs } },
    moved: shown !== undefined && (command !== shown.command || !isDeepStrictEqual(args, before)),
    keeps: kept || (held?.secrets.args !== undefined && args === before),
  }
}

/** What would go nowhere is refused: whoever says it means it to have an effect. */
function refuseWords(said: object, names: readonly string[]): void {
  const wrong = names.find((name) => name in said && (said as Record<string, unknown>)[name] !== undefined)
  if (wrong !== undefined) throw misfit(`/${wrong}`, 'is not for a connection of this kind')
}

function refuseMask(place: string, text: string): void {
  if (text.includes(MASK)) throw misfit(place, 'holds a mask where a secret was: say it in full')
}

/** Named pairs over those that are held; null takes one away. Names of headers are alike in any case. */
function merged(place: string, held: Readonly<Record<string, string>>, said: Pairs, anyCase: boolean) {
  const keyOf = (name: string) => (anyCase ? name.toLowerCase() : name)
  const named = new Set(Object.keys(said).map(keyOf))
  const kept = Object.entries(held).filter(([name]) => !named.has(keyOf(name)))
  const given = Object.entries(said).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  for (const [name, value] of given) refuseMask(`${place}/${name}`, value)
  return { pairs: Object.fromEntries([...kept, ...given]), kept: kept.length > 0 }
}

const originOf = (url: string): string => {
  const { protocol, host } = URL.parse(url) ?? { protocol: '', host: url }
  return `${protocol}//${host}`
}
