/** The command line as an MCP client of its own gateway: one request of revision 2026-07-28, its progress, its answer. */
import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  headersFor,
  isFailure,
  isNotification,
  isResponse,
  MODERN,
  readMessage,
  parseJson,
  writeEnvelope,
  type JsonObject,
  type Message,
  type Notification,
} from '@toolway/protocol'
import { createParser } from 'eventsource-parser'
import { loadConfig, type LoadedConfig } from '../config.ts'
import { isProof } from '../vault/identity-proof.ts'
import { createVault } from '../vault/vault.ts'
import { keySourcesOf } from '../admin/installation/open-store.ts'
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
  const loaded = loadConfig()
  const given = words.url ?? loaded.lookup('TOOLWAY_URL')
  const key = keyOf(words, loaded.lookup, output) ?? loaded.lookup('TOOLWAY_KEY')
  if (given !== undefined) return { url: given, key }
  const address = await addressOf(loaded)
  const own = await readFile(join(loaded.config.TOOLWAY_DATA, KEY_FILE), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
  if (key !== undefined || own === undefined) return { url: `${address}/mcp`, key }
  // The local key opens the local gateway: it goes to no address that was named, and to no other program on its port.
  if (!(await isOwnGateway(address, loaded)))
    throw new CommandFault(
      `What answers at ${address} is not the gateway of ${loaded.config.TOOLWAY_DATA}, so its key is not sent there: start that one, or name another with --url and --key-env.`,
      EXIT.unreachable,
    )
  return { url: `${address}/mcp`, key: own }
}

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
  const full = writeEnvelope(params, CALLER, 'cli')
  const response = await post(endpoint, method, full)
  const answer = await readAnswer(response, onNotification)
  if (answer === undefined)
    throw new CommandFault(
      `${endpoint.url} answered HTTP ${response.status} without an MCP message: is it a Toolway address?`,
      EXIT.unreachable,
    )
  if (!isFailure(answer)) return answer.result
  const mend = (answer.error.data as { mend?: string } | undefined)?.mend
  throw new CommandFault(
    [answer.error.message, mend].flatMap(sentenceOf).join(' '),
    response.status === 401 ? EXIT.unreachable : EXIT.failed,
  )
}

const unreachable = (url: string, cause: unknown) =>
  new CommandFault(
    `No Toolway answers at ${url}: start it with \`npm start\` or \`npx toolway start\`, or name another address with --url.`,
    EXIT.unreachable,
    { cause },
  )

const PATIENCE = 5_000

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
    signal: AbortSignal.timeout(PATIENCE),
  }).catch((thrown: unknown) => {
    throw unreachable(`${address}/mcp`, thrown)
  })
  const said = (await response.json().catch(() => undefined)) as { proof?: unknown } | undefined
  const places = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(() => [])
  return places.some((place) =>
    isProof(vault, challenge, { address: place.address, port: Number(port) || 80 }, said?.proof),
  )
}

async function post({ url, key }: Endpoint, method: string, params: JsonObject): Promise<globalThis.Response> {
  // No header can carry it, which fetch would tell as if nobody answered.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new CommandFault('The key has spaces or line breaks in it: give the key alone, as it was shown.', EXIT.usage)
  try {
    return await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headersFor(method, params, []),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  } catch (thrown) {
    throw unreachable(url, thrown)
  }
}

const sentenceOf = (text: string | undefined): string[] =>
  text === undefined || text === '' ? [] : [/[.!?]$/.test(text) ? text : `${text}.`]

async function readAnswer(response: globalThis.Response, onNotification: (notification: Notification) => void) {
  const type = response.headers.get('content-type') ?? ''
  if (!type.startsWith('text/event-stream')) return answerIn(await response.text())
  let answer: Message | undefined
  const parser = createParser({
    onEvent({ data }) {
      const message = readMessage(parseJson(data))
      if (isNotification(message)) onNotification(message)
      else answer = message
    },
  })
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
  return answer !== undefined && isResponse(answer) ? answer : undefined
}

function answerIn(text: string) {
  try {
    const message = readMessage(parseJson(text))
    return isResponse(message) ? message : undefined
  } catch {
    return undefined
  }
}
