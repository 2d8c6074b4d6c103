/**
 * The legacy session at the gateway (revisions 2024-11-05 to 2025-11-25): opened as its client opened it, carried in the
 * headers of every request, and ended with the bridge.
 *
 * A gateway that was restarted does not know it any more. Then it is opened again with the client's own words, once for all
 * who wait, and given back what the client had set: log level and watched resources. The client sees nothing of it but
 * that its lists may have changed.
 */
import { Fault } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { initialize, InitializeRefused, isInitializeRefused, sessionOf, type Transport } from '@toolway/protocol/client'
import { readJson, type HearParts } from './ask.ts'
import type { Answered, Gateway } from './gateway.ts'
import { createGatewayTransport, nextId } from './gateway-transport.ts'

/** One life of the session; another one takes its place when it is lost. */
export interface Life {
  readonly headers: Readonly<Record<string, string>>
  /** Undefined where the gateway keeps none. */
  readonly id: string | undefined
  readonly revision: string
  readonly capabilities: JsonObject
  readonly ended: AbortController
}

export interface SessionParts extends HearParts {
  readonly gateway: Gateway
  /** A session has begun, the first or another: its own stream may be opened. */
  onLife(life: Life): void
}

export interface Session {
  /** The life to speak in; waits while it is being renewed. */
  life(): Promise<Life | undefined>
  /** The client's `initialize` was answered. */
  begin(opening: Buffer, answered: Answered, result: string): void
  /** The client says that it is ready, which the gateway has heard. */
  ready(): void
  /** The gateway does not know that life any more. Rejects with a Fault where no other can be opened. */
  renew(lost: Life): Promise<Life>
  /** Records session state that the client has set, to restore it in a later session. */
  remember(method: string, params: JsonObject): void
  /** Something may have changed that nobody has told: whoever was away looks again. */
  missed(life: Life): void
  /** Say goodbye; waits no longer than the signal. */
  end(signal: AbortSignal): Promise<void>
}

/** Resources that are watched again after a loss. */
const MOST_WATCHED = 1_000

export function createSession(parts: SessionParts): Session {
  return new BridgeSession(parts)
}

class BridgeSession implements Session {
  readonly #parts: SessionParts
  #opening: Buffer | undefined
  #now: Life | undefined
  #level: JsonObject | undefined
  readonly #watched = new Map<Json, JsonObject>()
  #renewal: Promise<Life> | undefined
  readonly #transport: Transport

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#transport = createGatewayTransport(parts)
  }

  async life() {
    return this.#renewal === undefined ? this.#now : this.#renewal.catch(() => this.#now)
  }

  begin(words: Buffer, answered: Answered, result: string) {
    const life = this.#lifeOf(answered, result)
    if (life === undefined) return
    const before = this.#now
    this.#opening = words
    this.#now = life
    this.#level = undefined
    this.#watched.clear()
    if (before !== undefined) void this.#farewell(before, AbortSignal.timeout(GOODBYE))
  }

  ready() {
    if (this.#now !== undefined) this.#parts.onLife(this.#now)
  }

  async renew(lost: Life): Promise<Life> {
    if (this.#now !== undefined && this.#now !== lost) return this.#now
    this.#renewal ??= this.#open(lost)
      .then((life) => {
        lost.ended.abort()
        this.#now = life
        this.#parts.tell('The gateway lost this session; it has been reopened.')
        this.#parts.onLife(life)
        this.missed(life)
        return life
      })
      .finally(() => (this.#renewal = undefined))
    return this.#renewal
  }

  missed({ capabilities }: Life): void {
    const writeMessage = (method: string, params?: JsonObject) =>
      this.#parts.outlet.write(JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }))
    for (const kind of ['tools', 'prompts', 'resources']) {
      const capability = capabilities[kind]
      if (isObject(capability) && capability['listChanged'] === true) writeMessage(`notifications/${kind}/list_changed`)
    }
    for (const uri of this.#watched.keys()) writeMessage('notifications/resources/updated', { uri })
  }

  remember(method: string, params: JsonObject) {
    const uri = params['uri'] ?? null
    if (method === 'logging/setLevel') this.#level = params
    else if (method === 'resources/unsubscribe') this.#watched.delete(uri)
    else if (method === 'resources/subscribe' && this.#watched.size < MOST_WATCHED) this.#watched.set(uri, params)
  }

  async end(signal: AbortSignal) {
    if (this.#now !== undefined) await this.#farewell(this.#now, signal)
  }

  #post(headers: Life['headers'], message: JsonObject) {
    return this.#transport.send({ method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
  }

  #lifeOf(answered: Answered, text: string): Life | undefined {
    const message = readJson(text)
    const result = isObject(message) ? message['result'] : undefined
    if (!isObject(result)) return undefined
    const { protocolVersion, capabilities } = result
    const revision = typeof protocolVersion === 'string' ? protocolVersion : ''
    return {
      ...sessionOf(answered, revision),
      revision,
      capabilities: isObject(capabilities) ? capabilities : {},
      ended: new AbortController(),
    }
  }

  async #open(lost: Life): Promise<Life> {
    const words = this.#opening === undefined ? undefined : readJson(this.#opening.toString())
    const params = isObject(words) && isObject(words['params']) ? words['params'] : {}
    const { serverInfo, ...opened } = await initialize(this.#transport, nextId(), params).catch(refuse)
    const { revision, capabilities } = serverInfo
    const life: Life = { ...opened, revision, capabilities, ended: new AbortController() }
    if (life.revision !== lost.revision)
      throw new Fault('bridge.session', { problem: `it now speaks revision ${life.revision}` })
    await this.#post(life.headers, { method: 'notifications/initialized' })
    if (this.#level !== undefined)
      await this.#post(life.headers, { id: nextId(), method: 'logging/setLevel', params: this.#level })
    for (const params of this.#watched.values())
      await this.#post(life.headers, { id: nextId(), method: 'resources/subscribe', params })
    return life
  }

  async #farewell({ id, headers, ended }: Life, signal: AbortSignal): Promise<void> {
    ended.abort()
    if (id !== undefined) await this.#parts.gateway.attempt({ method: 'DELETE', headers, signal }).catch(() => {})
  }
}

const GOODBYE = 5_000

/** A session that cannot be opened again. A key that is refused, and a gateway that is not there, have faults of their own. */
function refuse(thrown: unknown): never {
  const cause = thrown instanceof InitializeRefused ? thrown.cause : thrown
  if (!(cause instanceof Fault)) throw cause
  const { status, problem } = cause.facts
  if (cause.code === 'bridge.refused')
    throw new Fault('bridge.session', { problem: `initialize returned HTTP ${status}` }, { cause })
  throw isInitializeRefused(cause) ? new Fault('bridge.session', { problem: String(problem) }, { cause }) : cause
}
