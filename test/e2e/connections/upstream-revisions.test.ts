/**
 * Tests that the gateway speaks every revision as a client, over every transport that servers have. Each server here speaks one
 * revision, refuses the others, and reports the negotiated one.
 */
// @module-tag long
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REVISIONS } from '../../../packages/contract/src/revisions.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { sayError, sayJson, startScriptedUpstream, type ScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { connectClient, KINDS } from '../peers/clients/client.ts'
import { serveOneRevision } from '../peers/servers/one-revision.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { callTool, openSession, type RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startSocketServer, startSseServer } from '../peers/servers/stream-servers.ts'

const OWN_VERSION = (
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as { version: string }
).version
const MODERN = '2026-07-28'
const WAYS = ['http', 'sse', 'socket', 'stdio'] as const
type Way = (typeof WAYS)[number]
/** HTTP+SSE went before 2026-07-28 came. */
const cells = WAYS.flatMap((way) => REVISIONS.map((revision) => ({ way, revision }))).filter(
  ({ way, revision }) => way !== 'sse' || revision !== MODERN,
)
const aliasOf = (way: Way, revision: string) => `${way}-${revision}`

const parts = new AsyncDisposableStack()
const scripted = new Map<string, ScriptedUpstream>()
let gateway: TestGateway
beforeAll(async () => {
  const connections = await Promise.all(
    cells.map(async ({ way, revision }) => ({ alias: aliasOf(way, revision), wire: await start(way, revision) })),
  )
  gateway = parts.use(await openGateway({ connections }))
})
afterAll(() => parts.disposeAsync())

async function start(way: Way, revision: string) {
  if (way === 'stdio') {
    const script = join(import.meta.dirname, '../peers/servers/one-revision.script.ts')
    const args = ['--disable-warning=ExperimentalWarning', script, revision]
    return { kind: 'process' as const, command: process.execPath, args, environment: {} }
  }
  if (way === 'http') {
    const upstream = parts.use(await startByHand(revision))
    scripted.set(revision, upstream)
    return httpWire(upstream.url)
  }
  const open = way === 'sse' ? startSseServer : startSocketServer
  return httpWire(parts.use(await open(serveOneRevision(revision))).url)
}

/** Over Streamable HTTP the revision is said in each request: this one answers with what it heard. */
function startByHand(revision: string): Promise<ScriptedUpstream> {
  const tools = [{ name: 'spoken', inputSchema: { type: 'object' } }]
  return startScriptedUpstream({
    era: revision === MODERN ? 'modern' : 'legacy',
    results: { 'tools/list': { tools, ttlMs: 0, cacheScope: 'private' } },
    act(heard, response) {
      const said = heard.headers['mcp-protocol-version']?.toString()
      if (heard.method === 'initialize' && revision !== MODERN) {
        const result = {
          protocolVersion: revision,
          capabilities: { tools: {} },
          serverInfo: { name: 'by hand', version: '1' },
        }
        sayJson(response, { jsonrpc: '2.0', id: heard.id, result }, 200, { 'mcp-session-id': heard.session ?? '' })
        return true
      }
      if (heard.id !== undefined && said !== revision) {
        sayError(response, heard, `only ${revision} is spoken here, not ${said}`, 400)
        return true
      }
      if (heard.method !== 'tools/call') return false
      const result = { resultType: 'complete', content: [{ type: 'text', text: said }] }
      sayJson(response, { jsonrpc: '2.0', id: heard.id, result })
      return true
    },
  })
}

describe('U-12: a server that speaks nothing but', () => {
  test.each(cells)('$revision over $way is spoken to in it, whoever calls', async ({ way, revision }) => {
    const url = gateway.connectionUrl(aliasOf(way, revision))
    const { key } = gateway
    const peers: RawPeer[] = [{ url, key, era: 'modern' }, await openSession(url, key)]
    for (const peer of peers) {
      const { answer } = await callTool(peer, 'spoken')
      expect(answer.result?.content).toEqual([{ type: 'text', text: revision }])
    }
    for (const kind of KINDS) {
      await using client = await connectClient({ kind, url, key })
      expect((await client.tools()).map(({ name }) => name)).toEqual(['spoken'])
      expect((await client.call('spoken')).content[0]?.text).toBe(revision)
    }
  })

  test.each(REVISIONS)('%s over Streamable HTTP hears who the gateway is, with its version', (revision) => {
    const [first] = scripted.get(revision)?.of(revision === MODERN ? 'server/discover' : 'initialize') ?? []
    const meta = first?.params['_meta'] as Record<string, unknown> | undefined
    const said = revision === MODERN ? meta?.['io.modelcontextprotocol/clientInfo'] : first?.params['clientInfo']
    expect(said).toEqual({ name: 'toolway', version: OWN_VERSION })
  })

  test.each(REVISIONS)('%s over Streamable HTTP hears of it in every request that follows the opening', (revision) => {
    const heard = scripted.get(revision)?.heard ?? []
    const greetings = new Set(['initialize', 'server/discover'])
    const others = heard.filter(({ verb, method }) => verb === 'POST' && !greetings.has(method))
    expect(others.length).toBeGreaterThan(5)
    expect(new Set(others.map(({ headers }) => headers['mcp-protocol-version']))).toEqual(new Set([revision]))
  })
})
