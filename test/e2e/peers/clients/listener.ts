/** A modern client's open listen stream, by hand: what it was told, in order, and how it ended. */
import { start } from './raw-client.ts'
import type { RawMessage, RawPeer } from './raw-client.ts'
import { until } from '../until.ts'

export interface Listener extends AsyncDisposable {
  readonly heard: readonly RawMessage[]
  /** The notifications that the acknowledgement accepts. */
  readonly honoured: Record<string, unknown>
  /** The addresses of resources that were said to be updated. */
  updates(): string[]
  /** The server's last word, once the stream has ended by itself. */
  readonly ended: Promise<RawMessage | undefined>
}

/** Resolves when it is acknowledged, or rejects with what the gateway says instead. */
export async function startListening(
  peer: RawPeer,
  notifications: Record<string, unknown>,
  id: string | number = 7,
  meta: Record<string, unknown> = {},
): Promise<Listener> {
  const leaving = new AbortController()
  const response = await start(peer, 'subscriptions/listen', { notifications }, { id, meta, signal: leaving.signal })
  const type = response.headers.get('content-type') ?? ''
  if (!type.includes('event-stream')) throw new Error(await response.text())
  const heard: RawMessage[] = []
  const ended = read(response, heard).catch(() => undefined)
  await until('the listen stream is acknowledged', () => heard.length > 0)
  const [first] = heard
  if (first?.method !== 'notifications/subscriptions/acknowledged') throw new Error(`it began with ${first?.method}`)
  return {
    heard,
    honoured: first.params?.['notifications'] as Record<string, unknown>,
    updates: () =>
      heard
        .filter(({ method }) => method === 'notifications/resources/updated')
        .map(({ params }) => String(params?.['uri'])),
    ended,
    async [Symbol.asyncDispose]() {
      leaving.abort()
      await ended
    },
  }
}

async function read(response: Response, heard: RawMessage[]): Promise<RawMessage | undefined> {
  let rest = ''
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) heard.push(JSON.parse(line.slice(6)) as RawMessage)
  }
  return heard.at(-1)
}
