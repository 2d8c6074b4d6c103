/**
 * Measures the time that a client waits for a list of ten thousand tools.
 *
 * Walks all pages over one connection, from the first request to the last byte of the last page, several times; the median time
 * is reported. Checks that all tools came, once each, after the clock was stopped.
 */
import { Agent, request } from 'node:http'
import { median } from './median.ts'
import { REVISION, type CallTarget } from './generator/mcp-call.ts'
import { MANY_TOOLS } from './many-tools-stub.ts'

export interface LongList {
  readonly tools: number
  readonly pages: number
  readonly bytes: number
  readonly walkMs: number
  readonly firstPageMs: number
}

const WALKS = 9
const LIMIT_MS = 20_000

interface Page {
  readonly tools: readonly { name: string }[]
  readonly nextCursor?: string
}

export async function measureLongList(target: CallTarget): Promise<LongList> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    await untilThere(target, agent)
    const walks = []
    for (let count = 0; count < WALKS; count++) walks.push(await walk(target, agent))
    const [{ names, pages, bytes }] = walks as [(typeof walks)[number]]
    if (new Set(names).size !== MANY_TOOLS) throw new Error(`${new Set(names).size} tools of ${MANY_TOOLS} were listed`)
    return {
      tools: names.length,
      pages,
      bytes,
      walkMs: median(walks.map(({ ms }) => ms)),
      firstPageMs: median(walks.map(({ firstMs }) => firstMs)),
    }
  } finally {
    agent.destroy()
  }
}

/** The catalog is fetched while the gateway serves already. */
async function untilThere(target: CallTarget, agent: Agent): Promise<void> {
  const limit = performance.now() + LIMIT_MS
  while ((await walk(target, agent)).names.length < MANY_TOOLS) {
    if (performance.now() > limit) throw new Error('the gateway did not fetch the long list in time')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function walk(target: CallTarget, agent: Agent) {
  const texts: string[] = []
  const begun = performance.now()
  let firstMs = 0
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const text: string = await ask(target, agent, cursor)
    if (texts.push(text) === 1) firstMs = performance.now() - begun
    cursor = cursorOf(text)
  }
  const ms = performance.now() - begun
  const names = texts.flatMap((text) => pageOf(text).tools.map(({ name }) => name))
  return { names, pages: texts.length, bytes: texts.reduce((sum, text) => sum + text.length, 0), ms, firstMs }
}

/** Found without parsing: what the client does with a page is not the gateway's time. */
const cursorOf = (text: string): string | undefined => /"nextCursor":"([^"]+)"/.exec(text)?.[1]

function pageOf(text: string): Page {
  const { result, error } = JSON.parse(text) as { result?: Page; error?: unknown }
  if (result === undefined) throw new Error(`tools/list: ${JSON.stringify(error)}`)
  return result
}

function ask({ url, key = '' }: CallTarget, agent: Agent, cursor: string): Promise<string> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { ...(cursor === '' ? {} : { cursor }), _meta: meta }
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${key}`,
    'mcp-protocol-version': REVISION,
    'mcp-method': 'tools/list',
  }
  return new Promise((resolve, reject) => {
    const asking = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve(text))
      response.on('error', reject)
    })
    asking.on('error', reject)
    asking.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }))
  })
}
