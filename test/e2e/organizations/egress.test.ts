/** Private networks that the platform lets an organization's connections reach: who says so, what it opens, and when it ends. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { addKey, changesIn, createAsk, type Ask } from '../peers/people/administrators.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { until } from '../peers/until.ts'

const TENANT = '/api/v1/admin/tenants/default'
const EGRESS = `${TENANT}/egress`
const CONNECTIONS = `${TENANT}/connectors`

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let probe: ProbeServer
let platform: Ask
let admin: Ask
beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'modern' }))
  gateway = parts.use(await openGateway({ connections: [] }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
})
afterAll(() => parts.disposeAsync())

const say = (egress: object) => platform(`PUT ${EGRESS}`, egress)
const call = async (alias: string) => {
  const endpoint = { url: gateway.connectionUrl(alias), key: gateway.key, era: 'modern' } as const
  const { answer } = await callTool(endpoint, 'echo', { text: 'hello' })
  const fault = answer.result?.['_meta'] as { 'dev.toolway/fault'?: { fault: string } } | undefined
  return fault?.['dev.toolway/fault']?.fault ?? (answer.result === undefined ? 'error' : 'reached')
}
/** The same server by its address or by a name of this machine. */
const at = (host: string) => {
  const url = new URL(probe.url)
  url.hostname = host
  return url.href
}

describe('an exception', () => {
  test.each([
    ['network', { networks: ['127.0.0.0/8', '::1/128'], hosts: [] }, '127.0.0.1'],
    ['name', { networks: [], hosts: ['localhost'] }, 'localhost'],
  ])(
    'U-23: of a %s is the platform’s to make; it opens that and nothing else, and ends at once',
    async (alias, egress, host) => {
      const words = { alias, url: at(host) }
      expect(await admin(`POST ${CONNECTIONS}`, words)).toMatchObject({
        status: 403,
        body: { code: 'private.forbidden' },
      })
      expect((await admin(`PUT ${EGRESS}`, egress)).status).toBe(403)

      expect(await say(egress)).toMatchObject({ status: 200, body: egress })
      expect((await admin(`GET ${EGRESS}`)).body).toMatchObject(egress)
      expect(await admin(`POST ${CONNECTIONS}`, words)).toMatchObject({ status: 201, body: { private: false } })
      await until(`${alias} is reached`, async () => (await call(alias)) === 'reached')
      expect((await admin(`POST ${CONNECTIONS}`, { alias: 'other', url: 'http://10.0.0.8/' })).status).toBe(403)
      const recorded = (await changesIn(gateway)).filter(({ method }) => method === 'organization.egress')
      expect(recorded.at(-1)?.detail).toEqual(egress)

      expect((await say({})).body).toMatchObject({ networks: [], hosts: [] })
      await until(`${alias} is reached no more`, async () => (await call(alias)) === 'egress.refused')
      await admin(`DELETE ${CONNECTIONS}/${alias}`)
    },
  )

  test('cannot be of what is public, of link-local addresses, or of what is no network or name', async () => {
    for (const egress of [
      { networks: ['0.0.0.0/0'] },
      { networks: ['10.0.0.0/7'] },
      { networks: ['169.254.169.254/32'] },
      { networks: ['fe80::/10'] },
      { networks: ['2000::/3'] },
      { networks: ['10.0.0.1'] },
      { networks: ['10.0.0.0/33'] },
      { hosts: ['169.254.169.254'] },
      { hosts: ['0x7f000001'] },
      { hosts: ['a.0x1'] },
      { hosts: ['*'] },
      { hosts: ['Corp.Example'] },
      { hosts: ['http://corp.example'] },
      { hosts: ['corp.example:80'] },
      { network: [] },
    ])
      expect([egress, (await say(egress)).status]).toEqual([egress, 422])
    expect((await admin(`GET ${EGRESS}`)).body).toMatchObject({ networks: [], hosts: [] })
  })

  test('is nothing that a statement of the organization’s own can make', async () => {
    const widen = gateway.db.organization(
      gateway.organization.id,
      (sql) => sql(z.object({ id: z.string() }))`
        update organizations set egress = '{"networks": ["10.0.0.0/8"], "hosts": []}' returning id`,
    )
    await expect(widen).rejects.toThrow(/permission denied/)
  })

  test('is made of what its maker has seen', async () => {
    const { headers } = await platform(`GET ${EGRESS}`)
    const tag = headers.get('etag') ?? ''
    expect((await platform(`PUT ${EGRESS}`, { hosts: ['mcp.internal'] }, { 'if-match': tag })).status).toBe(200)
    expect((await platform(`PUT ${EGRESS}`, { hosts: [] }, { 'if-match': tag })).status).toBe(412)
    await say({})
  })
})

describe('without an exception', () => {
  test('a public address that is written as numbers is nobody’s secret door', async () => {
    const words = { alias: 'numbers', url: 'https://93.184.215.14/mcp', enabled: false }
    expect(await admin(`POST ${CONNECTIONS}`, words)).toMatchObject({ status: 201, body: { private: false } })
    await admin(`DELETE ${CONNECTIONS}/numbers`)
    for (const host of ['169.254.169.254', '100.100.100.200', '[fd00:ec2::254]', '0x7f.1'])
      expect((await admin(`POST ${CONNECTIONS}`, { ...words, url: `http://${host}/` })).status).toBe(403)
  })
})
