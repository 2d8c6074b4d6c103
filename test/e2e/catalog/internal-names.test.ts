/**
 * Tests that an organization's administrator does not learn which names the gateway's own network knows, at every operation that
 * resolves an address.
 */
import type * as dns from 'node:dns'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { createBrowser, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { join } from '../peers/people/people.ts'
import { until } from '../peers/until.ts'

/** One name that leads inside, one that nobody knows. */
const NAMES = ['inside.example', 'nobody.example'] as const

vi.mock('node:dns', async (original) => {
  const real = await original<typeof dns>()
  type Found = (error: Error | null, found: dns.LookupAddress[]) => void
  const lookup = (name: string, options: dns.LookupAllOptions, found: Found) => {
    if (name === 'inside.example') process.nextTick(found, null, [{ address: '10.1.2.3', family: 4 }])
    else if (name === 'nobody.example')
      process.nextTick(found, Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }), [])
    else real.lookup(name, options, found)
  }
  return { ...real, lookup }
})

const TENANT = '/api/v1/admin/tenants/default'
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let admin: Ask
beforeAll(async () => {
  gateway = parts.use(await startTestGateway())
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
})
afterAll(() => parts.disposeAsync())

/** Returns the text of an answer without the parts that differ each time. */
function saidBy({ status, body }: Awaited<ReturnType<Ask>>, name: string): string {
  return `${status} ${JSON.stringify(body)}`
    .replaceAll(name, 'NAME')
    .replaceAll(name.split('.')[0] ?? name, 'ALIAS')
    .replaceAll(/\b[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}\b/g, 'ID')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
}

async function bothOf(look: (name: string) => Promise<Awaited<ReturnType<Ask>>>): Promise<string> {
  const [inside, nobody] = await Promise.all(NAMES.map(async (name) => saidBy(await look(name), name)))
  expect(inside).toBe(nobody)
  expect(inside).not.toMatch(/^4/)
  return inside ?? ''
}

test('a probe says the same of a name inside and of one that nobody knows', async () => {
  const at = 'POST /api/v1/organizations/default/connections/probe' as const
  expect(await bothOf((name) => admin(at, { url: `https://${name}/mcp` }))).toContain('egress.refused')
})

test('so does the preview of an OpenAPI document', async () => {
  const at = `POST ${TENANT}/connectors/openapi/preview` as const
  expect(await bothOf((name) => admin(at, { document_url: `https://${name}/a.json` }))).toContain(
    'does not resolve, or',
  )
})

test('so does the status of a connection, however often it is tried', async () => {
  // Its first contact may be made before or after this is answered.
  for (const name of NAMES) {
    const added = await admin(`POST ${TENANT}/connectors`, { alias: name.split('.')[0], url: `https://${name}/mcp` })
    expect(added.status).toBe(201)
  }
  const look = (name: string) => admin(`GET ${TENANT}/connectors/${name.split('.')[0]}`)
  for (const name of NAMES)
    await until(`${name} was tried`, async () => JSON.stringify((await look(name)).body).includes('does not resolve'))
  // One of them may be on its way to the next try when it is looked at.
  await until('both say the same', async () => {
    const [inside, nobody] = await Promise.all(NAMES.map(async (name) => saidBy(await look(name), name)))
    return inside === nobody
  })
})

test('so do the page that looks for an authorization server, and the test of a webhook', async () => {
  const roles = [[gateway.organization.id, 'tenant_admin']] as const
  const { client } = await join('ada@example.com', { ...gateway, roles })
  const browser = createBrowser(gateway.address)
  await browser.submit('/sign-in', { email: 'ada@example.com', password: PASSWORD })
  const pages = new Map<string, string>()
  for (const name of NAMES) {
    const alias = `o-${name.split('.')[0]}`
    await client(`POST ${TENANT}/connectors`, { alias, url: `https://${name}/o`, auth: { kind: 'oauth' } })
    const link = await client(`POST ${TENANT}/connectors/${alias}/link`, { owner: 'organization' })
    const { pathname } = new URL(String(link.body.url))
    const answer = await browser.ask(pathname)
    const html = (await answer.text()).replaceAll(/(\/connect\/|value=")[\w.~-]{40,}/g, '$1')
    pages.set(name, saidBy({ status: answer.status, body: { html } } as never, name))
  }
  expect(pages.get('inside.example')).toContain('does not resolve, or')
  expect(pages.get('inside.example')).toBe(pages.get('nobody.example'))

  const hooks = new Map<string, string>()
  for (const name of NAMES) {
    const { body } = await admin(`POST ${TENANT}/webhooks`, { url: `https://${name}/hook` })
    hooks.set(name, String(body['id']))
  }
  const said = await bothOf((name) => admin(`POST ${TENANT}/webhooks/${hooks.get(name)}/test`))
  expect(said).toContain('is not allowed')
})
