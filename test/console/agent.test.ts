/** The agent console: a person sets a model, writes a request, and sees each call that the model makes. */
// @module-tag long
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askAdmin, signIn } from '../../packages/gateway/src/testing/people.ts'
import { MODEL, startModel, type ScriptedModel } from '../e2e/peers/models/scripted-model.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { startToolsServer } from '../e2e/peers/servers/tools-server.ts'
import { NO_BROWSER, type WatchedPage } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const KEY = 'sk-key-of-the-model'

describe.skipIf(NO_BROWSER)('the agent console', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let model: ScriptedModel
  let opened: WatchedPage
  let page: Page
  beforeAll(async () => {
    model = parts.use(await startModel(KEY))
    const inputSchema = { type: 'object' as const, properties: { text: { type: 'string' } } }
    const tools = [{ name: 'send', description: 'Sends a message.', inputSchema }]
    const servers = parts.use(
      await startToolsServer([{ alias: 'slack', title: 'Slack', tools }], ({ arguments: given }) => ({
        structuredContent: { sent: given['text'] ?? null },
      })),
    )
    console = parts.use(
      await startConsole({
        connections: [{ alias: 'slack', title: 'Slack', wire: httpWire(servers.urlOf('slack')) }],
      }),
    )
    const admin = parts.use(await console.open(ADA))
    await admin.page.close()
    const token = (await signIn(console.gateway.address, ADA.email)).access_token
    const { status, body } = await askAdmin(console.gateway.address, 'PUT /admin/tenants/default/egress', {
      token,
      body: { networks: ['127.0.0.0/8'], hosts: [] },
    })
    if (status !== 200) throw new Error(JSON.stringify(body))
    await console.gateway.settled('slack')
    opened = parts.use(await console.open({ email: 'bea@example.com', role: 'tenant_admin' }))
    page = opened.page
  })
  afterAll(() => parts.disposeAsync())

  test('an administrator sets the model; its key is not shown again', async () => {
    await page.goto('/agent')
    await page.getByRole('heading', { name: 'No model is set' }).waitFor()
    await look(page, 'agent, no model')
    await page.getByRole('button', { name: 'Set model' }).click()
    const dialog = page.getByRole('dialog', { name: 'Agent model' })
    await dialog.getByLabel('Base URL').fill(model.url)
    await dialog.getByLabel('Model name').fill(MODEL)
    await dialog.getByLabel('API key', { exact: true }).fill(KEY)
    await look(page, 'agent, model')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`The agent uses ${MODEL}`).waitFor()
    await page.getByRole('button', { name: 'Change model', exact: true }).click()
    expect(await dialog.getByLabel('API key', { exact: true }).inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })

  test('S0-ARC-08: a request picks an app, calls its tool, and the result is shown as it comes', async () => {
    model.say(({ texts }) => {
      const said = texts.join('\n')
      if (said.includes('"sent"')) return 'I sent “The build is green” to Slack.'
      if (said.includes('slack__send'))
        return [
          {
            tool: 'slack__execute_tool',
            arguments: { tool_name: 'slack__send', parameters: { text: 'The build is green' } },
          },
        ]
      return [{ tool: 'slack__list_tools', arguments: {} }]
    })
    await page.getByLabel('Request', { exact: true }).fill('Tell Slack that the build is green')
    await page.getByRole('button', { name: 'Send' }).click()
    const turn = page.getByRole('article', { name: 'Request: Tell Slack that the build is green' })
    await turn.getByText('I sent “The build is green” to Slack.').waitFor()
    const called = turn.getByRole('region', { name: 'Call to slack__execute_tool' })
    await called.getByText('Done').waitFor()
    await called.getByRole('button', { name: 'Show result' }).click()
    await called.getByText('"sent"').waitFor()
    await look(page, 'agent, done')
  })

  test('what is wrong with the model is said in its place, and the conversation goes on', async () => {
    model.status = 500
    await page.getByLabel('Request', { exact: true }).fill('Again')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText("The agent's model failed: it responded with HTTP 500").waitFor()
    model.status = undefined
    model.say(({ texts }) => `You asked before: ${texts.filter((text) => text.startsWith('Tell Slack')).length}`)
    await page.getByLabel('Request', { exact: true }).fill('What did I ask?')
    await page.keyboard.press('Control+Enter')
    await page.getByText('You asked before: 1').waitFor()
  })
})
