/**
 * The order of the checks of a request at the MCP endpoint: each request here would be refused by every later check, too, and is
 * answered by the first one that it fails.
 */
import { ToolsetSettings } from '@toolway/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, TEST_KEY, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startScriptedUpstream, type ScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const FORGED = `eyJhbGciOiJFUzI1NiJ9.${Buffer.from('{"sub":"usr_x"}').toString('base64url')}.${'A'.repeat(86)}`
const STRANGE_KEY = `uru_${'ef'.repeat(32)}`
const LOST = 'a'.repeat(32)
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'up__good', arguments: {} } }
const GOOD = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const EVIL = { origin: 'https://evil.example' }
const RULE = { name: 'none', action: 'block', reason: 'Nothing is called here', match: { tools: ['*'] } }
const Refusal = z.object({
  code: z.string().optional(),
  error: z.object({ data: z.object({ fault: z.string() }).optional() }).optional(),
})

let server: ScriptedUpstream
let gateway: TestGateway
beforeAll(async () => {
  server = await startScriptedUpstream({
    era: 'legacy',
    results: {
      'tools/list': { tools: [{ name: 'good', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'well' }] },
    },
  })
  gateway = await startTestGateway({
    settings: { TOOLWAY_LIMIT_ADDRESS: '60' },
    connections: [{ alias: 'up', wire: httpWire(server.url) }],
    others: [{ slug: 'other', name: 'Other', connections: [], toolsets: [], keys: [] }],
    toolsets: [{ slug: 'guarded', title: 'Guarded', settings: ToolsetSettings.parse({ rules: [RULE] }) }],
  })
  await gateway.settled('up')
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

async function refusalOf(path: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(`${gateway.address}${path}`, { method: 'POST', headers, body: JSON.stringify(CALL) })
  const text = await response.text()
  const said = Refusal.parse(JSON.parse(text))
  return `${response.status} ${said.code ?? said.error?.data?.fault ?? text}`
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const recorded = () => gateway.log.filter(({ message }) => message === 'call').length

test('a request is answered by the first check that it fails, and an unauthenticated flood by the limit of its address', async () => {
  const [foreign, guarded] = ['/o/other/t/default/mcp', '/o/default/t/guarded/mcp']
  const text = { 'content-type': 'text/plain' }
  const session = (id: string) => ({ 'mcp-session-id': id })

  // Nothing of these is told to anybody but their sender: no record is made before somebody is known.
  expect(await refusalOf(foreign, { ...GOOD, ...text, ...EVIL, ...session('no name'), ...bearer(FORGED) })).toBe(
    '415 request.media-type',
  )
  expect(await refusalOf(foreign, { ...GOOD, ...EVIL, ...session('no name'), ...bearer(FORGED) })).toBe(
    '403 request.origin',
  )
  expect(await refusalOf(foreign, { ...GOOD, ...session('no name'), ...bearer(FORGED) })).toBe('404 session.unknown')
  expect(await refusalOf(foreign, { ...GOOD, ...session(LOST), ...bearer(FORGED) })).toBe('401 token.unknown')
  expect(await refusalOf(foreign, { ...GOOD, ...session(LOST), ...bearer(STRANGE_KEY) })).toBe('401 key.unknown')
  // A session is looked up, and a tool judged, in the caller's own organization alone.
  expect(await refusalOf(foreign, { ...GOOD, ...session(LOST), ...bearer(TEST_KEY) })).toBe('404 place.unknown')
  expect(await refusalOf(guarded, { ...GOOD, ...session(LOST), ...bearer(TEST_KEY) })).toBe('404 session.unknown')
  expect(await refusalOf(guarded, { ...GOOD, ...bearer(TEST_KEY) })).toMatch(/policy\.blocked/)
  expect(server.of('tools/call')).toHaveLength(0)

  // A request that passes all of them is called, and recorded last.
  const before = recorded()
  expect(await refusalOf('/mcp', { ...GOOD, ...bearer(TEST_KEY) })).toContain('well')
  expect(server.of('tools/call')).toHaveLength(1)
  await until('the call is recorded', () => recorded() > before)

  // The address is counted before all of them, whoever asks and however badly.
  let flood = ''
  for (let n = 0; n < 100 && !flood.startsWith('429'); n++)
    flood = await refusalOf(foreign, { ...GOOD, ...text, ...EVIL, ...session('no name'), ...bearer(FORGED) })
  expect(flood).toBe('429 limit.address')
})
