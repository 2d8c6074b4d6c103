/** A legacy server with one tool, `held`, whose calls stay open: the test says what comes next, by the label that a call carries. */
import type { ServerResponse } from 'node:http'
import { readEvents, type EventReader } from '../clients/event-reader.ts'
import { start, type RawPeer } from '../clients/raw-client.ts'
import { until } from '../until.ts'
import { startScriptedUpstream, type Heard, type ScriptedUpstream } from '../../../fault/scripted-upstream.ts'

export interface HeldCall {
  progress(step: number): void
  log(text: string): void
  answer(): void
}

export interface HeldCallsServer extends ScriptedUpstream {
  /** Calls that the server has heard of, by label. */
  readonly calls: ReadonlyMap<string, HeldCall>
}

export async function startHeldCalls(): Promise<HeldCallsServer> {
  const calls = new Map<string, HeldCall>()
  const upstream = await startScriptedUpstream({
    era: 'legacy',
    capabilities: { tools: {}, logging: {} },
    results: { 'tools/list': { tools: [{ name: 'held', inputSchema: { type: 'object' } }] } },
    act(heard, response) {
      if (heard.method !== 'tools/call') return false
      const { label } = heard.params['arguments'] as { label: string }
      calls.set(label, hold(label, heard, response))
      return true
    },
  })
  return { ...upstream, calls }
}

function hold(label: string, { id, params }: Heard, response: ServerResponse): HeldCall {
  const progressToken = (params['_meta'] as { progressToken?: unknown } | undefined)?.progressToken
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  const say = (message: object) => void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  return {
    progress: (progress) => say({ method: 'notifications/progress', params: { progressToken, progress } }),
    log: (data) => say({ method: 'notifications/message', params: { level: 'error', data } }),
    answer() {
      say({ id, result: { content: [{ type: 'text', text: label }] } })
      response.end()
    },
  }
}

/** Begins a call, and resolves when its client was told of the first progress. */
export async function beginHeld(
  { calls }: Pick<HeldCallsServer, 'calls'>,
  peer: RawPeer,
  label: string,
): Promise<{ reader: EventReader; live: HeldCall }> {
  const meta = { progressToken: label }
  const reading = readEvents((signal) =>
    start(peer, 'tools/call', { name: 'held', arguments: { label } }, { id: label, meta, signal }),
  )
  const live = await until(`the server works on ${label}`, () => calls.get(label))
  live.progress(1)
  const reader = await reading
  await until('the first progress', () => reader.messages.length > 0)
  return { reader, live }
}
