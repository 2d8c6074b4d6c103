/** Toolsets in the console: made, picked, worded, fixed, and tried by a client at their address. */
// @module-tag long
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../e2e/peers/clients/raw-client.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { startToolsServer, type ToolsServer } from '../e2e/peers/servers/tools-server.ts'
import { addKey, createAsk } from '../e2e/peers/people/administrators.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const SERVED = [
  {
    alias: 'mail',
    title: 'Mail',
    tools: [
      {
        name: 'send_message',
        description: 'Sends one message to somebody.',
        inputSchema: {
          type: 'object' as const,
          required: ['to', 'text'],
          properties: {
            to: { type: 'string', description: 'An address.' },
            text: { type: 'string' },
            copies: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
            folder: { type: 'string', enum: ['sent', 'archive'] },
          },
        },
        annotations: { destructiveHint: false },
      },
      {
        name: 'list_messages',
        description: 'Lists messages.',
        inputSchema: { type: 'object' as const },
        annotations: { readOnlyHint: true },
      },
      {
        name: 'empty_bin',
        description: 'Empties the bin.',
        inputSchema: { type: 'object' as const },
        annotations: { destructiveHint: true },
      },
    ],
  },
  {
    alias: 'wiki',
    title: 'Wiki',
    tools: [
      {
        name: 'search',
        description: 'Searches pages.',
        inputSchema: { type: 'object' as const },
        annotations: { readOnlyHint: true },
      },
    ],
  },
]

const parts = new AsyncDisposableStack()
let console: ConsoleGateway
let server: ToolsServer

describe.skipIf(NO_BROWSER)('toolsets', () => {
  beforeAll(async () => {
    server = parts.use(await startToolsServer(SERVED))
    console = parts.use(
      await startConsole({
        connections: SERVED.map(({ alias }) => ({
          alias,
          revision: '2026-07-28',
          wire: httpWire(server.urlOf(alias)),
        })),
        toolsets: [{ slug: 'declared', title: 'Declared', settings: { include: ['wiki__*'], exclude: [] } }],
      }),
    )
    await Promise.all(SERVED.map(({ alias }) => console.gateway.settled(alias)))
  })
  afterAll(() => parts.disposeAsync())

  test('that is not there is said so, with the way back to all of them', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/toolsets/nope')
    await page.getByText('Toolset not found').waitFor()
    await page.getByRole('link', { name: 'All toolsets' }).click()
    await page.waitForURL(/\/toolsets(\?|$)/)
  })

  test(
    'one is made, picked, worded and fixed in the browser, and a client finds exactly that',
    { tags: 'long' },
    async () => {
      await using opened = await console.open(ADA)
      const { page } = opened
      await page.goto('/toolsets')
      await page.getByRole('link', { name: 'Read-only tools' }).waitFor()
      await look(page, 'toolsets')
      await page.getByRole('button', { name: 'New toolset' }).click()
      await page.getByLabel('Title').fill('Writing letters')
      await page.getByRole('radio', { name: 'No tools' }).check()
      await look(page, 'toolset-new')
      await page.getByRole('button', { name: 'Create toolset' }).click()
      await page.waitForURL(/\/toolsets\/writing-letters/)
      await page.getByText(/^0 of 4 tools selected/).waitFor()

      const row = page.getByRole('checkbox', { name: /^Include / })
      await page.getByRole('combobox', { name: 'Connection' }).click()
      await page.getByRole('option', { name: 'mail', exact: true }).click()
      await page.getByText('Select the 3 shown').waitFor()
      expect(await row.count()).toBe(3)
      await page.getByText('All of mail (0 of 3 selected)').click()
      await page.getByRole('checkbox', { name: 'Include mail__empty_bin' }).uncheck()
      await page.getByText(/^2 of 4 tools selected/).waitFor()
      await page.getByRole('button', { name: 'Edit mail__send_message' }).click()
      await word(page)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Writing letters saved').waitFor()
      await look(page, 'toolset-tools')

      expect(await listed('writing-letters')).toEqual([
        {
          name: 'write_letter',
          description: 'Sends one letter to somebody.',
          arguments: ['to', 'text', 'folder'],
        },
        { name: 'mail__list_messages', description: 'Lists messages.', arguments: [] },
      ])
      await call('writing-letters', 'write_letter', { to: 'ada@example.com', text: 'Good day.', copies: 7 })
      expect(server.called.at(-1)).toMatchObject({ name: 'send_message', arguments: { text: 'Good day.', copies: 2 } })

      await page.getByRole('tab', { name: 'Preview' }).click()
      await page.getByRole('button', { name: 'write_letter' }).waitFor()
      await page.getByText(/^2 tools, .* As Platform administrator$/).waitFor()
      await look(page, 'toolset-preview')
    },
  )

  test('how tools are found and for whom it is there are said, saved and taken back', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/toolsets/standard?tab=discovery')
    await page.getByText('This toolset is built in.').waitFor()
    await page.getByRole('radio', { name: 'Search' }).check()
    await look(page, 'toolset-discovery')
    await page.getByRole('tab', { name: 'Access' }).click()
    await page.getByRole('switch', { name: /everyone in the organization/ }).uncheck({ force: true })
    await look(page, 'toolset-audience')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/ saved$/).waitFor()
    expect((await ask(at('standard'), 'tools/list')).answer.result).toBeUndefined()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await listed('standard')).length).toBe(3)

    await page.getByRole('tab', { name: 'Rules' }).click()
    await page.getByText('No rules for this toolset').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText(/ deleted$/).waitFor()
    await page.getByRole('link', { name: 'Read and write tools, but no destructive ones' }).waitFor()
  })

  test('unsaved changes are kept while one looks elsewhere, over a reload, and until they are discarded', async () => {
    const ask = createAsk(console.gateway, await addKey(console.gateway, { role: 'platform_admin' }))
    const words = { title: 'Kept', include: ['wiki__*'], exclude: [] }
    expect((await ask('PUT /api/v1/admin/tenants/default/toolsets/kept', words)).status).toBe(200)
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/toolsets/kept')
    await page.getByLabel('Title').fill('Kept and renamed')
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Toolsets' }).click()
    await page
      .getByText('Your changes to Kept and renamed are not saved yet. They are kept only in this browser tab.')
      .waitFor()
    await page.getByRole('link', { name: 'Kept', exact: true }).click()
    await page.getByText('Unsaved changes.').waitFor()
    await page.reload()
    expect(await page.getByLabel('Title').inputValue()).toBe('Kept and renamed')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.reload()
    await page.getByRole('heading', { name: 'Kept', level: 1 }).waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Kept')
  })

  test('that is not there is answered as a connection that is not there', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/o/default/toolsets/nope')
    await page.getByText('Toolset not found').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await look(page, 'toolset-missing')
    await page
      .getByRole('main')
      .getByRole('link', { name: /toolsets/i })
      .first()
      .click()
    await page.waitForURL('/o/default/toolsets')
  })

  test('what stands in the declaration file is shown and not changed', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/toolsets/declared')
    await page.getByText('Change it there').waitFor()
    expect(await page.getByRole('checkbox', { name: 'Include mail__send_message' }).isDisabled()).toBe(true)
    expect(await page.getByLabel('Title').isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
  })
})

/** In the editor of the tool that sends messages. */
async function word(page: Page): Promise<void> {
  const editor = page.getByRole('dialog', { name: 'mail__send_message' })
  await editor.getByLabel('Name in this toolset').fill('call_tool')
  await editor.getByText('This name is reserved for a gateway tool.').waitFor()
  await editor.getByLabel('Name in this toolset').fill('write_letter')
  await editor.getByLabel('Description in this toolset').fill('Sends one letter to somebody.')
  expect(await editor.getByRole('group', { name: 'Difference' }).locator('ins').textContent()).toBe('letter ')
  await editor.getByRole('combobox', { name: 'copies: source of the value' }).click()
  await page.getByRole('option', { name: 'Always this value' }).click()
  await editor.getByLabel('Value of copies').fill('many')
  await editor.getByText('Not a valid integer.').waitFor()
  await editor.getByLabel('Value of copies').fill('2')
  await look(page, 'toolset-tool')
  await editor.getByRole('button', { name: 'Done' }).click()
  await editor.waitFor({ state: 'hidden' })
  await page.getByText('1 fixed argument').waitFor()
}

const at = (toolset: string) => ({
  url: `${console.gateway.address}/o/default/t/${toolset}/mcp`,
  key: console.gateway.key,
  era: 'modern' as const,
})

async function listed(toolset: string) {
  const { answer } = await ask(at(toolset), 'tools/list')
  const tools = (answer.result?.['tools'] ?? []) as {
    name: string
    description: string
    inputSchema: { properties?: object }
  }[]
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    arguments: Object.keys(inputSchema.properties ?? {}),
  }))
}

const call = (toolset: string, name: string, args: object) => ask(at(toolset), 'tools/call', { name, arguments: args })
