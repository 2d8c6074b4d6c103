/** Reading an event stream by hand, event by event, and leaving it in the middle: what no SDK lets one do. */
import type { RawMessage, RawPeer } from './raw-client.ts'

export interface ReadEvent {
  readonly id: string | undefined
  /** Undefined for an event without data. */
  readonly message: RawMessage | undefined
}

export interface EventReader {
  readonly status: number
  readonly type: string
  /** The messages received so far. */
  readonly events: readonly ReadEvent[]
  readonly messages: readonly RawMessage[]
  /** The id to come back with. */
  readonly lastId: string
  readonly retry: number | undefined
  /** Comments, which clients do not hear. */
  readonly comments: readonly string[]
  readonly ended: boolean
  /** Resolves when the stream has ended. */
  readonly done: Promise<void>
  /** The body, where it is no stream. */
  readonly text: string
  /** Cut the connection. */
  leave(): void
}

/** Reads what `begin` answers, as it comes. */
export async function readEvents(begin: (signal: AbortSignal) => Promise<Response>): Promise<EventReader> {
  const leaving = new AbortController()
  const response = await begin(leaving.signal)
  const type = response.headers.get('content-type') ?? ''
  const events: ReadEvent[] = []
  const comments: string[] = []
  let retry: number | undefined
  let ended = false
  let text = ''
  const onEvent = (event: string) => {
    const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(event)?.[1]
    const [id, data, comment] = [field('id'), field('data'), field('')]
    if (comment !== undefined) comments.push(comment)
    retry = field('retry') === undefined ? retry : Number(field('retry'))
    if (data !== undefined) events.push({ id, message: data === '' ? undefined : (JSON.parse(data) as RawMessage) })
  }
  let rest = ''
  const feed = (chunk: string) => {
    const whole = (rest + chunk).split('\n\n')
    rest = whole.pop() ?? ''
    whole.forEach(onEvent)
  }
  const read = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      if (type.includes('event-stream')) feed(chunk)
      else text += chunk
    }
  }
  const done = read()
    .catch(() => {})
    .finally(() => (ended = true))
  if (!type.includes('event-stream')) await done
  return {
    status: response.status,
    type,
    events,
    comments,
    done,
    get messages() {
      return events.flatMap(({ message }) => message ?? [])
    },
    get lastId() {
      return events.findLast(({ id }) => id !== undefined)?.id ?? ''
    },
    get retry() {
      return retry
    },
    get ended() {
      return ended
    },
    get text() {
      return text
    },
    leave: () => leaving.abort(),
  }
}

/** Open a stream of the session's own, or resume one. */
export const openStream = ({ url, key, session }: RawPeer, lastEventId?: string): Promise<EventReader> =>
  readEvents((signal) =>
    fetch(url, {
      signal,
      headers: {
        accept: 'text/event-stream',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    }),
  )
