/** Arguments that do not fit are refused by the gateway, where it is told to look, with all that is wrong and nothing sent. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { callTool, openSession, type RawPeer } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startReports, type ReportsServer } from '../peers/servers/reports-server.ts'
import { until } from '../peers/until.ts'

const parts = new AsyncDisposableStack()
let servers: Record<'modern' | 'legacy', ReportsServer>
let gateway: TestGateway
beforeAll(async () => {
  servers = { modern: parts.use(await startReports('modern')), legacy: parts.use(await startReports('legacy')) }
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire: httpWire(servers.modern.url), checks: 'arguments' },
        { alias: 'legacy', wire: httpWire(servers.legacy.url), checks: 'arguments' },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const clients = async (): Promise<RawPeer[]> => [
  { url: gateway.url, key: gateway.key, era: 'modern' },
  await openSession(gateway.url, gateway.key),
]

describe('arguments', () => {
  test('S1-CAL-04, S1-ERR-01: that do not fit are told all at once, with places, and nothing is sent', async () => {
    for (const client of await clients()) {
      for (const alias of ['modern', 'legacy'] as const) {
        const before = servers[alias].received.length
        const given = { limit: 500, since: '2026-02-30T00:00:00Z', filters: { ownr: 'me' } }
        const { answer } = await callTool(client, `${alias}__search`, given)
        expect(answer.result?.isError).toBe(true)
        expect(answer.result?.content?.[0]?.text).toBe(
          `INVALID_ARGUMENT: The arguments do not match the input schema of ${alias}__search: /limit must be at most 50; ` +
            '/since must be a date and time such as 2026-01-31T09:30:00Z (RFC 3339); ' +
            '/filters/ownr is unknown; did you mean "owner"?; /query is required. ' +
            'Correct them to match the input schema of the tool.',
        )
        expect(answer.result?.['_meta']).toMatchObject({
          'dev.toolway/fault': {
            code: 'INVALID_ARGUMENT',
            fault: 'arguments.invalid',
            retryable: false,
            errors: [
              { path: '/limit', message: 'must be at most 50' },
              { path: '/since' },
              { path: '/filters/ownr' },
              { path: '/query', message: 'is required' },
            ],
          },
        })
        expect(servers[alias].received).toHaveLength(before)
        const { answer: good } = await callTool(client, `${alias}__search`, { query: 'x', limit: 50 })
        expect(good.result?.isError).not.toBe(true)
        expect(servers[alias].received.slice(before)).toEqual([{ name: 'search', given: { query: 'x', limit: 50 } }])
      }
    }
  })

  test("are the server's own affair where nobody says otherwise, until an administrator does", async () => {
    const [client] = await clients()
    if (client === undefined) throw new Error('there is no client')
    const ask = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    const all = '/api/v1/admin/tenants/default/connectors'
    const { url } = servers.modern
    const added = await ask(`POST ${all}`, {
      alias: 'plain',
      title: 'Plain',
      connector: 'mcp.http',
      url,
      private: true,
    })
    expect(added.body, added.text).toMatchObject({ checks: 'none' })
    const wrong = async () => (await callTool(client, 'plain__search', { limit: 500 })).answer
    await until('the server is there', async () => (await wrong()).result?.isError !== true && (await wrong()).result)
    const at = `${all}/plain`
    expect((await ask(`PUT ${at}`, { checks: 'arguments' })).body).toMatchObject({ checks: 'arguments' })
    await until('the change is in force', async () => (await wrong()).result?.isError === true)
    // Fields that the request does not name are unchanged.
    expect((await ask(`PUT ${at}`, { title: 'Other' })).body).toMatchObject({ checks: 'arguments', title: 'Other' })
  })

  test('a refusal is on record without the values', async () => {
    const [client] = await clients()
    if (client === undefined) throw new Error('there is no client')
    await callTool(client, 'modern__search', { query: 'hunter2-the-password', limit: 'hunter2-the-password' })
    const line = await until('the log line', () =>
      gateway.log.find(({ facts }) => facts['code'] === 'arguments.invalid' && facts['tool_name'] === 'modern__search'),
    )
    expect(line.facts).toMatchObject({ outcome: 'refused' })
    expect(JSON.stringify(gateway.log)).not.toContain('hunter2')
  })
})
