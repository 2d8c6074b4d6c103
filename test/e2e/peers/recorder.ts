/**
 * A byte relay in front of an HTTP upstream that keeps what the gateway really sent: headers, messages, cut-off exchanges.
 *
 * It changes nothing on the way, and it can go away and come back at the same address, as upstreams do.
 */
import { createServer, request as send } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'

export interface SeenMessage {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
}

/** One request of the gateway's. `cutOff`: the gateway closed it before the answer was complete. */
export interface Seen {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly message: SeenMessage | undefined
  cutOff: boolean
}

export interface Recorder extends AsyncDisposable {
  readonly url: string
  readonly seen: readonly Seen[]
  /** Those that somebody's request may have caused: all but the streams on which the gateway listens by itself. */
  asked(): readonly Seen[]
  /** The requests that carried a message of that method. */
  of(method: string): readonly Seen[]
  /** Go away: nothing listens any more and open exchanges break. */
  leave(): Promise<void>
  /** Listen again at the same address, in front of `target` or of what was there before. */
  comeBack(target?: string): Promise<void>
}

export async function startRecorder(target: string): Promise<Recorder> {
  const seen: Seen[] = []
  let behind = new URL(target)
  let server: Server | undefined

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { headers, method = 'GET' } = request
    const one: Seen = { method, headers, body, message: messageOf(body), cutOff: false }
    seen.push(one)
    relay(one, behind, response)
  }

  async function listen(port: number): Promise<number> {
    const made = createServer((request, response) => {
      take(request, response).catch(() => response.destroy())
    })
    await new Promise<void>((resolve, reject) => made.once('error', reject).listen(port, '127.0.0.1', resolve))
    server = made
    return (made.address() as AddressInfo).port
  }

  async function leave(): Promise<void> {
    const going = server
    server = undefined
    if (going === undefined) return
    const closed = new Promise<void>((resolve) => going.close(() => resolve()))
    going.closeAllConnections()
    await closed
  }

  // Programs that ask for any port are not given this one while it is away.
  const port = await listen(await freePort())
  return {
    url: `http://127.0.0.1:${port}${behind.pathname}`,
    seen,
    asked: () => seen.filter(({ method, message }) => method === 'POST' && message?.method !== 'subscriptions/listen'),
    of: (method) => seen.filter(({ message }) => message?.method === method),
    leave,
    async comeBack(next) {
      if (next !== undefined) behind = new URL(next)
      await listen(port)
    },
    [Symbol.asyncDispose]: leave,
  }
}

function relay(one: Seen, behind: URL, response: ServerResponse): void {
  const headers = { ...one.headers, host: behind.host }
  const onward = send(behind, { method: one.method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.flushHeaders()
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  response.on('close', () => {
    one.cutOff = !response.writableFinished
    onward.destroy()
  })
  onward.end(one.body)
}

function messageOf(body: string): SeenMessage | undefined {
  try {
    return JSON.parse(body) as SeenMessage
  } catch {
    return undefined
  }
}
