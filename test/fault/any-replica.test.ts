/** Two gateways behind an address that leads each request to another one: what works all the same, and what says why not. */
// @module-tag long
import { expect, test } from 'vitest'
import { startExtensionsServer } from '../conformance/extensions-server.ts'
import { startEverythingServer } from '../conformance/everything-server.ts'
import { ask, callTool, openSession, start, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { KNOWS_TASKS } from '../e2e/peers/clients/task-clients.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { startBeside } from './beside.ts'
import { startScriptedUpstream } from './scripted-upstream.ts'

/** Says that other gateways use the same database; which one is given by the test. */
const SHARED = { DATABASE_URL: 'postgres://shared.test/toolway' }

const at = (peer: RawPeer, address: string): RawPeer => ({
  ...peer,
  url: new URL(new URL(peer.url).pathname, address).href,
})

test('a session that was opened at one gateway is served by the other at once, a hundred times of a hundred', async () => {
  await using upstream = await startScriptedUpstream({ era: 'legacy' })
  await using first = await openGateway({
    connections: [{ alias: 'up', revision: '2025-11-25', wire: { kind: 'http', url: upstream.url, headers: {} } }],
    settings: { TOOLWAY_SESSIONS_PER_PRINCIPAL: '200' },
  })
  await using second = await startBeside(first)
  const answers: number[] = []
  for (let turn = 0; turn < 50; turn++) {
    for (const [opens, serves] of [
      [first, second],
      [second, first],
    ] as const) {
      // By hand: nothing comes between the answer of `initialize` and the next request.
      const opened = await start({ url: `${opens.address}/mcp`, key: first.key, era: 'legacy' }, 'initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      })
      await opened.body?.cancel()
      const session = opened.headers.get('mcp-session-id') ?? ''
      const peer: RawPeer = { url: `${serves.address}/mcp`, key: first.key, era: 'legacy', session }
      answers.push((await ask(peer, 'tools/list')).status)
    }
  }
  expect(answers.filter((status) => status !== 200)).toEqual([])
  expect(answers).toHaveLength(100)
})

test('a task that was made at one gateway is followed and ended at the other', async () => {
  await using server = await startExtensionsServer()
  await using first = await openGateway({ connections: [{ alias: 'up', wire: httpWire(server.url) }] })
  await using second = await startBeside(first)
  const meta = { 'io.modelcontextprotocol/clientCapabilities': KNOWS_TASKS }
  const peer: RawPeer = { url: first.connectionUrl('up'), key: first.key, era: 'modern' }
  const made = await callTool(peer, 'slow_compute', { seconds: 60, label: 'x' }, { meta })
  const taskId = String(made.answer.result?.['taskId'])
  const other = at(peer, second.address)
  expect((await ask(other, 'tasks/get', { taskId }, { meta })).answer.result).toMatchObject({ taskId })
  await ask(other, 'tasks/cancel', { taskId }, { meta })
  const after = async () => (await ask(peer, 'tasks/get', { taskId }, { meta })).answer.result?.['status']
  await expect.poll(after).toBe('cancelled')
})

test('the answer to a question of a live call says at the other gateway where the call is, and counts at its own', async () => {
  await using server = await startEverythingServer({ era: 'legacy' })
  await using first = await openGateway({ connections: [{ alias: 'up', wire: httpWire(server.url) }] })
  await using second = await startBeside(first)
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
  const peer: RawPeer = { url: first.connectionUrl('up'), key: first.key, era: 'modern' }
  const call = { name: 'test_elicitation', arguments: { message: 'Who?' } }
  const asked = (await ask(peer, 'tools/call', call, { meta })).answer.result ?? {}
  const [question = ''] = Object.keys(asked['inputRequests'] as object)
  const inputResponses = { [question]: { action: 'accept', content: { username: 'ada', email: 'a@example.com' } } }
  const again = { ...call, requestState: asked['requestState'], inputResponses }
  const elsewhere = (await ask(at(peer, second.address), 'tools/call', again, { meta })).answer
  expect(JSON.stringify(elsewhere)).toContain('another gateway behind the same address is handling it')
  expect(JSON.stringify((await ask(peer, 'tools/call', again, { meta })).answer.result)).toContain('action=accept')
})

test('the stream of a call and a session’s own stream are resumed at the other gateway', async () => {
  await using server = await startEverythingServer({ era: 'legacy' })
  await using first = await openGateway({
    connections: [{ alias: 'up', wire: httpWire(server.url) }],
    settings: SHARED,
  })
  await using second = await startBeside(first, SHARED)
  const peer = await openSession(first.connectionUrl('up'), first.key)
  const resume = (address: string, event: string) =>
    fetch(at(peer, address).url, {
      headers: {
        authorization: `Bearer ${first.key}`,
        accept: 'text/event-stream',
        'mcp-session-id': peer.session ?? '',
        'mcp-protocol-version': '2025-11-25',
        'last-event-id': event,
      },
    })
  const call = await start(
    peer,
    'tools/call',
    { name: 'test_tool_with_progress', arguments: {} },
    { meta: { progressToken: 1 } },
  )
  const text = await call.text()
  const [, event = ''] = /^id: (\S+)$/m.exec(text) ?? []
  expect(event).not.toBe('')
  const there = await resume(second.address, event)
  expect(there.status).toBe(200)
  // It was resumed from the event that begins it: it brings the same events again, under the same ids.
  expect(await there.text()).toBe(text)
  const own = await resume(second.address, event.replace(/-p(\w+)\.\d+$/, '-g$1.1'))
  expect(own.status).toBe(200)
  await own.body?.cancel()
  // A stream that began at the other one is unknown to the gateway that opened the session, too.
  const back = await resume(first.address, event.replace(/^\w+-p(\w+)\.\d+$/, 'aaaaaaaaaaaa-g$1.1'))
  expect(back.status).toBe(200)
  await back.body?.cancel()
  expect((await resume(first.address, event)).status).toBe(200)
})
