/**
 * The shared MCP client, as the toolkit uses it: the tools of one server and calls of them, in the era that the server speaks, over HTTP
 * or the standard streams of a process. The way to the server is opened by the first request and again after it was lost.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import {
  callOn,
  createChannel,
  createFetchTransport,
  discover,
  discoverOn,
  exchange,
  initializeOn,
  isInitializeRefused,
  NOBODY,
  openLegacySession,
  SessionLost,
  type Answer,
  type ClientRequest,
} from '@toolway/protocol/client'
import { VERSION } from '../../version.ts'
import { RemoteFailure } from '../remote-failure.ts'
import { Shared } from '../shared.ts'
import type { Doing } from '../workbench.ts'
import { openChildPipe } from './child-pipe.ts'
import { requestRemote, refusalOf, type Remote } from './http.ts'

export type Server =
  | { readonly url: string; readonly remote: Remote }
  | {
      readonly name: string
      readonly command: readonly [string, ...string[]]
      readonly environment: Readonly<Record<string, string | undefined>>
    }

interface Opened {
  ask(request: ClientRequest): Promise<Answer>
  close(): void
}

const CLIENT = { name: 'toolway-toolkit', version: VERSION }
const CALLER = { ...NOBODY, capabilities: {}, client: CLIENT }
const MOST_PAGES = 100
/** Seconds. */
const PATIENCE = { greeting: 30, request: 180 }
const TOKEN = 'toolkit'
/** Milliseconds for a process that broke off to say how it ended. */
const LAST_MS = 1_000

export class McpClient {
  readonly #server: Server
  readonly #opened = new Shared<Opened>()
  #last = 0

  constructor(server: Server) {
    this.#server = server
  }

  get name(): string {
    return 'remote' in this.#server ? this.#server.remote.name : this.#server.name
  }

  /** Names of all tools. */
  async toolNames({ signal }: Doing): Promise<ReadonlySet<string>> {
    const names = new Set<string>()
    let cursor: unknown
    for (let page = 0; page < MOST_PAGES; page++) {
      const result = await this.#ask('tools/list', typeof cursor === 'string' ? { cursor } : {}, { signal })
      for (const tool of Array.isArray(result['tools']) ? result['tools'] : [])
        if (isObject(tool) && typeof tool['name'] === 'string') names.add(tool['name'])
      cursor = result['nextCursor']
      if (cursor === undefined) break
    }
    return names
  }

  /** The result of a tool, also one that says `isError`. Throws a `RemoteFailure`. */
  callTool(
    name: string,
    value: JsonObject,
    call: Doing & { onProgress?: (message: string) => void },
  ): Promise<JsonObject> {
    return this.#ask('tools/call', { name, arguments: value, _meta: { progressToken: TOKEN } }, call)
  }

  async #ask(
    method: string,
    params: JsonObject,
    { signal, onProgress }: Doing & { onProgress?: (message: string) => void },
  ): Promise<JsonObject> {
    const request: ClientRequest = {
      method,
      params,
      caller: CALLER,
      signal,
      onNotification({ method: message, params: value }) {
        if (message === 'notifications/progress' && typeof value?.['message'] === 'string')
          onProgress?.(value['message'])
      },
    }
    let opened: Opened | undefined
    let answer
    try {
      opened = await this.#open(signal)
      answer = await opened.ask(request)
    } catch (thrown) {
      signal.throwIfAborted()
      if (opened !== undefined && isLost(thrown)) this.#opened.drop(opened)
      throw this.#failureOf(thrown)
    }
    if ('error' in answer) throw failureOf(answer.error)
    return answer.result
  }

  #open(signal: AbortSignal): Promise<Opened> {
    const server = this.#server
    return this.#opened.get(signal, (making) =>
      'url' in server ? this.#openHttp(server, making) : this.#openChild(server, making),
    )
  }

  #ids = () => ++this.#last

  async #openHttp({ url, remote }: Extract<Server, { url: string }>, signal: AbortSignal): Promise<Opened> {
    const transport = createFetchTransport({
      alias: remote.name,
      url,
      fetch: (address, init) => requestRemote(remote, address, init),
      refusal: ({ status, text, headers }) => refusalOf(remote, { status, headers: plain(headers) }, jsonIn(text)),
    })
    try {
      await discover(transport, this.#ids, signal)
      return { ask: (request) => exchange(transport, this.#ids, request), close() {} }
    } catch (thrown) {
      if (!isInitializeRefused(thrown) && !isUnknownThere(thrown)) throw thrown
    }
    const session = await openLegacySession(() => transport, this.#ids, {
      revision: undefined,
      capabilities: {},
      logLevel: undefined,
      client: CLIENT,
      signal,
      onListChanged() {},
    })
    return {
      ask: (request) =>
        session.ask({ onNotification() {}, ...request, session, onQuestion: () => Promise.resolve(NOBODY_TO_ASK) }),
      close: () => void session.close(),
    }
  }

  async #openChild(
    { name, command, environment }: Extract<Server, { command: readonly string[] }>,
    signal: AbortSignal,
  ): Promise<Opened> {
    const connection: { opened?: Opened } = {}
    const channel = createChannel({
      alias: name,
      owned: true,
      send: (text) =>
        child.send(text).catch(() => {
          throw new Fault('upstream.lost', { connection: name })
        }),
      onNotification() {},
      // A server that prints to its standard output.
      onNoise() {},
    })
    const child = openChildPipe(command, {
      environment,
      onText: (text) => channel.receive(text),
      onEnd: () => {
        channel.end(new Fault('upstream.lost', { connection: name }))
        if (connection.opened !== undefined) this.#opened.drop(connection.opened)
      },
    })
    const greeting = { alias: name, signal, timeout: PATIENCE.greeting }
    let era: 'modern' | 'legacy' = 'modern'
    try {
      await discoverOn(channel, { ...greeting, id: this.#ids() }).catch(async (thrown: unknown) => {
        if (!isInitializeRefused(thrown)) throw thrown
        era = 'legacy'
        await initializeOn(channel, { ...greeting, id: this.#ids() })
      })
    } catch (thrown) {
      child.close()
      if (!isLost(thrown)) throw thrown
      const how = await Promise.race([child.ended, sleep(LAST_MS, 'ended')])
      throw new RemoteFailure(`${name} ${how} before it answered: check TOOLWAY_WORKBENCH_COMMAND.`)
    }
    connection.opened = {
      ask: (request) =>
        callOn(channel, this.#ids(), request, {
          era,
          timeout: PATIENCE.request,
          onQuestion: () => Promise.resolve(NOBODY_TO_ASK),
        }),
      close: () => child.close(),
    }
    return connection.opened
  }

  #failureOf(thrown: unknown): unknown {
    const lost = isLost(thrown)
    if (thrown instanceof RemoteFailure || !(lost || thrown instanceof Fault)) return thrown
    const message = thrown instanceof Fault ? thrown.message : `The session with ${this.name} has ended.`
    return new RemoteFailure(/[.!?]$/.test(message) ? message : `${message}.`, { kind: lost ? 'passing' : 'lasting' })
  }
}

const NOBODY_TO_ASK = { error: { code: -32601, message: 'Nobody can be asked here.' } }
const LOST: ReadonlySet<string> = new Set(['upstream.lost', 'upstream.unreachable', 'upstream.timeout'])
const isLost = (thrown: unknown): boolean =>
  thrown instanceof SessionLost || (thrown instanceof Fault && LOST.has(thrown.code))
/** A server of the older era may answer a method that it does not know with a status. */
const isUnknownThere = (thrown: unknown): boolean =>
  thrown instanceof RemoteFailure && [400, 404, 405].includes(Number(thrown.facts['status']))

const plain = (headers: Readonly<Record<string, string | readonly string[] | undefined>>): Headers => {
  const later = headers['retry-after']
  return new Headers(typeof later === 'string' ? { 'retry-after': later } : {})
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An error in the words of the server, with what it says a client may do about it. */
function failureOf({ message, data }: { message: string; data?: unknown }): RemoteFailure {
  const value = isObject(data) ? data : {}
  const kind = value['code'] === 'PAYLOAD_TOO_LARGE' ? 'too-large' : value['retryable'] === true ? 'passing' : 'lasting'
  const mend = typeof value['mend'] === 'string' ? value['mend'] : undefined
  const words = [message, mend].flatMap((text) =>
    text === undefined || text === '' ? [] : [/[.!?]$/.test(text) ? text : `${text}.`],
  )
  return new RemoteFailure(words.join(' '), { kind, details: { data: value } })
}
