/** A client by hand that speaks any revision over any transport, so that what holds for one can be asked of all. */
import type { TestGateway } from '../../../../packages/gateway/src/testing/gateway.ts'
import { until } from '../until.ts'
import { modern, open, startBridge, type BuiltBridge } from './bridge.ts'
import { ask, type RawMessage, type RawPeer } from './raw-client.ts'
import { openLegacyLine, openLine } from './raw-line.ts'

export const MODERN = '2026-07-28'
export const WAYS = ['http', 'sse', 'socket', 'stdio'] as const
export type Way = (typeof WAYS)[number]
type At = Pick<TestGateway, 'url' | 'key'>

/** A client by hand, the same over each way. */
export interface ByHand extends AsyncDisposable {
  /** As `initialize` answered, where the revision has one. */
  readonly opened: RawMessage | undefined
  ask(method: string, params?: Record<string, unknown>): Promise<RawMessage>
  /** The answers to a batch, or the one refusal of it. */
  batch(messages: readonly object[]): Promise<unknown>
}

/** `built` is the bridge, for what goes over stdio. */
export async function connectByHand(
  at: Pick<TestGateway, 'url' | 'key'>,
  { way, revision, built }: { way: Way; revision: string; built: BuiltBridge },
): Promise<ByHand> {
  if (way === 'http') return onHttp(at, revision)
  return way === 'stdio' ? onStdio(at, revision, built) : onLine(at, way, revision)
}

export const OPENING = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'by hand', version: '1' },
})

async function onHttp({ url, key }: At, revision: string): Promise<ByHand> {
  const peer: RawPeer = { url, key, era: revision === MODERN ? 'modern' : 'legacy' }
  const opening = revision === MODERN ? undefined : await ask(peer, 'initialize', OPENING(revision))
  const session = opening?.headers.get('mcp-session-id') ?? undefined
  const own: RawPeer = session === undefined ? peer : { ...peer, session }
  const headers = { 'mcp-protocol-version': revision }
  return {
    opened: opening?.answer,
    ask: async (method, params = {}) => (await ask(own, method, params, { headers })).answer,
    async batch(messages) {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          ...headers,
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
          authorization: `Bearer ${key}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify(messages),
      })
      return response.json()
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

async function onLine({ url, key }: At, way: 'sse' | 'socket', revision: string): Promise<ByHand> {
  const at = { way, url, key }
  const line = revision === MODERN ? await openLine(at) : await openLegacyLine(at, revision)
  return {
    opened: line.heard.find(({ id }) => id === 'opening'),
    ask: (method, params) => line.ask(method, revision === MODERN ? modern(params) : params),
    async batch(messages) {
      const from = line.heard.length
      await line.say(messages)
      return until('the batch is answered', () => line.heard.slice(from).find((one) => !('method' in one)))
    },
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  }
}

async function onStdio({ url, key }: At, revision: string, built: BuiltBridge): Promise<ByHand> {
  const bridge = startBridge(built, { url, key })
  const opened = revision === MODERN ? undefined : await open(bridge, {}, revision)
  let last = 0
  return {
    opened,
    ask: (method, params) =>
      bridge.ask({ id: `r${++last}`, method, params: revision === MODERN ? modern(params) : (params ?? {}) }),
    async batch(messages) {
      const from = bridge.lines.length
      bridge.write(`${JSON.stringify(messages)}\n`)
      const answers = () => bridge.lines.slice(from).filter(({ method }) => method === undefined)
      return until('the batch is answered', () => {
        const found = answers()
        const refused = found.find(({ error }) => error?.code === -32600)
        return refused ?? (found.length < messages.length ? undefined : found)
      })
    },
    [Symbol.asyncDispose]: () => bridge[Symbol.asyncDispose](),
  }
}
