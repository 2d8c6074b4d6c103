/**
 * Clients of a gateway that is measured at a size: calls and lists over a few connections, listen streams, sessions.
 *
 * Each answer is checked; one that is wrong ends the run.
 */
import { once } from 'node:events'
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http'
import { callParts, faultIn, FIRST_ID, REVISION, type CallTarget } from '../generator/mcp-call.ts'

const META = { 'io.modelcontextprotocol/protocolVersion': REVISION, 'io.modelcontextprotocol/clientCapabilities': {} }
const AT_ONCE = 8

/** What one walk through a list brought. */
export interface Walk {
  readonly tools: number
  readonly bytes: number
}

export interface Stream {
  /** How often it was told that the list of tools changed. */
  told(): number
  close(): void
}

export function createClient() {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  let id = FIRST_ID

  async function open(url: string, headers: Record<string, string>, body: string, own: Agent | false = agent) {
    const asking: ClientRequest = request(url, { method: 'POST', agent: own, headers })
    asking.end(body)
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    return { response, asking }
  }

  async function ask(url: string, headers: Record<string, string>, body: string) {
    const { response } = await open(url, headers, body)
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
    return { status: response.statusCode ?? 0, contentType: response.headers['content-type'] ?? '', body: text }
  }

  /** A request of revision 2026-07-28, by its parts. */
  const modern = ({ key = '' }: CallTarget, method: string, params: object) =>
    [
      {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${key}`,
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
      },
      JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: META } }),
    ] as const

  return {
    async call(target: CallTarget): Promise<void> {
      const own = ++id
      const { headers, body } = callParts(target, own)
      const why = faultIn(await ask(target.url, headers, body), own, target.session !== undefined)
      if (why !== undefined) throw new Error(`a call to ${new URL(target.url).pathname}: ${why}`)
    },
    /** The first page of the tools, or all of them. */
    async list(target: CallTarget, pages: 'first' | 'all'): Promise<Walk> {
      let [tools, bytes] = [0, 0]
      let cursor: string | undefined
      do {
        const { body } = await ask(target.url, ...modern(target, 'tools/list', cursor === undefined ? {} : { cursor }))
        const { result } = JSON.parse(body) as { result?: { tools: unknown[]; nextCursor?: string } }
        if (result === undefined) throw new Error(`tools/list was refused: ${body.slice(0, 200)}`)
        tools += result.tools.length
        bytes += body.length
        cursor = result.nextCursor
      } while (pages === 'all' && cursor !== undefined)
      return { tools, bytes }
    },
    /** A stream that hears of changed lists, on a connection of its own. Resolves once it was acknowledged. */
    async listen(target: CallTarget): Promise<Stream> {
      const params = { notifications: { toolsListChanged: true } }
      const { response, asking } = await open(target.url, ...modern(target, 'subscriptions/listen', params), false)
      const said = Promise.withResolvers<void>()
      let count = 0
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (chunk.includes('notifications/subscriptions/acknowledged')) said.resolve()
        count += chunk.split('"notifications/tools/list_changed"').length - 1
        if (response.statusCode !== 200) said.reject(new Error(`a stream was refused: ${chunk.slice(0, 200)}`))
      })
      response.on('error', () => {})
      await said.promise
      return {
        told: () => count,
        close: () => void asking.destroy(),
      }
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

export type Client = ReturnType<typeof createClient>

/** So many times, a few at once, in the order of the numbers. */
export async function times<Value>(count: number, work: (number: number) => Promise<Value>): Promise<Value[]> {
  const values: Value[] = []
  const numbers = Array.from({ length: count }, (_, number) => number).values()
  const worker = async () => {
    for (const number of numbers) values[number] = await work(number)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, worker))
  return values
}
