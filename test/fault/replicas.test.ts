/** Two gateways on one database: what is changed by anybody is true in both, whatever either of them held. */
import { expect, test } from 'vitest'
import type { TestConnection } from '../../packages/gateway/src/testing/gateway.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { putToolset } from '../../packages/gateway/src/toolsets/toolsets.ts'
import { putConnection } from '../e2e/peers/connections.ts'
import { startBeside } from './beside.ts'
import { callTool, faultIn, textIn, type Called } from './caller.ts'
import { sayResult, startScriptedUpstream } from './scripted-upstream.ts'

const NARROW = `uru_${'cd'.repeat(32)}`
const patiently = { interval: 20 }

const outcome = (answer: Called) => faultIn(answer)?.fault ?? answer.message.error?.message ?? textIn(answer)

test('S3-POOL-06: whatever changes a connection or what is offered of it counts in each gateway at the next call', async () => {
  await using upstream = await startScriptedUpstream({
    era: 'legacy',
    act(heard, response) {
      if (heard.method !== 'tools/call') return false
      const text = `${heard.session} ${heard.headers.authorization}`
      sayResult(response, heard, { content: [{ type: 'text', text }] })
      return true
    },
  })
  const connection = (token: string, more: Partial<TestConnection> = {}): TestConnection => ({
    alias: 'up',
    revision: '2025-11-25',
    timeout: 10,
    wire: { kind: 'http', url: upstream.url, headers: { authorization: token } },
    ...more,
  })
  const toolset = (include: string[]) => ({ slug: 'narrow', title: 'Narrow', settings: { include, exclude: [] } })
  await using first = await openGateway({
    connections: [connection('Bearer one')],
    toolsets: [toolset(['up__*'])],
    keys: [{ name: 'narrow', value: NARROW, toolset: 'narrow' }],
  })
  await using second = await startBeside(first)
  const both = (key = first.key) =>
    Promise.all(
      [first.address, second.address].map(async (address) =>
        outcome(await callTool({ url: `${address}/mcp`, key }, 'up__good')),
      ),
    )
  const ended = () => upstream.heard.filter(({ verb }) => verb === 'DELETE').map(({ session }) => session)
  const sessionsIn = (texts: string[]) => texts.map((text) => text.split(' ')[0])

  // Each has its own session with the server, and keeps it.
  const held = await both()
  expect(held).toEqual([
    expect.stringMatching(/^session-\d+ Bearer one$/),
    expect.stringMatching(/^session-\d+ Bearer one$/),
  ])
  expect(new Set(sessionsIn(held)).size).toBe(2)
  expect(await both()).toEqual(held)

  // Another credential: new sessions with it, and the old ones are over at the server.
  await putConnection(first, connection('Bearer two'))
  await expect
    .poll(() => both(), patiently)
    .toEqual([expect.stringContaining('Bearer two'), expect.stringContaining('Bearer two')])
  const renewed = await both()
  for (const session of sessionsIn(held)) expect(sessionsIn(renewed)).not.toContain(session)
  await expect.poll(ended, patiently).toEqual(expect.arrayContaining(sessionsIn(held)))

  // Switched off: refused, and over.
  await putConnection(first, connection('Bearer two', { enabled: false }))
  await expect.poll(() => both(), patiently).toEqual(['tool.unknown', 'tool.unknown'])
  await expect.poll(ended, patiently).toEqual(expect.arrayContaining(sessionsIn(renewed)))
  await putConnection(first, connection('Bearer two'))
  await expect
    .poll(() => both(), patiently)
    .toEqual([expect.stringContaining('session-'), expect.stringContaining('session-')])

  // The selection of a toolset.
  expect(await both(NARROW)).toEqual([expect.stringContaining('session-'), expect.stringContaining('session-')])
  const { id } = first.organization
  await first.db.organization(id, (sql) =>
    putToolset(sql, { organizationId: id, origin: 'test', ...toolset(['nothing__*']) }),
  )
  await expect.poll(() => both(NARROW), patiently).toEqual(['tool.unknown', 'tool.unknown'])
})
