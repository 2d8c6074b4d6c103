/**
 * The runtime as its operators see it: processes, the pool, sessions, the log, settings, figures. Each change reaches every
 * gateway.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { request, type Asked } from '../../isolation/request.ts'
import { openTown, type Town } from '../../isolation/town.ts'
import { callTool, openSession, ask } from '../peers/clients/raw-client.ts'
import { readEvents } from '../peers/clients/event-reader.ts'
import { until } from '../peers/until.ts'

const parts = new AsyncDisposableStack()
let town: Town
let second: { address: string }
const ADMIN = '/api/v1/admin'
beforeAll(async () => {
  town = parts.use(await openTown({ era: 'legacy' }))
  second = parts.use(await town.gateway.another())
})
afterAll(() => parts.disposeAsync())

const keyOf = (name: string) => (town.caller(name).authorization ?? '').replace('Bearer ', '')
const as = (name: string, method: string, path: string, more: Partial<Asked> = {}, address = town.gateway.address) =>
  request(address, town.caller(name), { method, path: `${ADMIN}${path}`, ...more })
const root = (method: string, path: string, address?: string) => as('platform administrator', method, path, {}, address)
const json = <T>({ text }: { text: string }) => JSON.parse(text) as T

interface Processes {
  processes: { status: string; pid: number | null; started_at: string | null; restart_count: number }[]
}
const processAt = async (address = town.gateway.address) => {
  // A token is of one gateway's address, a key is good at each.
  const path = '/tenants/default/connectors/child/process'
  const answer = await as('tenant_admin key of default', 'GET', path, {}, address)
  return json<Processes>(answer).processes[0]
}
const callChild = (address = town.gateway.address) =>
  callTool({ url: `${address}/mcp`, key: keyOf('tenant_admin key of default'), era: 'modern' }, 'child__echo', {
    text: 'x',
  })
const recordsOf = (action: string) =>
  town.gateway.db.system(
    (sql) => sql(z.object({ principal: z.string(), resource_id: z.string(), organization_id: z.string() }))`
      select principal, resource_id, organization_id from records where method = ${action} order by at`,
  )

describe('a process', () => {
  test('S3-ADM-04: is shown, restarted and stopped by an administrator, in every gateway, and each change is on record', async () => {
    const before = await until('it runs in both gateways', async () => {
      await callChild(second.address)
      const [one, other] = [await processAt(), await processAt(second.address)]
      return one?.pid && other?.pid ? [one, other] : undefined
    })
    expect(before.map((one) => ({ ...one, pid: 0, started_at: '' }))).toEqual(
      before.map(() => ({
        ...{ status: 'running', pid: 0, of_one_caller: false, started_at: '', last_health_check: null },
        ...{ restart_count: 0, error_message: null, memory_limit_mb: 2048 },
      })),
    )

    const { child } = town.names.default
    const restarted = await as('tenant_admin of default', 'POST', '/tenants/default/connectors/child/process/restart')
    expect(restarted.status).toBe(202)
    const pids = new Set(before.map((one) => one?.pid))
    for (const address of [town.gateway.address, second.address]) {
      await until('another process runs', async () => {
        await callChild(address)
        const now = await processAt(address)
        return now?.status === 'running' && !pids.has(now.pid)
      })
    }

    expect((await as('tenant_admin of default', 'DELETE', `/connectors/${child}/process`)).status).toBe(204)
    expect(await processAt()).toMatchObject({
      status: 'stopped',
      pid: null,
      restart_count: 0,
      error_message: 'it was stopped by an administrator',
    })
    await until(
      'it is stopped in the other gateway',
      async () => (await processAt(second.address))?.status === 'stopped',
    )
    // It is started again by whoever needs it.
    expect((await callChild()).answer.result?.content?.[0]?.text).toContain('x')
    expect(await processAt()).toMatchObject({ status: 'running', restart_count: 0, error_message: null })

    for (const action of ['process.restart', 'process.stop']) {
      expect(await recordsOf(action)).toEqual([
        {
          principal: expect.stringMatching(/^usr_/),
          resource_id: child,
          organization_id: town.gateway.organization.id,
        },
      ])
    }
  })

  test('is none where a server is remote: it is opened anew, and there is nothing to stop', async () => {
    const at = '/tenants/default/connectors/same/process'
    expect(json(await as('tenant_admin of default', 'GET', at))).toMatchObject({ connector: 'same', processes: [] })
    expect((await as('tenant_admin of default', 'DELETE', at)).fault).toBe('thing.unknown')
  })
})

describe('S3-AUTH-05: of another organization', () => {
  test('a process answers as one that does not exist, at both addresses, and stays as it is', async () => {
    const { zebrafish, missing } = town.names
    const before = await processOfOther()
    for (const [method, rest] of [
      ['GET', '/status'],
      ['POST', '/restart'],
      ['DELETE', ''],
    ] as const) {
      const bare = (id: string) => as('tenant_admin of default', method, `/connectors/${id}/process${rest}`)
      const [theirs, none] = [await bare(zebrafish.child), await bare(missing.child)]
      expect([theirs.status, theirs.fault]).toEqual([404, 'place.unknown'])
      expect(withoutId(theirs.text)).toBe(withoutId(none.text))
      const below = (organization: string, id: string) =>
        as(
          'tenant_admin of default',
          method,
          `/tenants/${organization}/connectors/${id}/process${rest.replace('/status', '')}`,
        )
      expect((await below('zebrafish', 'child')).fault).toBe('place.unknown')
      expect((await below('default', zebrafish.child)).fault).toBe('thing.unknown')
    }
    expect(await processOfOther()).toEqual(before)
  })

  test('a WebSocket closes as at an endpoint that does not exist', async () => {
    const close = async (path: string, name: string) => {
      const { authorization = '' } = town.caller(name)
      const socket = new WebSocket(`${town.gateway.address.replace('http', 'ws')}${path}`, {
        headers: { authorization },
      })
      return new Promise((resolve) =>
        socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
      )
    }
    const theirs = await close('/api/v1/zebrafish/connectors/same/mcp', 'tenant_admin of default')
    expect(theirs).toEqual(await close('/api/v1/nowhere/connectors/same/mcp', 'tenant_admin of default'))
    expect(theirs).toMatchObject({ code: 4404 })
  })

  const processOfOther = async () =>
    json<Processes>(await as('tenant_admin of zebrafish', 'GET', '/tenants/zebrafish/connectors/child/process'))
      .processes[0]
})

describe('what is held open with servers', () => {
  test('S3-ADM-04: is listed, summed up and given up, of one connection or of all that rests', async () => {
    const url = `${town.gateway.address}/mcp`
    const mine = await openSession(url, keyOf('tenant_member of default'))
    const sessionOf = async () => {
      const { answer } = await callTool(mine, 'same__whoami')
      return (JSON.parse(answer.result?.content?.[0]?.text ?? '{}') as { session: string }).session
    }
    const first = await sessionOf()
    expect(await sessionOf()).toBe(first)
    const list = async (query = '') =>
      json<{ items: { tenant_slug: string; connector: string; holder: string }[]; total: number }>(
        await root('GET', `/pool${query}`),
      )
    expect((await list('?tenant_slug=default')).items).toContainEqual(
      expect.objectContaining({
        tenant_slug: 'default',
        connector: 'same',
        kind: 'session',
        holder: 'session',
        calls: 0,
      }),
    )
    expect((await list('?tenant_slug=default')).items.every((one) => one.tenant_slug === 'default')).toBe(true)
    expect((await root('GET', '/pool')).text).not.toContain(mine.session)
    const all = await list()
    const summary = json<{ total: number; by_tenant: Record<string, number> }>(await root('GET', '/pool/summary'))
    expect(summary).toMatchObject({
      total: all.total,
      by_tenant: { default: expect.any(Number), zebrafish: expect.any(Number) },
    })

    const evicted = json<{ evicted: number }>(await root('DELETE', `/pool/default/${town.names.default.connection}`))
    expect(evicted.evicted).toBeGreaterThanOrEqual(1)
    expect(await sessionOf()).not.toBe(first)
    const second = await sessionOf()
    expect(json(await root('POST', '/pool/evict-idle?idle_seconds=600'))).toEqual({ evicted: 0 })
    expect(await sessionOf()).toBe(second)
    expect(
      json<{ evicted: number }>(await root('POST', '/pool/evict-idle?idle_seconds=0')).evicted,
    ).toBeGreaterThanOrEqual(1)
    expect(await sessionOf()).not.toBe(second)
    expect(await recordsOf('pool.evict')).toHaveLength(3)
    expect((await root('DELETE', `/pool/zebrafish/${town.names.default.connection}`)).fault).toBe('thing.unknown')
  })

  test('S3-ADM-04: a client’s session is listed by a digest of its name, and ended in whichever gateway it lives', async () => {
    const list = async () => {
      const answer = await root('GET', '/sessions?tenant_slug=default')
      return { ...json<{ items: { id: string }[] }>(answer), text: answer.text }
    }
    const before = new Set((await list()).items.map(({ id }) => id))
    const mine = await openSession(`${second.address}/mcp`, keyOf('tenant_viewer key of default'))
    expect((await ask(mine, 'tools/list')).status).toBe(200)
    const found = await until('it is listed by the other gateway', async () =>
      (await list()).items.find(({ id }) => !before.has(id)),
    )
    expect((await list()).text).not.toContain(mine.session)
    expect(found).toMatchObject({
      tenant_slug: 'default',
      toolset: 'default',
      revision: '2025-11-25',
      client: { name: 'raw', version: '1.0.0' },
    })
    expect(json(await root('GET', '/sessions?tenant_slug=nowhere'))).toMatchObject({ items: [], total: 0 })
    expect((await root('DELETE', `/sessions/${found.id}`)).status).toBe(204)
    await until('it has ended where it lived', async () => (await ask(mine, 'tools/list')).status === 404)
    expect((await root('DELETE', `/sessions/${found.id}`)).fault).toBe('thing.unknown')
    expect((await root('DELETE', '/sessions/x')).fault).toBe('thing.unknown')
    expect(await recordsOf('session.end')).toEqual([
      expect.objectContaining({ resource_id: found.id, organization_id: town.gateway.organization.id }),
    ])
  })
})

describe('S3-ADM-05: the log', () => {
  interface Line {
    message: string
    level: string
    tenant_slug: string | null
    connector_id: string | null
    request_id: string | null
    facts: Record<string, unknown>
  }
  const recent = async (query: string) => json<{ items: Line[] }>(await root('GET', `/logs/recent?${query}`)).items

  test('shows its last lines, by level, organization and connection, and never a secret', async () => {
    const said = { 'x-correlation-id': 'of-default-1' }
    const peer = { url: `${town.gateway.address}/mcp`, key: keyOf('tenant_member of default'), era: 'modern' as const }
    await callTool(peer, 'same__whoami', { said: 'my-very-secret' }, { headers: said })
    await callTool(
      { ...peer, url: `${town.gateway.address}/mcp`, key: keyOf('tenant_member key of zebrafish') },
      'same__whoami',
      {},
      { headers: { 'x-correlation-id': 'of-zebrafish-1' } },
    )
    const own = await recent('tenant_slug=default&count=1000')
    expect(own.find(({ request_id: id }) => id === 'of-default-1')).toMatchObject({
      ...{ message: 'call', level: 'info', tenant_slug: 'default', connector_id: town.names.default.connection },
    })
    expect(own.every((line) => line.tenant_slug === 'default')).toBe(true)
    expect(own.some(({ request_id: id }) => id === 'of-zebrafish-1')).toBe(false)
    const ofOne = await recent(`connector_id=${town.names.zebrafish.connection}`)
    expect(ofOne.some(({ request_id: id }) => id === 'of-zebrafish-1')).toBe(true)
    expect(ofOne.every((line) => line.connector_id === town.names.zebrafish.connection)).toBe(true)
    expect((await recent('level=warn')).every(({ level }) => level === 'warn' || level === 'error')).toBe(true)
    expect(await recent('count=2')).toHaveLength(2)
    const { text } = await root('GET', '/logs/recent?count=1000')
    for (const secret of [
      'my-very-secret',
      'upstream-armadillo',
      ...town.callers.flatMap(({ authorization }) => authorization?.slice(7) ?? []),
    ])
      expect(text).not.toContain(secret)
    for (const wrong of ['count=0', 'count=1001', 'level=loud', 'other=1'])
      expect((await root('GET', `/logs/recent?${wrong}`)).fault, wrong).toBe('body.shape')
  })

  test('is followed as it is written, and no longer than one may', async () => {
    const { db } = town.gateway
    const authorization = town.caller('platform key').authorization ?? ''
    const url = `${town.gateway.address}${ADMIN}/logs/stream?tenant_slug=default`
    const reader = await readEvents((signal) => fetch(url, { signal, headers: { authorization } }))
    const told = () => reader.messages.map((line) => (line as Line).request_id)
    const peer = { url: `${town.gateway.address}/mcp`, key: keyOf('tenant_member of default'), era: 'modern' as const }
    const call = (id: string) => callTool(peer, 'same__whoami', {}, { headers: { 'x-correlation-id': id } })
    await call('followed-1')
    await until('the line is there', () => told().includes('followed-1'))
    await db.system((sql) => sql(z.object({}))`delete from keys where organization_id is null`)
    await until('the stream ends with the key', () => reader.ended)
    await call('followed-2')
    expect(told()).not.toContain('followed-2')
  })
})

test('S3-ADM-05: the settings in force are shown, and of a secret only that it is set', async () => {
  const { settings } = json<{ settings: { name: string; value: string | null; secret: boolean }[] }>(
    await root('GET', '/settings'),
  )
  const valueOf = (name: string) => settings.find((one) => one.name === name)?.value
  expect(valueOf('TOOLWAY_SESSIONS_PER_PRINCIPAL')).toBe('10')
  expect(settings.filter(({ secret, value }) => secret && value !== null && value !== '***')).toEqual([])
})

test('S3-ADM-05: the figures of an organization are its own, and those of the platform are of all', async () => {
  const stats = async (name: string, path: string) => json<Record<string, unknown>>(await as(name, 'GET', path))
  const own = await stats('tenant_viewer of default', '/tenants/default/stats')
  const theirs = await stats('tenant_viewer of zebrafish', '/tenants/zebrafish/stats')
  const all = await stats('platform administrator', '/stats')
  expect(own).toMatchObject({ connectors: 2, connectors_enabled: 2, toolsets: 1, members: 5 })
  expect(theirs).toMatchObject({ connectors: 2, members: 4 })
  for (const name of ['connectors', 'members', 'toolsets', 'tools'])
    expect(all[name], name).toBe(Number(own[name]) + Number(theirs[name]))
  expect(all).toMatchObject({ tenants: 2, gateway: { pooled: expect.any(Number) } })
})

const withoutId = (text: string) => text.replace(/"correlation_id":"[^"]*"/, '')
