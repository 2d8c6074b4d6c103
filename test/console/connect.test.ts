/** The way to a new connection, as people walk it: pasted, corrected, let in, named, and called. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startAuthority, type RunningAuthority } from '../e2e/peers/authorities/authority.ts'
import { startProtected, type ProtectedServer } from '../e2e/peers/authorities/protected-server.ts'
import { startEffects, type EffectsServer } from '../e2e/peers/servers/effects-server.ts'
import { startGuarded, type GuardedServer } from '../e2e/peers/servers/guarded-server.ts'
import { processOf } from '../e2e/peers/servers/real-servers.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const TOM = { email: 'tom@example.com', role: 'tenant_admin' } as const
const EVE = { email: 'eve@example.com', role: 'tenant_member' } as const

describe.skipIf(NO_BROWSER)('connecting', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let effects: EffectsServer
  let guarded: GuardedServer
  let docs: ProtectedServer
  let authority: RunningAuthority
  let page: Page
  beforeAll(async () => {
    authority = parts.use(await startAuthority('registers'))
    docs = parts.use(await startProtected(authority, { name: 'Acme CRM' }))
    effects = parts.use(await startEffects())
    guarded = parts.use(await startGuarded('right-key'))
    console = parts.use(await startConsole())
    ;({ page } = parts.use(await console.open(ADA)))
  })
  afterAll(() => parts.disposeAsync())

  const box = () => page.getByLabel('URL, command, mcp.json, OpenAPI document or name')
  const press = (name: string | RegExp, on = page) => on.getByRole('button', { name }).click()
  const start = async (text: string) => {
    await page.goto('/connections/new')
    await box().fill(text)
  }

  test(
    'S2-QRK-07: the catalog comes first and the URL second; an entry needs no address',
    { tags: 'long' },
    async () => {
      await page.goto('/connections')
      await page.getByRole('link', { name: 'Connect', exact: true }).first().click()
      await page.getByRole('heading', { name: 'From the catalog' }).waitFor()
      expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
        'From the catalog',
        'Or paste what you have',
      ])
      await look(page, 'connect')
      await page.getByLabel('Search the catalog').fill('issues')
      await press(/^Linear/)
      await page.waitForURL(/entry=native-linear/)
      expect(await page.getByLabel('URL', { exact: true }).inputValue()).toBe('https://api.linear.app')
      await page.getByText('Recommended').waitFor()
      // Sent to a colleague, the address leads to the same entry.
      await page.reload()
      expect(await page.getByLabel('URL', { exact: true }).inputValue()).toBe('https://api.linear.app')
    },
  )

  test('S2-UI-02: the first step takes http and https addresses and says why it takes no other', async () => {
    for (const wrong of ['ws://mcp.example.com', 'ftp://example.com', 'file:///etc/passwd']) {
      await start(wrong)
      await page.getByText('The URL must start with http:// or https://.').waitFor()
      expect(await page.getByRole('button', { name: 'Continue' }).count()).toBe(0)
    }
    for (const right of ['https://mcp.example.com/mcp', 'http://localhost:3000/mcp']) {
      await start(right)
      await page.getByText('A URL', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Continue' }).waitFor()
    }
  })

  test('S2-UI-01, S2-UI-03, S2-UI-04: URL, authentication and name are three steps, and at its end the tools are shown', async () => {
    await page.goto('/settings/integrations')
    await page.getByRole('main').getByRole('link', { name: 'Connect', exact: true }).first().click()
    await box().fill(effects.url)
    await press('Continue')
    await page.getByRole('radio', { name: 'None' }).waitFor()
    const steps = page.getByLabel('Steps', { exact: true })
    expect(await steps.locator('.mantine-Stepper-stepLabel').allInnerTexts()).toEqual([
      'Source',
      'Authentication',
      'Name',
    ])
    for (const way of ['OAuth', 'API key', 'None']) await page.getByRole('radio', { name: new RegExp(way) }).waitFor()
    await page.getByRole('radio', { name: /OAuth.*Recommended/ }).waitFor()
    // The server was probed, and the method it requires is preselected.
    await page.getByText('MCP server found. It requires no authentication.').waitFor()
    await expect.poll(() => page.getByRole('radio', { name: 'None' }).isChecked()).toBe(true)
    await page.getByRole('radio', { name: 'API key' }).check()
    expect(await page.getByLabel('Key or token').getAttribute('type')).toBe('password')
    await look(page, 'connect-auth')
    await page.getByRole('radio', { name: 'None' }).check()
    await press('Continue')
    const name = page.getByLabel('Name (optional)')
    // The name that the server gives itself.
    await expect.poll(() => name.inputValue()).toBe('effects')
    expect(await page.getByRole('definition').allTextContents()).toEqual(['MCP server', effects.url, 'None'])
    await press('Connect')
    await page.getByRole('heading', { name: 'effects is connected' }).waitFor()
    const table = page.getByRole('table', { name: 'Tools' })
    for (const [tool, effect] of [
      ['look_up', 'Unknown'],
      ['write_note', 'Unknown'],
      ['drop_all', 'Destructive'],
    ] as const)
      await table.getByRole('row', { name: new RegExp(`${tool}.*${effect}`) }).waitFor()
    // A read-only tool is suggested, and called here.
    await press('Run')
    await page.getByText('did look_up').first().waitFor()
    await page.getByText('Your first call through Toolway').waitFor()
    expect(effects.called).toEqual(['look_up'])
    await look(page, 'connect-tools')
  })

  test('a reload keeps what was typed, except for keys', async () => {
    await start(guarded.url)
    await press('Continue')
    await page.getByRole('radio', { name: 'API key' }).check()
    await page.getByLabel('Key or token').fill('a-secret-key')
    await press('Continue')
    await page.getByLabel('Name (optional)').fill('Kept over a reload')
    await page.reload()
    expect(await page.getByLabel('Name (optional)').inputValue()).toBe('Kept over a reload')
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('a-secret-key')
  })

  test('a wrong key is told with phase and mend, and corrected without losing what was typed', async () => {
    await start(guarded.url)
    await press('Continue')
    await page.getByRole('radio', { name: 'API key' }).check()
    await page.getByLabel('Key or token').fill('wrong-key')
    await press('Continue')
    // A server that tells nobody its name is called by its host, unless somebody says otherwise.
    expect(await page.getByLabel('Name (optional)').getAttribute('placeholder')).toBe(new URL(guarded.url).host)
    expect(await page.getByLabel('Name (optional)').inputValue()).toBe('')
    await page.getByLabel('Name (optional)').fill('Guarded')
    await press('Connect')
    const failed = page.getByRole('alert')
    await failed.getByText('Failed while opening the connection').waitFor()
    await failed.getByText('Next step:').waitFor()
    await press('Change authentication')
    const key = page.getByLabel('Key or token')
    expect(await key.inputValue()).toBe('wrong-key')
    await key.fill('right-key')
    await press('Continue')
    expect(await page.getByLabel('Name (optional)').inputValue()).toBe('Guarded')
    await press('Connect')
    await page.getByRole('heading', { name: 'Guarded is connected' }).waitFor()
    // It was corrected, not made twice.
    await page.goto('/connections?search=guarded')
    await page.getByRole('link', { name: 'Guarded' }).waitFor()
    expect(await page.getByRole('listitem').filter({ hasText: 'Guarded' }).count()).toBe(1)
  })

  test(
    'S2-UI-05: with OAuth the browser goes straight to the vendor, and the wizard goes on when the person is back',
    { tags: 'long' },
    async () => {
      await start(docs.url)
      await press('Continue')
      await page.getByText('It uses OAuth').waitFor()
      await press('Continue')
      await expect.poll(() => page.getByLabel('Name (optional)').inputValue()).toBe('Acme CRM')
      await look(page, 'connect-name')
      // A name that was cleared is not filled in again.
      await page.getByLabel('Name (optional)').fill('')
      await press('Back')
      await press('Continue')
      expect(await page.getByLabel('Name (optional)').getAttribute('placeholder')).toBe('Acme CRM')
      expect(await page.getByLabel('Name (optional)').inputValue()).toBe('')
      await page.getByLabel('Name (optional)').fill('Docs')
      const asked: string[] = []
      page.once('popup', (popup) =>
        popup.on('request', (request) => {
          if (request.isNavigationRequest()) asked.push(request.url().split('?')[0] ?? '')
        }),
      )
      await press('Connect and sign in')
      await page.getByRole('heading', { name: 'Docs is connected' }).waitFor()
      await page.getByRole('row', { name: /who_am_i.*Unknown/ }).waitFor()
      // Not by a page of ours.
      expect(asked[0]).toBe(`${authority.issuer}/auth`)
    },
  )

  test('several servers of a configuration are chosen from, and each says how it went', { tags: 'long' }, async () => {
    const memory = processOf('memory')
    await start(
      JSON.stringify({
        mcpServers: {
          notes: { command: memory.command, args: memory.args, env: { NOTE_KEY: '<your key>' } },
          tools: { url: effects.url, headers: { Authorization: 'Bearer ${TOOLS_KEY}' } },
          vault: { url: docs.url },
          left: { url: 'https://left.example.com/mcp' },
        },
      }),
    )
    await page.getByText('4 servers found. Select the ones to connect.').waitFor()
    const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name }) })
    // The same address was connected before: it is not wanted twice unless somebody says so.
    await row('vault').getByText('Already connected').waitFor()
    expect(await page.getByRole('checkbox', { name: 'vault' }).isChecked()).toBe(false)
    for (const name of ['tools', 'vault']) await page.getByRole('checkbox', { name }).check()
    await page.getByRole('checkbox', { name: 'left' }).uncheck()
    expect(await page.getByRole('button', { name: 'Connect 3 servers' }).isDisabled()).toBe(true)
    await page.getByLabel('NOTE_KEY').fill('abc')
    await page.getByLabel('API key').fill('k1')
    await look(page, 'connect-several')
    await press('Connect 3 servers')
    const done = (name: string) =>
      page
        .getByRole('listitem')
        .filter({ has: page.getByText(name, { exact: true }), hasNot: page.getByRole('checkbox') })
    await done('notes')
      .getByText(/Connected · \d+ tools/)
      .waitFor()
    await done('tools').getByText('Connected · 4 tools').waitFor()
    await done('vault').getByText('Requires an account').waitFor()
  })

  test(
    'several servers are renamed where their aliases are taken, and nothing is sent before',
    { tags: 'long' },
    async () => {
      await start(
        JSON.stringify({
          mcpServers: {
            Effects: { url: `${effects.url}?team=red` },
            'Left over': { url: 'https://left.example.com/mcp' },
            'left-over': { url: 'https://left.example.com/mcp' },
          },
        }),
      )
      const row = (name: string) =>
        page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name, exact: true }) })
      const name = (of: string) => row(of).getByLabel('Name (optional)')
      const connect = page.getByRole('button', { name: /^Connect \d servers?$/ })
      await row('Effects').getByText('The alias effects is taken by a connection.').waitFor()
      expect(await connect.isDisabled()).toBe(true)
      // One that is the same as another is wanted once it has a name of its own.
      await row('left-over').getByText('Same as Left over above').waitFor()
      await press('Rename left-over')
      expect(await name('left-over').evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)
      await name('left-over').fill('Left Over')
      expect(await page.getByRole('checkbox', { name: 'Left Over', exact: true }).isChecked()).toBe(true)
      expect(await page.getByText('The alias left-over is taken by another server in this list.').count()).toBe(2)
      await look(page, 'connect-several-names')
      await name('Left Over').fill('Elsewhere')
      await row('Elsewhere').getByText('Alias: elsewhere').waitFor()
      expect(await page.getByText('is taken by another server').count()).toBe(0)
      expect(await connect.isDisabled()).toBe(true)
      await name('Effects').fill('Effects of red')
      await row('Effects of red').getByText('Alias: effects-of-red').waitFor()
      await page.getByRole('button', { name: 'Connect 3 servers' }).waitFor()
      expect(await connect.isDisabled()).toBe(false)
      for (const left of ['Left over', 'Elsewhere'])
        await page.getByRole('checkbox', { name: left, exact: true }).uncheck()
      await press('Connect 1 server')
      const done = page
        .getByRole('listitem')
        .filter({ has: page.getByText('Effects of red', { exact: true }), hasNot: page.getByRole('checkbox') })
      await done.getByText('Connected · 4 tools').waitFor()
      await done.getByRole('link', { name: 'Open' }).click()
      await page.waitForURL(/\/connections\/effects-of-red/)
      await page.getByRole('heading', { name: 'Effects of red' }).waitFor()
    },
  )

  test('a settings file of Codex is opened, and what cannot be used of one is named', { tags: 'long' }, async () => {
    const toml = '[mcp_servers.notes]\nurl = "https://notes.example.com/mcp"\nenabled = false\ntool_timeout_sec = 5\n'
    await start('')
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'config.toml', mimeType: 'application/toml', buffer: Buffer.from(toml) })
    await page.getByText('notes, from a configuration', { exact: true }).waitFor()
    await page.getByText('Not carried over: tool_timeout_sec').waitFor()
    await page.getByText('Turned off in the file').waitFor()
    await start(
      'extensions:\n  developer: { type: builtin }\n  fetch: { type: stdio, cmd: uvx, args: [mcp-server-fetch] }\n',
    )
    await page.getByText('Not imported, since their entries cannot be used here: developer').waitFor()
    await look(page, 'connect-goose')
  })

  test('an OpenAPI document is shown as tools before it is connected', { tags: 'long' }, async () => {
    await start(DOCUMENT)
    await page.getByText('An OpenAPI document', { exact: true }).waitFor()
    await press('Continue')
    await page.getByText('Shop 1').waitFor()
    await page.getByText('3 tools').waitFor()
    await page.getByText('orders (2)').click()
    await page.getByText('2 tools').waitFor()
    // Where the key goes is said by the document.
    await page.getByText('shopKey: header X-Shop-Key').waitFor()
    await page.getByLabel('Key or token').fill('shop-key')
    await look(page, 'connect-openapi')
    await press('Continue')
    await expect.poll(() => page.getByLabel('Name (optional)').inputValue()).toBe('Shop')
    await press('Connect')
    await page.getByRole('row', { name: /list_?orders.*Reads/i }).waitFor()
    await expect.poll(() => page.getByRole('row').count()).toBe(3)
  })

  test(
    'a document in several files is opened as files, as a folder and as a ZIP archive',
    { tags: 'long' },
    async () => {
      await using folder = await documentFolder()
      const inputs = page.locator('input[type=file]')
      const shown = async (name: string, picture?: string) => {
        await page.getByText('An OpenAPI document with its files', { exact: true }).waitFor()
        await page.getByText(name, { exact: true }).waitFor()
        if (picture !== undefined) await look(page, picture)
        await press('Continue')
        await page.getByText('Shop 1').waitFor()
        await page.getByText('2 tools').waitFor()
      }
      await start('')
      await inputs.nth(1).setInputFiles(folder.path)
      await shown('api', 'connect-folder')
      await start('')
      await inputs.first().setInputFiles(['openapi.yaml', 'goods.yaml'].map((name) => join(folder.path, name)))
      await shown('openapi.yaml +1')
      await start('')
      await inputs.first().setInputFiles({ name: 'shop.zip', mimeType: 'application/zip', buffer: folder.archive })
      await shown('shop.zip')
      await page.getByLabel('Key or token').fill('shop-key')
      await press('Continue')
      await page.getByText('shop.zip').waitFor()
      await press('Connect')
      await expect.poll(() => page.getByRole('row').count()).toBe(3)

      await start('')
      await inputs
        .first()
        .setInputFiles(['a.txt', 'b.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('x') })))
      await page.getByText('These files contain no OpenAPI document').waitFor()
      await using german = await console.open(ADA, 'de')
      await german.page.goto('/connections/new')
      await german.page.getByRole('button', { name: 'Ordner öffnen' }).waitFor()
      await german.page.locator('input[type=file]').nth(1).setInputFiles(folder.path)
      await german.page.getByText('Ein OpenAPI-Dokument mit seinen Dateien', { exact: true }).waitFor()
      await look(german.page, 'connect-folder-german')
    },
  )

  test('who may not start programs, or not connect at all, reads why', { tags: 'long' }, async () => {
    await using tom = await console.open(TOM)
    await tom.page.goto('/connections/new')
    await tom.page.getByLabel('URL, command, mcp.json, OpenAPI document or name').fill('npx -y some-server')
    await press('Continue', tom.page)
    await tom.page.getByText('You are not allowed to start programs').waitFor()
    await look(tom.page, 'connect-program')
    await using eve = await console.open(EVE)
    await eve.page.goto('/connections/new')
    await eve.page.getByText('Only administrators can add connections').waitFor()
  })
})

const operation = (operationId: string, tag: string) => ({
  operationId,
  tags: [tag],
  responses: { 200: { description: 'ok' } },
})
/** A document in two files, in a folder and as an archive. */
async function documentFolder() {
  const around = await mkdtemp(join(tmpdir(), 'documents-'))
  const path = join(around, 'api')
  await mkdir(path)
  const { paths, ...rest } = JSON.parse(DOCUMENT) as { paths: Record<string, object> }
  const root = {
    ...rest,
    paths: { '/orders': { get: operation('listOrders', 'orders') }, '/goods': { $ref: 'goods.yaml' } },
  }
  const files = { 'openapi.yaml': JSON.stringify(root), 'goods.yaml': JSON.stringify(paths['/goods']) }
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  const packed = Object.entries(files).map(([name, text]): [string, Uint8Array] => [name, Buffer.from(text)])
  return {
    path,
    archive: Buffer.from(zipSync(Object.fromEntries(packed))),
    [Symbol.asyncDispose]: () => rm(around, { recursive: true }),
  }
}
const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://shop.example.com' }],
  components: { securitySchemes: { shopKey: { type: 'apiKey', in: 'header', name: 'X-Shop-Key' } } },
  security: [{ shopKey: [] }],
  paths: {
    '/orders': { get: operation('listOrders', 'orders'), post: operation('addOrder', 'orders') },
    '/goods': { get: operation('listGoods', 'goods') },
  },
})
