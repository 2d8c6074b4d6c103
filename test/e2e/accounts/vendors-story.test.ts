/**
 * One piece of work across four vendors, by an official client: an issue of GitHub is told in Slack, a reply is drafted in Gmail, and
 * the work is planned in Linear. Rules decide by what the tools do: what destroys is blocked, and what others will see is asked
 * about first.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONNECTORS } from '../../../packages/connectors/src/index.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { descriptionsFolder } from '../../connectors/descriptions.ts'
import { connectClient, textOf, type McpClient } from '../peers/clients/client.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { join } from '../peers/people/people.ts'
import { until } from '../peers/until.ts'
import { createVendorApi, type VendorApi } from '../peers/vendors/vendor-api.ts'
import { words } from '../peers/vendors/vendor.ts'
import { startVendors } from '../peers/vendors/vendors.ts'

const VENDORS = ['github', 'slack', 'gmail', 'linear'] as const
type Name = (typeof VENDORS)[number]
const TOKEN = 'token-0123456789abcdef'
const ISSUE = {
  number: 7,
  title: 'Invoices are sent twice',
  state: 'open',
  body: 'Two customers got the same invoice.',
  html_url: 'https://github.com/acme/shop/issues/7',
}
const folder = descriptionsFolder()

describe.skipIf(folder === undefined)('one piece of work across vendors', () => {
  const parts = new AsyncDisposableStack()
  const apis = new Map<Name, VendorApi>()
  let gateway: TestGateway
  let platform: Ask
  let client: McpClient

  beforeAll(async () => {
    gateway = parts.use(await startTestGateway({}))
    platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    for (const name of VENDORS) await connect(name)
    await addRule('no-destruction', 'block', { effects: ['destructive'], tools: ['github_*', 'gmail_*', 'linear_*'] })
    await addRule('told-to-others', 'approve', { effects: ['destructive'], tools: ['slack_*'] }, { by: { self: true } })
    const { token } = await join('ada@example.com', { ...gateway, roles: [[gateway.organization.id, 'tenant_member']] })
    client = parts.use(
      await connectClient({ kind: 'SDK 2 pinned to 2026-07-28', url: gateway.url, key: token, answers: true }),
    )
  }, 60_000)
  afterAll(() => parts.disposeAsync())

  async function connect(name: Name): Promise<void> {
    const known = CONNECTORS[name]
    if (known === undefined) throw new Error(`there is no ${name}`)
    const connector = await known.load()
    const api = createVendorApi(folder ?? '', connector, (token) => token === TOKEN)
    apis.set(name, api)
    const doubles = parts.use(await startVendors([api]))
    const made = await platform('POST /api/v1/admin/tenants/default/connectors', {
      alias: name,
      connector: 'native',
      native: { vendor: name },
      url: doubles.map(known.address),
      private: true,
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    if (made.status !== 201) throw new Error(made.text)
    await gateway.settled(name)
  }

  async function addRule(name: string, action: string, match: object, parameters: object = {}): Promise<void> {
    const said = { name, action, match, parameters, reason: 'Customers see it' }
    const { status, text } = await platform('POST /api/v1/organizations/default/rules', said)
    if (status !== 201) throw new Error(text)
  }

  const served = (name: Name) => apis.get(name)?.served ?? []

  test('an issue is read, told, answered and planned, and the one call that others see is asked about', async () => {
    const github = apis.get('github')
    if (github === undefined) throw new Error('there is no double of GitHub')
    const names = (await client.tools()).map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['github__github_get_issue', 'slack__slack_conversations_add_message']),
    )
    // Tools that a rule blocks for every call are not listed.
    expect(
      names.filter((name) => name === 'gmail__gmail_send_message' || name === 'linear__linear_delete_issue'),
    ).toEqual([])

    github.next = { path: '/repos/acme/shop/issues/7', said: words(200, ISSUE) }
    const issue = await client.call('github__github_get_issue', { owner: 'acme', repo: 'shop', issue_number: 7 })
    expect(issue.structuredContent).toMatchObject({ number: 7, title: ISSUE.title })
    expect(client.asked).toEqual([])

    const text = `Issue 7 is open: ${ISSUE.title} ${ISSUE.html_url}`
    const told = await client.call('slack__slack_conversations_add_message', { channel_id: 'C1', text })
    expect(told.isError, textOf(told)).not.toBe(true)
    expect(client.asked).toHaveLength(1)
    expect(String(client.asked[0]?.params?.['message'])).toContain(ISSUE.title)
    expect(served('slack').map(({ url, body }) => [url.pathname, body])).toEqual([
      ['/api/chat.postMessage', expect.objectContaining({ channel: 'C1', text })],
    ])

    const draft = { to: 'customer@example.com', subject: ISSUE.title, body: 'We are looking at it. Grüße ✓' }
    const drafted = await client.call('gmail__gmail_create_draft', draft)
    expect(drafted.isError, textOf(drafted)).not.toBe(true)
    const [sent] = served('gmail')
    const raw = (sent?.body as { message?: { raw?: string } } | undefined)?.message?.raw ?? ''
    expect(Buffer.from(raw, 'base64url').toString()).toContain(`Subject: ${ISSUE.title}`)
    const refused = await client.call('gmail__gmail_send_message', draft)
    expect(refused).toMatchObject({ isError: true, _meta: { 'dev.toolway/fault': { fault: 'policy.blocked' } } })
    expect(served('gmail')).toHaveLength(1)

    const planned = await client.call('linear__linear_create_issue', {
      title: ISSUE.title,
      description: ISSUE.html_url,
      teamId: 'T1',
    })
    expect(planned.isError, textOf(planned)).not.toBe(true)
    expect(JSON.stringify(served('linear')[0]?.body)).toContain(ISSUE.html_url)
    expect(client.asked).toHaveLength(1)
    for (const [name, { problems }] of apis) expect([name, problems]).toEqual([name, []])
  })

  test('each call is in the audit log, and no token of a vendor is', async () => {
    const read = async () => platform('GET /api/v1/admin/tenants/default/audit?limit=50&action=tools/call')
    const calls = ({ body }: Awaited<ReturnType<typeof read>>) =>
      (body['items'] as { resource_id: string; outcome: string }[]).map((one) => [one.resource_id, one.outcome])
    await until('they are recorded', async () => calls(await read()).length === 6)
    const found = await read()
    expect(calls(found).toReversed()).toEqual([
      ['github__github_get_issue', 'ok'],
      ['slack__slack_conversations_add_message', 'refused'],
      ['slack__slack_conversations_add_message', 'ok'],
      ['gmail__gmail_create_draft', 'ok'],
      ['gmail__gmail_send_message', 'refused'],
      ['linear__linear_create_issue', 'ok'],
    ])
    expect(found.text).not.toContain(TOKEN)
  })
})
