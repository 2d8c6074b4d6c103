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
import { initialize, InitializeRefused, isGreetingRefused, sessionOf } from '@toolway/protocol/client'
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
  const { gateway, outlet, onLife } = parts
  let opening: Buffer | undefined
  let now: Life | undefined
  let level: JsonObject | undefined
  const watched = new Map<Json, JsonObject>()
  let renewal: Promise<Life> | undefined
  const transport = createGatewayTransport(parts)
  const post = (headers: Life['headers'], message: JsonObject) =>
    transport.send({ method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })

  function lifeOf(answered: Answered, text: string): Life | undefined {
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

  async function open(lost: Life): Promise<Life> {
    const words = opening === undefined ? undefined : readJson(opening.toString())
    const params = isObject(words) && isObject(words['params']) ? words['params'] : {}
    const { serverInfo, ...opened } = await initialize(transport, nextId(), params).catch(refuse)
    const { revision, capabilities } = serverInfo
    const life: Life = { ...opened, revision, capabilities, ended: new AbortController() }
    if (life.revision !== lost.revision)
      throw new Fault('bridge.session', { problem: `it now speaks revision ${life.revision}` })
    await post(life.headers, { method: 'notifications/initialized' })
    if (level !== undefined) await post(life.headers, { id: nextId(), method: 'logging/setLevel', params: level })
    for (const params of watched.values())
      await post(life.headers, { id: nextId(), method: 'resources/subscribe', params })
    return life
  }

  function missed({ capabilities }: Life): void {
    const say = (method: string, params?: JsonObject) =>
      outlet.write(JSON.stringify({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }))
    for (const kind of ['tools', 'prompts', 'resources']) {
      const capability = capabilities[kind]
      if (isObject(capability) && capability['listChanged'] === true) say(`notifications/${kind}/list_changed`)
    }
    for (const uri of watched.keys()) say('notifications/resources/updated', { uri })
  }

  async function renew(lost: Life): Promise<Life> {
    if (now !== undefined && now !== lost) return now
    renewal ??= open(lost)
      .then((life) => {
        lost.ended.abort()
        now = life
        parts.tell('The gateway had lost this session; it was opened again.')
        onLife(life)
        missed(life)
        return life
      })
      .finally(() => (renewal = undefined))
    return renewal
  }

  return {
    life: async () => (renewal === undefined ? now : renewal.catch(() => now)),
    begin(words, answered, result) {
      const life = lifeOf(answered, result)
      if (life === undefined) return
      const before = now
      opening = words
      now = life
      level = undefined
      watched.clear()
      if (before !== undefined) void farewell(before, AbortSignal.timeout(GOODBYE))
    },
    ready() {
      if (now !== undefined) onLife(now)
    },
    renew,
    missed,
    remember(method, params) {
      const uri = params['uri'] ?? null
      if (method === 'logging/setLevel') level = params
      else if (method === 'resources/unsubscribe') watched.delete(uri)
      else if (method === 'resources/subscribe' && watched.size < MOST_WATCHED) watched.set(uri, params)
    },
    async end(signal) {
      if (now !== undefined) await farewell(now, signal)
    },
  }

  async function farewell({ id, headers, ended }: Life, signal: AbortSignal): Promise<void> {
    ended.abort()
    if (id !== undefined) await gateway.attempt({ method: 'DELETE', headers, signal }).catch(() => {})
  }
}

const GOODBYE = 5_000

/** A session that cannot be opened again. A key that is refused, and a gateway that is not there, have faults of their own. */
function refuse(thrown: unknown): never {
  const cause = thrown instanceof InitializeRefused ? thrown.cause : thrown
  if (!(cause instanceof Fault)) throw cause
  const { status, problem } = cause.facts
  if (cause.code === 'bridge.refused')
    throw new Fault('bridge.session', { problem: `initialize is answered with HTTP ${status}` }, { cause })
  throw isGreetingRefused(cause) ? new Fault('bridge.session', { problem: String(problem) }, { cause }) : cause
}
