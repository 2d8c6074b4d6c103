/** Servers that stop answering, flap or forget: they are left alone for a while, found again by themselves, and nobody pays twice. */
// @module-tag long
import { expect, test } from 'vitest'
import { z } from 'zod'
import { listAlerts } from '../../packages/gateway/src/features/alerts/list-alerts.rows.ts'
import { restartConnection } from '../../packages/gateway/src/connections/connections.ts'
import type { TestConnection, TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { stateOf } from '../e2e/peers/connections.ts'
import { callTool, faultIn, textIn, type Called } from './caller.ts'
import { startScriptedUpstream } from './scripted-upstream.ts'

const patiently = { interval: 100 }
const at = (url: string, revision: '2025-11-25' | '2026-07-28'): TestConnection => ({
  alias: 'up',
  revision,
  timeout: 2,
  wire: { kind: 'http', url, headers: {} },
})
const told = (answer: Called) => faultIn(answer)?.fault ?? (textIn(answer) === '' ? 'nothing' : 'ok')
const metric = async ({ address, key }: TestGateway, name: string): Promise<number> => {
  const text = await (await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${key}` } })).text()
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)`, 'm').exec(text)?.[1])
}

test.each(['2026-07-28', '2025-11-25'] as const)(
  'a server of revision %s that hangs is left alone after five calls, and is used again once it answers',
  async (revision) => {
    let hangs = false
    await using upstream = await startScriptedUpstream({
      era: revision === '2026-07-28' ? 'modern' : 'legacy',
      act: ({ method }) => hangs && method !== '',
    })
    await using gateway = await openGateway({ connections: [at(upstream.url, revision)] })
    const target = { url: gateway.connectionUrl('up'), key: gateway.key }
    const call = async () => told(await callTool(target, 'good'))
    expect(await call()).toBe('ok')
    hangs = true
    for (let calls = 0; calls < 5; calls++) expect(await call()).toBe('upstream.timeout')

    const before = upstream.heard.length
    const refused = await callTool(target, 'good')
    expect(faultIn(refused)).toMatchObject({ fault: 'upstream.resting', code: 'UNAVAILABLE', retryable: true })
    expect(textIn(refused)).toMatch(
      /is not available \(no answer within 2 s\)\. After 5 failures in a row, no requests are sent to it for ([5-9]|10) s, until 20\d\d-/,
    )
    expect(upstream.of('tools/call')).toHaveLength(6)
    expect(upstream.heard.slice(before).filter(({ method }) => method === 'tools/call')).toEqual([])
    expect(await metric(gateway, 'toolway_circuits_opened_total')).toBe(1)
    await expect
      .poll(async () => stateOf(gateway, 'up'), patiently)
      .toMatchObject({ status: 'error', reason: expect.stringContaining('did not respond within 2 s') })

    hangs = false
    await expect.poll(call, patiently).toBe('ok')
    expect(await call()).toBe('ok')
    await expect.poll(async () => (await stateOf(gateway, 'up'))?.status, patiently).toBe('connected')
  },
)

test('an outage is counted as errors and not as refusals, and is told once, as is its end', async () => {
  let away = false
  await using upstream = await startScriptedUpstream({ era: 'modern', act: ({ method }) => away && method !== '' })
  await using gateway = await openGateway({ connections: [at(upstream.url, '2026-07-28')] })
  const target = { url: gateway.connectionUrl('up'), key: gateway.key }
  const call = async () => told(await callTool(target, 'good'))
  const alerts = async () =>
    (
      await gateway.db.organization(gateway.organization.id, (sql) =>
        listAlerts(sql, { kind: undefined, connectionId: undefined, userId: undefined }, { limit: 50, offset: 0 }),
      )
    ).map(({ kind, detail }) => ({ kind, detail }))
  expect(await call()).toBe('ok')
  away = true
  for (let calls = 0; calls < 5; calls++) expect(await call()).toBe('upstream.timeout')
  expect(await call()).toBe('upstream.resting')
  const down = {
    kind: 'connection.down',
    detail: { alias: 'up', problem: expect.stringContaining('did not respond within 2 s') },
  }
  await expect.poll(alerts, patiently).toEqual([down])
  const Row = z.object({ outcome: z.string(), code: z.string().nullable(), decision: z.string() })
  const records = () =>
    gateway.db.system(
      (sql) => sql(Row)`
        select distinct outcome, code, decision from records where method = 'tools/call' and code is not null order by code`,
    )
  await expect.poll(records, patiently).toEqual([
    { outcome: 'failed', code: 'upstream.resting', decision: 'allow' },
    { outcome: 'failed', code: 'upstream.timeout', decision: 'allow' },
  ])
  away = false
  await expect.poll(call, patiently).toBe('ok')
  await expect.poll(alerts, patiently).toEqual([{ kind: 'connection.up', detail: { alias: 'up' } }, down])
})

test('a server that answers every fifth call is never left alone', async () => {
  let calls = 0
  await using upstream = await startScriptedUpstream({
    era: 'modern',
    act: ({ method }, response) => {
      if (method !== 'tools/call' || ++calls % 5 === 0) return false
      response.destroy()
      return true
    },
  })
  await using gateway = await openGateway({ connections: [at(upstream.url, '2026-07-28')] })
  const target = { url: gateway.connectionUrl('up'), key: gateway.key }
  const answers: string[] = []
  for (let times = 0; times < 15; times++) answers.push(told(await callTool(target, 'good')))
  const five = [...Array.from({ length: 4 }, () => 'upstream.lost'), 'ok']
  expect(answers).toEqual([...five, ...five, ...five])
})

test('callers who give up say nothing of the server: however many they are, it is asked all the same', async () => {
  let hangs = true
  await using upstream = await startScriptedUpstream({
    era: 'modern',
    act: ({ method }) => hangs && method === 'tools/call',
  })
  await using gateway = await openGateway({
    connections: [{ ...at(upstream.url, '2026-07-28'), timeout: 30 }],
  })
  const target = { url: gateway.connectionUrl('up'), key: gateway.key }
  for (let times = 0; times < 10; times++) {
    const leaving = new AbortController()
    const calling = callTool(target, 'good', {}, leaving.signal).catch(() => 'left')
    await expect.poll(() => upstream.of('tools/call').length, patiently).toBe(times + 1)
    leaving.abort()
    expect(await calling).toBe('left')
  }
  hangs = false
  expect(told(await callTool(target, 'good'))).toBe('ok')
})

test('a connection that is restarted is asked at once, and in new sessions', async () => {
  let hangs = false
  await using upstream = await startScriptedUpstream({ era: 'legacy', act: ({ method }) => hangs && method !== '' })
  await using gateway = await openGateway({ connections: [at(upstream.url, '2025-11-25')] })
  const target = { url: gateway.connectionUrl('up'), key: gateway.key }
  const first = textIn(await callTool(target, 'good'))
  hangs = true
  for (let calls = 0; calls < 5; calls++) await callTool(target, 'good')
  expect(told(await callTool(target, 'good'))).toBe('upstream.resting')
  hangs = false
  await gateway.db.organization(gateway.organization.id, (sql) => restartConnection(sql, 'up'))
  await expect.poll(async () => told(await callTool(target, 'good')), { interval: 50 }).toBe('ok')
  expect(textIn(await callTool(target, 'good'))).not.toBe(first)
  // The server was told that the old ones are over.
  await expect
    .poll(() => upstream.heard.filter(({ verb }) => verb === 'DELETE').map(({ session }) => session), patiently)
    .toContain(first)
})
