/** The playground: a tool is called as a client would call it, by the sign-in of a browser and nothing else. */
// @module-tag long
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askAdmin, signIn } from '../../packages/gateway/src/testing/people.ts'
import { startEverythingServer } from '../conformance/everything-server.ts'
import { startGuarded } from '../e2e/peers/servers/guarded-server.ts'
import { httpWire, processOf } from '../e2e/peers/servers/real-servers.ts'
import { until } from '../e2e/peers/until.ts'
import { NO_BROWSER, type WatchedPage } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

describe.skipIf(NO_BROWSER)('the playground', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let opened: WatchedPage
  let page: Page
  let token: string
  beforeAll(async () => {
    const modern = parts.use(await startEverythingServer({ era: 'modern' }))
    const legacy = parts.use(await startEverythingServer({ era: 'legacy' }))
    const guarded = parts.use(await startGuarded('key-of-the-company', 'key-of-ada'))
    const key = { kind: 'key', header: 'authorization', prefix: 'Bearer ' }
    const connection = (alias: string, wire: unknown) => ({ alias, title: alias, wire: wire as never })
    console = parts.use(
      await startConsole({
        connections: [
          { ...connection('every', processOf('everything')), checks: 'arguments' as const },
          connection('modern', httpWire(modern.url)),
          connection('legacy', httpWire(legacy.url)),
          connection('company', { ...httpWire(guarded.url), auth: key }),
          connection('mine', { ...httpWire(guarded.url), auth: key }),
        ],
      }),
    )
    opened = parts.use(await console.open(ADA))
    page = opened.page
    token = (await signIn(console.gateway.address, ADA.email)).access_token
    const account = (alias: string, body: object) =>
      ask(`POST /admin/tenants/default/connectors/${alias}/accounts`, body)
    await account('company', { key: 'key-of-the-company', owner: 'organization' })
    await account('mine', { key: 'key-of-ada' })
    const all = ['every', 'modern', 'legacy', 'company', 'mine']
    await until('all are connected', async () => {
      const found = await Promise.all(all.map((alias) => console.gateway.settled(alias)))
      return found.every(({ status }) => status === 'connected')
    })
  })
  afterAll(() => parts.disposeAsync())

  const ask = async (at: Parameters<typeof askAdmin>[1], body: object) => {
    const { status, body: said } = await askAdmin(console.gateway.address, at, { token, body })
    if (status >= 300) throw new Error(`${at} answered ${status}: ${JSON.stringify(said)}`)
  }
  const choose = async (tool: string) => {
    await page.getByRole('combobox', { name: 'Tool' }).click()
    // Enter takes the first that was found: nobody has to press an arrow key first.
    await page.getByRole('combobox', { name: 'Tool' }).fill(tool)
    await page.getByRole('option', { name: tool }).first().waitFor()
    await page.getByRole('combobox', { name: 'Tool' }).press('Enter')
  }
  const run = () => page.getByRole('button', { name: 'Run', exact: true }).click()
  const last = (tool: string) => page.getByRole('article', { name: `Call to ${tool}` }).last()

  test('a tool is found, its form filled in, called and answered; two results are compared', async () => {
    await page.goto('/playground?connection=every')
    await choose('get-sum')
    await page.getByLabel(/^a\b/).fill('20')
    await page.getByLabel(/^b\b/).fill('22')
    await page.keyboard.press('Control+Enter')
    await last('get-sum').getByText('The sum of 20 and 22 is 42.').waitFor()
    expect(new URL(page.url()).searchParams.get('args')).toBe('{"a":20,"b":22}')
    await page.getByLabel(/^b\b/).fill('23')
    await page.getByLabel(/^b\b/).press('Enter')
    await last('get-sum').getByText('The sum of 20 and 23 is 43.').waitFor()
    await last('get-sum').getByRole('tab', { name: 'Messages' }).click()
    await last('get-sum').getByText('"jsonrpc": "2.0"').first().waitFor()
    await look(page, 'playground')
    await page.getByRole('button', { name: 'Compare', exact: true }).first().click()
    await page.getByRole('button', { name: 'Compare with this' }).click()
    await page.getByRole('dialog').getByText('Only in the second:').waitFor()
    await look(page, 'playground-compare')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    const curl = await page.evaluate('navigator.clipboard.readText()')
    expect(curl).toContain(`curl -sS '${console.gateway.address}/api/v1/default/connectors/every/mcp'`)
    expect(curl).toContain('Bearer $TOOLWAY_KEY')
  })

  test('a call is saved, used again after a reload, and its deletion undone', async () => {
    await page.goto('/playground?connection=every')
    await choose('get-sum')
    await page.getByLabel(/^a\b/).fill('4')
    await page.getByLabel(/^b\b/).fill('5')
    await page.getByRole('button', { name: 'Save call' }).click()
    await page.getByText('Call saved in this browser').waitFor()
    await page.goto('/playground')
    const saved = page.getByRole('region', { name: 'Saved calls' })
    await saved.getByRole('button', { name: 'Delete the saved call to get-sum' }).click()
    await saved.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await look(page, 'playground-saved')
    await saved.getByRole('button', { name: 'Use get-sum {"a":4,"b":5}' }).click()
    await page.waitForURL(/connection=every/)
    await run()
    await last('get-sum').getByText('The sum of 4 and 5 is 9.').waitFor()
  })

  test('pictures are shown, and structured results apart', async () => {
    await choose('get-tiny-image')
    await run()
    await last('get-tiny-image').getByRole('img', { name: 'Image returned by the tool' }).waitFor()
    await choose('get-structured-content')
    await page.getByRole('combobox', { name: /location/ }).click()
    await page.getByRole('option').first().click()
    await run()
    await last('get-structured-content').getByRole('tab', { name: 'Structured' }).click()
    await last('get-structured-content').getByText('"temperature"').waitFor()
  })

  test.each(['2026-07-28', '2025-11-25'])(
    'progress comes as it is made, and a long call is stopped (%s)',
    async (era) => {
      await page.goto(`/playground?connection=every&era=${era === '2025-11-25' ? 'legacy' : 'modern'}`)
      await choose('trigger-long-running-operation')
      await page.getByLabel(/^duration/).fill('60')
      await page.getByLabel(/^steps/).fill('300')
      await run()
      const card = last('trigger-long-running-operation')
      await card.getByText('2 / 300').waitFor()
      await card.getByText(era).waitFor()
      await card.getByRole('button', { name: 'Stop' }).click()
      await card.getByText('Stopped').waitFor()
    },
  )

  test.each(['modern', 'legacy'])(
    'a server’s question is answered in place (client of the %s era)',
    { tags: 'long' },
    async (era) => {
      const card = last('test_elicitation')
      const question = card.getByRole('group', { name: 'The server has a question' })
      const beAsked = async () => {
        await page.goto(`/playground?connection=legacy&era=${era}&tool=test_elicitation`)
        await page.getByLabel(/^message/).fill('Who are you?')
        await run()
        await page.locator('[role=group]:focus').waitFor()
        await question.getByLabel(/^username/).fill('ada')
        await question.getByLabel(/^email/).fill('ada@example.com')
      }
      // The server waits a minute for its answer, which a look may take: it is of a question of its own.
      if (era === 'modern') {
        await beAsked()
        await look(page, 'playground-question')
      }
      await beAsked()
      await question.getByRole('button', { name: 'Accept' }).click()
      await card.getByText(/action=accept.*"username":"ada"/).waitFor()
      await page.goto(`/playground?connection=modern&era=${era}&tool=test_input_required_result_elicitation`)
      await run()
      await last('test_input_required_result_elicitation').getByRole('button', { name: 'Decline' }).click()
      await last('test_input_required_result_elicitation').getByText('Question:').waitFor()
    },
  )

  test(
    'an app is picked, a tool called, its result seen as it comes; of the company and one’s own in one place',
    { tags: 'long' },
    async () => {
      await page.goto('/playground')
      await page.getByRole('combobox', { name: 'Endpoint' }).click()
      await page.getByRole('option', { name: 'every', exact: true }).click()
      await choose('trigger-long-running-operation')
      // Each step is shown for seconds.
      await page.getByLabel(/^duration/).fill('5')
      await page.getByLabel(/^steps/).fill('2')
      await run()
      await last('trigger-long-running-operation').getByText('1 / 2').waitFor()
      await last('trigger-long-running-operation')
        .getByText(/completed\. Duration: 5/)
        .waitFor()
      await page.getByRole('combobox', { name: 'Endpoint' }).click()
      await page.getByRole('option', { name: 'All connections' }).click()
      for (const [tool, said] of [
        ['company__who_am_i', 'Used the organization’s shared account'],
        ['mine__who_am_i', 'Used your own account'],
      ] as const) {
        await choose(tool)
        await run()
        await last(tool).getByText(said).waitFor()
        await last(tool).getByText('who_am_i for whoever has the key').waitFor()
      }
      expect(await page.getByRole('article').count()).toBe(3)
    },
  )

  test('what does not fit is told at its field; what is too long is read on', async () => {
    await ask('POST /organizations/default/rules', {
      ...{ name: 'short', action: 'size', reason: 'Short enough to read', match: { tools: ['every__echo'] } },
      parameters: { result: { text: 1_000 } },
    })
    await page.goto('/playground?connection=every&tool=get-sum')
    await page.getByLabel(/^a\b/).fill('1')
    await run()
    await page.getByRole('region', { name: 'Call', exact: true }).getByText('This field is required').waitFor()
    // Nothing was sent.
    expect(await page.getByRole('article', { name: 'Call to get-sum' }).count()).toBe(0)
    await choose('echo')
    await page.getByLabel(/^message/).fill('<b onclick="alert(1)">x</b> '.repeat(1_500))
    await run()
    await last('echo').getByText('Shortened by the gateway').waitFor()
    await last('echo').getByText('<b onclick').first().waitFor()
    await last('echo').getByRole('button', { name: 'Read all of this result' }).click()
    const read = page.getByRole('article', { name: /Call to toolway:/ })
    await read.last().getByText('Characters 0 to 20,000 of').waitFor()
    await read.last().getByRole('button', { name: 'Load more' }).click()
    await read
      .last()
      .getByText(/Characters 20,000 to/)
      .waitFor()
  })

  test('who may only look is told so', async () => {
    await using viewer = await console.open({ email: 'vera@example.com', role: 'tenant_viewer' })
    await viewer.page.goto('/playground')
    await viewer.page.getByRole('heading', { name: 'You can view tools here, but not call them' }).waitFor()
  })

  test(
    'an approval is asked for as a client can show it: in place, on a page, as a task, as a link',
    { tags: 'long' },
    async () => {
      await ask('POST /organizations/default/rules', {
        ...{ name: 'look-first', action: 'approve', reason: 'Looked at first', match: { tools: ['every__echo'] } },
        parameters: { by: { roles: ['tenant_member'], self: true }, quorum: 1, wait: 3600, repeat: 0 },
      })
      const echo = async (without: string, message: string) => {
        const args = encodeURIComponent(JSON.stringify({ message }))
        await page.goto(`/playground?connection=every&tool=echo&args=${args}&without=${without}`)
        await run()
        return last('echo')
      }
      const inPlace = await echo('', 'one')
      await inPlace.getByRole('group').getByText('Looked at first').waitFor()
      await inPlace.getByRole('button', { name: 'Accept' }).click()
      await inPlace.getByText('Echo: one').waitFor()

      const onPage = await echo('forms.tasks', 'two')
      const [popup] = await Promise.all([
        opened.context.waitForEvent('page'),
        onPage.getByRole('button', { name: /^Open / }).click(),
      ])
      const grant = (address: string) =>
        ask(`POST /organizations/default/approvals/${/apr_\w+/.exec(address)?.[0]}/answer`, { answer: 'grant' })
      const address = popup.url()
      await popup.close()
      await grant(address)
      await onPage.getByText('Echo: two').waitFor()

      const asTask = await echo('forms', 'three')
      await grant(
        (await asTask
          .getByRole('link', { name: /approvals/ })
          .first()
          .getAttribute('href')) ?? '',
      )
      await asTask.getByText('Echo: three').waitFor()

      const asLink = await echo('forms.pages.tasks', 'four')
      await asLink.getByText('Continue on this page:').waitFor()
    },
  )
})
