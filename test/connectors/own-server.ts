/**
 * A double of a vendor at another host than the vendor's, below a path, and a connector that is connected to it as the gateway does it.
 * It answers what a test says, and remembers what it was asked.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CONNECTORS, type Json, type VendorAnswer } from '../../packages/connectors/src/index.ts'
import { ROWS } from '../../packages/connectors/src/rows.ts'
import type { CallerFiles } from '../../packages/gateway/src/upstreams/caller-files.ts'
import { loadedOf } from '../../packages/gateway/src/upstreams/native/loaded-vendor.ts'
import { createNativeUpstream } from '../../packages/gateway/src/upstreams/native/native-upstream.ts'
import type { Ask, Upstream } from '../../packages/gateway/src/upstreams/upstream.ts'
import { MODERN } from '../../packages/protocol/src/index.ts'

export const TOKEN = 'token-0123456789abcdef'
/** As a token, and as the name of a Basic credential. */
const SHOWN = [TOKEN, Buffer.from(`${TOKEN}:`).toString('base64')]
export const PATH = '/api/v3'

export interface Asked {
  readonly method: string
  readonly url: URL
  readonly authorized: boolean
  readonly headers: IncomingMessage['headers']
  /** Query and body as one value. */
  readonly sent: unknown
  readonly text: string
}

/** `lost` ends the connection without an answer; a text is sent as it is. */
export type Reply = Partial<Pick<VendorAnswer, 'status' | 'headers' | 'body'>> & { readonly lost?: true }

export interface OwnServer {
  readonly origin: string
  readonly asked: Asked[]
  /** The requests under way at the same time, at most. */
  most: number
  reply(request: Asked): Reply | Promise<Reply>
  /** Sees each body as it came. */
  raw(request: Asked, body: Buffer): void
  /** The connector at this server. */
  open(id: string): Promise<Upstream>
  /** Opens, calls the tool, closes. Throws what the call answers as an error. */
  call(name: string, input?: Json, files?: CallerFiles): Promise<Json>
  close(): void
}

export async function startOwnServer(): Promise<OwnServer> {
  let under = 0
  const server: Server = createServer((request, response) => {
    own.most = Math.max(own.most, ++under)
    void read(request, own.origin)
      .then(async ({ seen, bytes }) => {
        own.asked.push(seen)
        own.raw(seen, bytes)
        const { status = 200, headers = {}, body, lost } = await own.reply(seen)
        if (lost === true) return response.destroy()
        response.writeHead(status, { 'content-type': 'application/json', ...headers })
        return response.end(typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body ?? {}))
      })
      .finally(() => under--)
  })
  const own: OwnServer = {
    origin: await listening(server),
    asked: [],
    most: 0,
    reply: () => ({ body: {} }),
    raw: () => undefined,
    open: (id) => openAt(own.origin, id),
    async call(name, input, files) {
      const upstream = await own.open(idOf(name))
      try {
        return await callTool(upstream, name, input ?? leastOf(name), files)
      } finally {
        await upstream.close()
      }
    },
    close: () => void server.close(),
  }
  return own
}

export async function listening(started: Server): Promise<string> {
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}`
}

async function read(request: IncomingMessage, origin: string): Promise<{ seen: Asked; bytes: Buffer }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const text = bytes.length > 1_000_000 ? '' : bytes.toString()
  const url = new URL(request.url ?? '', origin)
  const isJson = /^[[{]/.test(text) && /json/.test(request.headers['content-type'] ?? '')
  const body: unknown = isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text))
  const seen = {
    ...{ method: request.method ?? '', url, headers: request.headers, text },
    authorized: SHOWN.some((shown) => JSON.stringify(request.headers).includes(shown) || text.includes(shown)),
    sent: [Object.fromEntries(url.searchParams), body],
  }
  return { seen, bytes }
}

async function openAt(origin: string, id: string): Promise<Upstream> {
  const known = CONNECTORS[id]
  if (known === undefined) throw new Error(`there is no ${id}`)
  const vendor = await known.load()
  const wire = {
    ...{ url: `${origin}${PATH}`, own: known.address, private: true, headers: {}, title: known.title },
    ...{ load: () => Promise.resolve(loadedOf(vendor)), key: { header: 'authorization', prefix: 'Bearer ' } },
  }
  const reach = { connectionId: id, alias: id, timeout: 10, revision: undefined, pinned: false, wire }
  return createNativeUpstream({ reach, onStateChange: () => undefined })
}

export async function callTool(upstream: Upstream, name: string, input: Json, files?: CallerFiles): Promise<Json> {
  const caller: Ask['caller'] = { revision: MODERN, capabilities: {}, client: undefined, logLevel: undefined }
  const answer = await upstream.ask({
    ...{ method: 'tools/call', params: { name, arguments: input as Ask['params'] }, caller, files },
    ...{ session: undefined, owner: 'ada', headerParameters: [], onNotification: () => undefined },
    credential: { id: 'ada', headers: { authorization: `Bearer ${TOKEN}` } },
    ...{ signal: AbortSignal.timeout(10_000), onQuestion: () => Promise.reject(new Error('nobody is here')) },
  })
  if ('error' in answer) throw new Error(answer.error.message)
  return answer.result['structuredContent'] as Json
}

const idOf = (name: string): string => Object.keys(CONNECTORS).find((one) => name.startsWith(`${one}_`)) ?? ''

/** The input of its first row. */
export function leastOf(name: string): Json {
  const id = idOf(name)
  const rows = ROWS[id]
  return { ...rows?.place, ...rows?.tools[name.slice(id.length + 1)]?.[0]?.[0] }
}
