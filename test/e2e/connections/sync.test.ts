/**
 * How soon a client hears that its tools are others: whatever made them so, in both eras, at another gateway of the same database.
 *
 * The five seconds are a deadline (ledger U-27): nothing is measured, and a test that is early waits no longer.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restartConnection } from '../../../packages/gateway/src/connections/connections.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { connectClient, eraOfKind, type McpClient } from '../peers/clients/client.ts'
import { stateOf } from '../peers/connections.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { changingTool, startChanging, type ChangingServer } from '../peers/servers/changing-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'
import { within } from '../../setup/form.ts'

const CONNECTIONS = '/api/v1/admin/tenants/default/connectors'
const DEADLINE_MS = within(5_000)
const HEARS = ['SDK 2 by discovery', 'SDK 1'] as const

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let server: ChangingServer
let platform: Ask
let other: { readonly address: string }
let clients: McpClient[]
beforeAll(async () => {
  const first = parts.use(await startChanging([changingTool('first')]))
  server = parts.use(await startChanging([changingTool('one')]))
  gateway = parts.use(await openGateway({ connections: [{ alias: 'first', wire: httpWire(first.url) }] }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  other = parts.use(await gateway.another())
  clients = await Promise.all(
    [gateway.address, other.address].flatMap((address) =>
      HEARS.map(async (kind) => {
        const client = parts.use(await connectClient({ kind, url: `${address}/mcp`, key: gateway.key }))
        if (eraOfKind(kind) === 'modern') {
          const listening = await client.listen({ toolsListChanged: true })
          parts.defer(() => listening.close())
        }
        return client
      }),
    ),
  )
  // SDK 1 opens its stream after it says that it is connected: what is told before then reaches nobody.
  for (const client of clients)
    await until('the client hears', async () => {
      first.offer([changingTool('first')])
      return changesHeard(client) > 0 && (await client.tools()).length === 1
    })
})
afterAll(() => parts.disposeAsync())

const changesHeard = ({ heard }: McpClient) =>
  heard.filter(({ method }) => method === 'notifications/tools/list_changed').length

/** Within five seconds of `change`, every client hears of it, and lists what there is then. */
async function reaches(change: () => unknown, names: readonly string[]): Promise<void> {
  const before = clients.map(changesHeard)
  const deadline = Date.now() + DEADLINE_MS
  await change()
  await Promise.all(
    clients.map(async (client, at) => {
      let seen = ''
      for (;;) {
        if (changesHeard(client) > (before[at] ?? 0)) {
          seen = (await client.tools())
            .map(({ name }) => name)
            .toSorted()
            .join(' ')
          if (seen === ['first__first', ...names].toSorted().join(' ')) return
        }
        if (Date.now() > deadline)
          expect.unreachable(`client ${at} (${client.kind}) heard ${changesHeard(client) - (before[at] ?? 0)}: ${seen}`)
        await pause(20)
      }
    }),
  )
}

describe('S2-SYN-01, S2-SYN-02: within five seconds, clients of both eras hear at both gateways and list what there is', () => {
  test('when a connection is added, its server changes its tools, it is turned off and on, and removed', async () => {
    await reaches(
      () => platform(`POST ${CONNECTIONS}`, { alias: 'more', connector: 'mcp.http', url: server.url, private: true }),
      ['more__one'],
    )
    await reaches(() => server.offer([changingTool('one'), changingTool('two')]), ['more__one', 'more__two'])
    await reaches(() => platform(`PATCH ${CONNECTIONS}/more/toggle`, { enabled: false }), [])
    await reaches(() => platform(`PATCH ${CONNECTIONS}/more/toggle`, { enabled: true }), ['more__one', 'more__two'])
    await reaches(() => platform(`PATCH ${CONNECTIONS}/more/tools/two`, { enabled: false }), ['more__one'])
    await reaches(() => platform(`PUT ${CONNECTIONS}/more/lock`, { mode: 'all', present: 'hold' }), [])
    await reaches(() => platform(`PUT ${CONNECTIONS}/more/lock`, { mode: 'off' }), ['more__one'])
    await reaches(() => platform(`DELETE ${CONNECTIONS}/more`), [])
  })

  test('when a connection that nobody let in is let in', async () => {
    server.offer([changingTool('one')])
    server.shut(true)
    await platform(`POST ${CONNECTIONS}`, { alias: 'shut', connector: 'mcp.http', url: server.url, private: true })
    await until('it needs an account', async () => (await stateOf(gateway, 'shut'))?.status === 'needs_auth')
    server.shut(false)
    const { db, organization } = gateway
    await reaches(() => db.organization(organization.id, (sql) => restartConnection(sql, 'shut')), ['shut__one'])
  })
})

test('U-27: one counter moves with each change: events tell it, the tag of the tools follows it, at both gateways alike', async () => {
  interface Seen {
    readonly status: number
    readonly tag: string
    readonly version: number
  }
  const key = await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id })
  const look = async (address: string, tag?: string): Promise<Seen> => {
    const response = await fetch(`${address}/api/v1/integrations/tools`, {
      headers: { authorization: `Bearer ${key}`, ...(tag === undefined ? {} : { 'if-none-match': tag }) },
    })
    const text = await response.text()
    const { version = -1 } = text === '' ? {} : (JSON.parse(text) as { version: number })
    return { status: response.status, tag: response.headers.get('etag') ?? '', version }
  }
  const both = [gateway.address, other.address]
  const alike = () =>
    until('both are at one version', async () => {
      const [one, two] = [await look(gateway.address), await look(other.address)]
      return one.version === two.version && one.tag === two.tag ? one : undefined
    })
  const leaving = new AbortController()
  const told: number[][] = [[], []]
  const reading = both.map(async (address, at) => {
    const headers = { authorization: `Bearer ${key}` }
    const { body } = await fetch(`${address}/api/v1/events`, { headers, signal: leaving.signal })
    for await (const chunk of body ?? [])
      for (const [, version] of Buffer.from(chunk)
        .toString()
        .matchAll(/"version":(\d+)/g))
        told[at]?.push(Number(version))
  })
  try {
    const before = await alike()
    for (const address of both) expect(await look(address, before.tag)).toMatchObject({ status: 304, version: -1 })
    server.offer([changingTool('one')])
    await reaches(
      () =>
        platform(`POST ${CONNECTIONS}`, { alias: 'counted', connector: 'mcp.http', url: server.url, private: true }),
      ['counted__one', 'shut__one'],
    )
    await reaches(
      () => server.offer([changingTool('one'), changingTool('two')]),
      ['counted__one', 'counted__two', 'shut__one', 'shut__two'],
    )
    const after = await alike()
    expect(after.version).toBeGreaterThan(before.version + 1)
    for (const address of both) expect((await look(address, before.tag)).status).toBe(200)
    await until('both have told it', () => told.every((versions) => versions.at(-1) === after.version))
    for (const versions of told) expect(versions).toEqual(versions.toSorted((one, two) => one - two))
  } finally {
    leaving.abort()
    await Promise.allSettled(reading)
  }
})
