/**
 * A plain request through the egress proxy (RFC 9112, section 3.2.2): `http://` addresses in absolute form, sent on to the host of
 * the address. The Host header is always that of the address, and headers that concern one connection end here.
 */
import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import { EgressRefused } from './egress-refused.ts'
import { hostOf, wordsOf, type EgressRoutes, type Target } from './egress-rules.ts'

/** RFC 9110, section 7.6.1. */
const PER_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The address of a request in absolute form; undefined where it has another form. */
export function addressOf(incoming: IncomingMessage): URL | undefined {
  const url = URL.parse(incoming.url ?? '')
  return url?.protocol === 'http:' && url.username === '' && url.password === '' ? url : undefined
}

const targetOf = (url: URL): Target => ({ host: hostOf(url.hostname), port: Number(url.port || 80) })

export interface ForwardParts {
  readonly routes: EgressRoutes
  readonly idleMs: number
}

/** Rejects with `EgressRefused` before an answer began; afterwards it ends the connection. */
export async function forward(url: URL, incoming: IncomingMessage, answer: ServerResponse, parts: ForwardParts) {
  const to = targetOf(url)
  const gone = new AbortController()
  answer.once('close', () => gone.abort())
  const socket = await parts.routes.open(to, gone.signal)
  const chunked = incoming.headers['transfer-encoding'] === undefined ? [] : ['transfer-encoding', 'chunked']
  const sent = request({
    createConnection: () => socket,
    method: incoming.method,
    path: url.pathname + url.search,
    headers: [...passedHeaders(incoming, ['host']), 'host', url.host, 'connection', 'close', ...chunked],
  })
  sent.setTimeout(parts.idleMs, () => sent.destroy(new EgressRefused('silent', wordsOf(to))))
  answer.once('close', () => sent.destroy())
  incoming.pipe(sent)
  const received = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve)
    sent.on('error', (cause) => {
      if (answer.headersSent) answer.destroy()
      reject(cause instanceof EgressRefused ? cause : new EgressRefused('unreachable', wordsOf(to), { cause }))
    })
  })
  received.on('error', () => answer.destroy())
  answer.writeHead(received.statusCode ?? 502, passedHeaders(received))
  received.pipe(answer)
}

/** Names and values in turn, as they came, without those of one connection. */
function passedHeaders({ rawHeaders, headers }: IncomingMessage, without: readonly string[] = []): string[] {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const ending = new Set([...PER_CONNECTION, ...named, ...without])
  return rawHeaders.filter((_, at) => !ending.has((rawHeaders[at - (at % 2)] ?? '').toLowerCase()))
}
