/** The command line as an MCP client of its own gateway: one request of revision 2026-07-28, its progress, its answer. */
import { endpointOf, Fault } from '@toolway/contract'
import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  isFailure,
  isObject,
  MODERN,
  parseJson,
  readMessage,
  type ErrorBody,
  type JsonObject,
  type Notification,
} from '@toolway/protocol'
import { createFetchTransport, exchange, type Incoming } from '@toolway/protocol/client'
import type { LoadedConfig } from '../config.ts'
import { openConfig } from './open-config.ts'
import { isProof } from '../vault/identity-proof.ts'
import { createVault } from '../vault/vault.ts'
import { keySourcesOf } from '../base/open-store.ts'
import { CommandFault, EXIT, type Output } from './terminal/output.ts'
import { keyOf } from './terminal/secret-words.ts'
import { addressOf, KEY_FILE } from './store.ts'

export interface Endpoint {
  readonly url: string
  readonly key: string | undefined
}

export interface EndpointWords {
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly keyEnv?: string | undefined
}

/** Where and with which key: what was said, else the environment, else this machine's own gateway and the key in its directory. */
export async function findEndpoint(words: EndpointWords, output: Pick<Output, 'progress'>): Promise<Endpoint> {
  const loaded = await openConfig()
  const url = words.url ?? loaded.lookup('TOOLWAY_URL')
  const key = keyOf(words, loaded.lookup, output) ?? loaded.lookup('TOOLWAY_KEY')
  if (url !== undefined) return { url: endpointIn(url), key }
  const address = await addressOf(loaded)
  const own = await readFile(join(loaded.config.TOOLWAY_DATA, KEY_FILE), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
  if (key !== undefined || own === undefined) return { url: `${address}/mcp`, key }
  // The local key opens the local gateway: it goes to no address that was named, and to no other program on its port.
  if (!(await isOwnGateway(address, loaded)))
    throw new CommandFault(
      `The program at ${address} is not the gateway for ${loaded.config.TOOLWAY_DATA}, so the key was not sent: start that gateway, or specify another with --url and --key-env.`,
      EXIT.unreachable,
    )
  return { url: `${address}/mcp`, key: own }
}

/** Throws CommandFault for what is no address. */
function endpointIn(text: string): string {
  const url = endpointOf(text)
  if (url === undefined) throw noAddress()
  return url
}

export const noAddress = () =>
  new CommandFault(
    'The address of the gateway (TOOLWAY_URL or --url) is not valid: it must begin with https:// or http://.',
    EXIT.usage,
  )

const CALLER = {
  revision: MODERN,
  capabilities: {},
  client: { name: 'toolway-cli', version: '0.1.0' },
  logLevel: 'info',
} as const

export async function ask(
  endpoint: Endpoint,
  method: string,
  params: JsonObject,
  onNotification: (notification: Notification) => void = () => {},
): Promise<JsonObject> {
  const { url } = endpoint
  let status = 0
  const transport = createFetchTransport({
    alias: url,
    url,
    async fetch(address, init) {
      const response = await request(endpoint, address, init)
      status = response.status
      return response
    },
    refusal: (incoming) => refusalOf(url, incoming),
  })
  const answer = await exchange(transport, () => 1, {
    method,
    params: { ...params, _meta: { progressToken: 'cli' } },
    caller: CALLER,
    signal: new AbortController().signal,
    onNotification,
  }).catch((thrown: unknown) => {
    throw thrown instanceof Fault ? noMessage(url, status) : thrown
  })
  if ('error' in answer) throw failureOf(answer.error, EXIT.failed)
  return answer.result
}

const noMessage = (url: string, status: number) =>
  new CommandFault(`${url} returned HTTP ${status} without an MCP message: is it a Toolway address?`, EXIT.unreachable)

/** A refusal in the gateway's own words where it has some. */
function refusalOf(url: string, { status, text }: Incoming): CommandFault {
  try {
    const message = readMessage(parseJson(text))
    if ('error' in message && isFailure(message))
      return failureOf(message.error, status === 401 ? EXIT.unreachable : EXIT.failed)
  } catch {
    // No message at all.
  }
  return noMessage(url, status)
}

function failureOf({ message, data }: ErrorBody, code: number): CommandFault {
  const mend = isObject(data) && typeof data['mend'] === 'string' ? data['mend'] : undefined
  return new CommandFault([message, mend].flatMap(sentenceOf).join(' '), code)
}

const unreachable = (url: string, cause: unknown) =>
  new CommandFault(
    `No Toolway gateway is responding at ${url}. Start one with \`npm start\` or \`npx toolway start\`, or specify another address with --url.`,
    EXIT.unreachable,
    { cause },
  )

const PATIENCE_MS = 5_000

/** A gateway that was killed leaves its address behind, and any program may listen there since. */
export async function isOwnGateway(address: string, { config }: LoadedConfig): Promise<boolean> {
  const { keys } = await keySourcesOf({ directory: config.TOOLWAY_DATA, keys: config }).find()
  if (keys.length === 0) return false
  // Whichever of them the gateway signs with: that it holds one of them is what is asked.
  const vault = createVault({ roots: keys.map(({ root }) => root) })
  const challenge = randomBytes(32).toString('hex')
  const { hostname, port } = new URL(address)
  const response = await fetch(`${address}/health/live?challenge=${challenge}`, {
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((thrown: unknown) => {
    throw unreachable(`${address}/mcp`, thrown)
  })
  const answer = (await response.json().catch(() => undefined)) as { proof?: unknown } | undefined
  const places = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => [])
  return places.some((listenAddress) =>
    isProof(vault, challenge, { address: listenAddress.address, port: Number(port) || 80 }, answer?.proof),
  )
}

async function request({ key }: Endpoint, url: string, init: RequestInit): Promise<Response> {
  // No header can carry it, which fetch would tell as if nobody answered.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new CommandFault('The key contains spaces or line breaks: enter only the key, as it was shown.', EXIT.usage)
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
  try {
    return await fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), ...authorization } })
  } catch (thrown) {
    throw unreachable(url, thrown)
  }
}

const sentenceOf = (text: string | undefined): string[] =>
  text === undefined || text === '' ? [] : [/[.!?]$/.test(text) ? text : `${text}.`]

/** All pages. */
export async function listTools(endpoint: Endpoint): Promise<JsonObject[]> {
  const found: JsonObject[] = []
  for (let cursor: string | undefined, more = true; more;) {
    const page = await ask(endpoint, 'tools/list', cursor === undefined ? {} : { cursor })
    found.push(...(page['tools'] as JsonObject[]))
    more = typeof page['nextCursor'] === 'string'
    cursor = more ? String(page['nextCursor']) : undefined
  }
  return found
}
