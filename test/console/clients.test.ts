/** Connecting clients by the console: real ones come in and are seen, and what is to be copied is what it says it is. */
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Page } from 'playwright-core'
import { parse as parseToml } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClient, connectOver } from '../e2e/peers/clients/client.ts'
import { until } from '../e2e/peers/until.ts'
import { connectWithOAuth } from '../e2e/peers/clients/oauth-client.ts'
import { createPerson } from '../e2e/peers/people/oauth-person.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { startToolsServer } from '../e2e/peers/servers/tools-server.ts'
import { NO_BROWSER, type WatchedPage } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const HELLO = {
  name: 'hello',
  description: 'Says hello.',
  inputSchema: { type: 'object' as const },
  annotations: { readOnlyHint: true },
}

// Pictures are taken on machines that may be busy with other things.
describe.skipIf(NO_BROWSER)('connect a client', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let ada: WatchedPage
  beforeAll(async () => {
    const server = parts.use(await startToolsServer([{ alias: 'desk', title: 'Desk', tools: [HELLO] }]))
    console = parts.use(
      await startConsole({
        connections: [{ alias: 'desk', title: 'Desk', trusted: true, wire: httpWire(server.urlOf('desk')) }],
        toolsets: [{ slug: 'quiet', title: 'Quiet', settings: { include: ['*'], exclude: [] } }],
      }),
    )
    await console.gateway.settled('desk')
    ada = parts.use(await console.open(ADA))
  })
  afterAll(() => parts.disposeAsync())

  const steps = (page: Page) => page.getByRole('region', { name: /^Set up / })
  const check = (page: Page) => page.getByRole('region', { name: 'Live check' })
  const seen = (page: Page, step: string) =>
    check(page).getByRole('listitem').filter({ hasText: step }).getByText('Seen')
  /** The text to copy in one of the steps. */
  const code = (page: Page, step: RegExp) => steps(page).getByRole('region', { name: step }).innerText()

  test('a key is made in place, and the check turns as a real client comes in with it', { tags: 'long' }, async () => {
    const { page } = ada
    await page.goto('/clients?client=codex&way=key')
    await page.getByText('Waiting for Codex').waitFor()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Read only').click()
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await page.getByRole('region', { name: /^Key: Codex/ }).innerText()
    expect(key).toMatch(/^smcp_t[au]_/)
    const toml = parseToml(await code(page, /config\.toml/)) as { mcp_servers: Record<string, object> }
    expect(toml.mcp_servers).toEqual({
      'toolway-default': { url: console.gateway.url, http_headers: { Authorization: `Bearer ${key}` } },
    })

    await using client = await connectClient({ kind: 'SDK 1', url: console.gateway.url, key })
    await seen(page, 'Connected').waitFor()
    expect(await seen(page, 'Listed the tools').count()).toBe(0)
    await client.tools()
    await seen(page, 'Listed the tools').waitFor()
    await page.getByText('Client: e2e 1.0.0, MCP 2025-11-25.').waitFor()
    expect(await client.call('desk__hello')).toMatchObject({ content: [{ text: 'did hello' }] })
    await page.getByText('Connected', { exact: true }).waitFor()
    await look(page, 'clients-checked')
  })

  test('an entry for a client that starts programs is one: it starts the bridge, which is seen', async () => {
    const { page } = ada
    await page.goto('/clients?client=claude-desktop&toolset=quiet')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Copy it now').waitFor()
    await steps(page).getByRole('button', { name: 'Copy (step 1, JSON)' }).click()
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as Configured
    const { command, args, env } = copied.mcpServers['toolway-default--quiet'] ?? { command: '', args: [], env: {} }
    expect(args.at(-1)).toBe(`${console.gateway.address}/o/default/t/quiet/mcp`)
    await using client = await connectOver(new StdioClientTransport({ command, args, env, stderr: 'ignore' }))
    await seen(page, 'Connected').waitFor()
    expect((await client.tools()).map(({ name }) => name)).toContain('desk__hello')
    await seen(page, 'Listed the tools').waitFor()
  })

  test(
    'a client that signs in by itself is seen as one’s own, and one of another name is said to be',
    { tags: 'long' },
    async () => {
      const { page } = ada
      await page.goto('/clients?client=cursor')
      await page.getByText('Waiting for Cursor').waitFor()
      const person = createPerson(console.gateway.address, { email: ADA.email })
      await using client = await connectWithOAuth('SDK 1', console.gateway.url, person)
      await client.tools()
      await seen(page, 'Listed the tools').waitFor()
      await page.getByText(/Client: .*If this is not Cursor, continue with the steps\./).waitFor()
    },
  )

  test(
    'a client of 2026-07-28 is seen by its first request; who is refused is seen by administrators',
    { tags: 'long' },
    async () => {
      const { page } = ada
      await page.goto('/clients?client=chatgpt')
      await page.getByText('ChatGPT cannot reach this URL').waitFor()
      await page.getByRole('button', { name: 'Another client' }).click()
      await page.waitForURL(/client=generic/)
      await page.getByText('Waiting for your client').waitFor()
      await page.getByRole('button', { name: 'Client not connecting?' }).click()
      const json = { 'content-type': 'application/json' }
      const headers = { ...json, authorization: `Bearer uru_${'f'.repeat(64)}`, 'user-agent': 'lost/1' }
      await fetch(console.gateway.url, { method: 'POST', headers })
      // A refused request is noted after it is answered.
      await until('the refused request is listed', async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return (await page.getByText(/an unknown key.*lost\/1/).count()) > 0
      })
      await look(page, 'clients')

      // Events of another gateway on the same database are shown here, too.
      await using other = await console.gateway.another()
      const { key } = console.gateway
      await using client = await connectClient({ kind: 'SDK 2 pinned to 2026-07-28', url: `${other.address}/mcp`, key })
      await client.tools()
      await seen(page, 'Listed the tools').waitFor()
      await page.getByText('Client: e2e 1.0.0, MCP 2026-07-28.').waitFor()

      await using ben = await console.open({ email: 'ben@example.com', role: 'tenant_member' })
      await ben.page.goto('/clients')
      await ben.page.getByText('Waiting for Claude Code').waitFor()
      const seenBy = async ({ request }: Page) =>
        ((await (await request.get('/api/v1/organizations/default/clients/seen')).json()) as { items: object[] }).items
      expect(await seenBy(ben.page)).toEqual([])
      expect((await seenBy(page)).length).toBeGreaterThan(2)
    },
  )
})

interface Configured {
  readonly mcpServers: Record<string, { command: string; args: string[]; env: Record<string, string> }>
}
