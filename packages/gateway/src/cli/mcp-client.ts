/** The command line as an MCP client of its own gateway: one request of revision 2026-07-28, its progress, its answer. */
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
import { loadConfig } from '../config.ts'
import { CommandFault, EXIT } from './output.ts'
import { addressOf, KEY_FILE } from './store.ts'

export interface Endpoint {
  readonly url: string
  readonly key: string | undefined
}

export interface EndpointWords {
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly path?: string
}

/** Where and with which key: what was said, else the environment, else this machine's own gateway and the key in its directory. */
export async function findEndpoint({ url, key, path = '/mcp' }: EndpointWords): Promise<Endpoint> {
  const loaded = loadConfig()
  const given = url ?? loaded.lookup('TOOLWAY_URL')
  const own = await readFile(join(loaded.config.TOOLWAY_DATA, KEY_FILE), 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
  const base = given ?? `${await addressOf(loaded)}${path}`
  // The local key opens the local gateway; it is never sent to an address that was named.
  return { url: base, key: key ?? loaded.lookup('TOOLWAY_KEY') ?? (given === undefined ? own : undefined) }
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
    [answer.error.message, mend].filter(Boolean).join(' '),
    response.status === 401 ? EXIT.unreachable : EXIT.failed,
  )
}

async function post({ url, key }: Endpoint, method: string, params: JsonObject): Promise<globalThis.Response> {
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
    throw new CommandFault(
      `No Toolway answers at ${url}: start it with \`npm start\` or \`npx toolway start\`, or name another address with --url.`,
      EXIT.unreachable,
      { cause: thrown },
    )
  }
}

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
