/** Rules as an administrator meets them: written as a sentence grows, tried on what happened, watched, turned on, taken back. */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRecords } from '../../packages/gateway/src/testing/listed-records.ts'
import { callTool } from '../e2e/peers/clients/raw-client.ts'
import { addKey, createAsk, type Ask } from '../e2e/peers/people/administrators.ts'
import { startEffects, type EffectsServer } from '../e2e/peers/servers/effects-server.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway, type Person } from './support/console.ts'
import { look } from './support/look.ts'

// Most of it is pictures and barriers, which take their time on a busy machine.
const BOB: Person = { email: 'bob@example.com', role: 'tenant_admin' }
const EVE: Person = { email: 'eve@example.com', role: 'tenant_member' }
const RULES = '/api/v1/organizations/default/rules'

describe.skipIf(NO_BROWSER)('rules', () => {
  let upstream: EffectsServer
  let console: ConsoleGateway
  let platform: Ask
  beforeAll(async () => {
    upstream = await startEffects()
    console = await startConsole({ connections: [{ alias: 'work', wire: httpWire(upstream.url) }] })
    await console.gateway.settled('work')
    platform = createAsk(console.gateway, await addKey(console.gateway, { role: 'platform_admin' }))
  })
  afterAll(async () => {
    await console[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  const call = async (tool: string, given: Record<string, unknown> = {}) => {
    const { gateway } = console
    const url = gateway.connectionUrl('work')
    const { answer, text } = await callTool({ url, key: gateway.key, era: 'modern' }, tool, given)
    return answer.result?.content?.[0]?.text ?? text
  }

  /** Replays and results of shadow rules are read once, and records are stored a moment after their calls. */
  const awaitRecords = (target: string, count: number) => {
    const { db, organization } = console.gateway
    const stored = () => db.organization(organization.id, (sql) => listRecords(sql, { limit: 100 }))
    const isCall = (record: { kind: string; target: string | null }) =>
      record.kind === 'call' && record.target === target
    return expect.poll(async () => (await stored()).filter(isCall).length).toBeGreaterThanOrEqual(count)
  }

  /** Unless it is there already: each test can be run alone. */
  const ensure = async (rule: object) => expect([201, 409]).toContain((await platform(`POST ${RULES}`, rule)).status)
  const NO_DESTROYING = {
    ...{ name: 'no-destroying', action: 'block', reason: 'Nothing is destroyed by agents' },
    match: { effects: ['destructive'] },
  }

  test('a first rule is written, tried on what happened, watches, and then bites', { tags: 'long' }, async () => {
    for (const tool of ['drop_all', 'drop_all', 'look_up']) await call(tool)
    await awaitRecords('drop_all', 2)
    await awaitRecords('look_up', 1)
    await using opened = await console.open(BOB)
    const { page } = opened
    await page.goto('/rules')
    await page.getByRole('link', { name: 'Block destructive tools' }).waitFor()
    await look(page, 'rules-empty')
    await page.getByRole('link', { name: 'Block destructive tools' }).click()
    await page.getByText('all tools that are destructive: not listed').waitFor()
    await page.getByText('Matches 1 of 4 tools').waitFor()
    await page.getByRole('main').getByText('work__drop_all', { exact: true }).waitFor()

    await page.getByLabel('Condition', { exact: true }).fill('args.all &&')
    await page.getByText(/is not a valid CEL condition/).waitFor()
    await page.getByLabel('Condition', { exact: true }).fill('')

    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('The call is refused', { exact: true }).waitFor()
    await page.getByRole('tab', { name: 'Replay past calls' }).click()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('2 of 3 calls in the last 7 days would have a different outcome').waitFor()
    await look(page, 'rule-new')

    await page.getByRole('button', { name: 'Save and watch only' }).click()
    await page.getByRole('alert').getByText('Required').waitFor()
    await page.getByLabel('Reason').fill('Nothing is destroyed by agents')
    await page.getByLabel('Name').fill('no-destroying')
    await page.getByText('Fix these first').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save and watch only' }).click()
    await page.getByRole('heading', { name: 'no-destroying', level: 1 }).waitFor()
    expect(await call('drop_all')).toBe('did drop_all')
    await awaitRecords('drop_all', 3)

    await page.goto('/rules?tab=shadow')
    await page.getByText('1 call', { exact: true }).waitFor()
    await look(page, 'rules-shadow')
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('no-destroying is on').waitFor()
    expect(await call('drop_all')).toContain('Nothing is destroyed by agents')
  })

  test(
    'the list is in order of scope, is searched by its address, and what is done there can be undone',
    { tags: 'long' },
    async () => {
      await ensure(NO_DESTROYING)
      for (const rule of [
        { name: 'slow', action: 'rate', reason: 'Not too many', parameters: { calls: 100, per: 60 } },
        { name: 'looked-at', action: 'approve', reason: 'Looked at', match: { tools: ['write_*'] } },
        { name: 'of-work', action: 'warn', reason: 'Marked', scope: 'connection', of: 'work' },
      ])
        await ensure(rule)
      const above = {
        name: 'everywhere',
        action: 'warn',
        reason: 'All of us look',
        match: { effects: ['destructive'] },
      }
      expect((await platform('POST /api/v1/admin/rules', above)).status).toBe(201)

      await using opened = await console.open(BOB)
      const { page } = opened
      await page.goto('/rules')
      const table = page.getByRole('table', { name: 'Rules' })
      await table.getByText('from the platform').waitFor()
      expect(await table.getByRole('link').allTextContents()).toEqual([
        ...['everywhere', 'no-destroying', 'slow', 'looked-at', 'of-work'],
      ])
      expect(
        await table.getByRole('radiogroup', { name: 'State of everywhere' }).getByRole('radio').first().isDisabled(),
      ).toBe(true)
      await look(page, 'rules')

      await page.getByRole('button', { name: 'Delete slow' }).click()
      await table.getByRole('link', { name: 'slow' }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Undo' }).click()
      await table.getByRole('link', { name: 'slow' }).waitFor()

      await page.getByRole('textbox', { name: 'Search' }).fill('looked')
      await table.getByRole('link', { name: 'slow' }).waitFor({ state: 'detached' })
      expect(new URL(page.url()).searchParams.get('search')).toBe('looked')
      await page.getByRole('radiogroup', { name: 'State of looked-at' }).getByText('Off').click()
      await page.getByText('looked-at is off').waitFor()
      expect(await call('write_note')).toBe('did write_note')

      await table.getByRole('link', { name: 'looked-at' }).click()
      await page.getByRole('heading', { name: 'looked-at', level: 1 }).waitFor()
      await page.getByLabel('Required approvals').fill('2')
      await page.getByText('calls wait for 2 approvals').waitFor()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('looked-at saved').waitFor()
      await look(page, 'rule')

      await page.goto(`/rules/${(await platform('GET /api/v1/admin/rules')).body['items'][0].id}`)
      await page.getByText('A platform rule.').waitFor()
    },
  )

  test('a call is explained by its address, and rules that are off are replayed as if they were on', async () => {
    await ensure(NO_DESTROYING)
    await call('drop_all')
    await awaitRecords('drop_all', 1)
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/rules?tab=explain&tool=work__drop_all&arguments={"all":true}')
    await page.getByText('The call is refused', { exact: true }).waitFor()
    await page.getByText('Nothing is destroyed by agents').waitFor()
    await look(page, 'rules-explain')
    await page.getByRole('tab', { name: 'Replay' }).click()
    await page.getByRole('combobox', { name: 'Rules to remove' }).click()
    await page.getByRole('option', { name: 'no-destroying' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText(/of \d+ calls? in the last 7 days would have a different outcome/).waitFor()
    await look(page, 'rules-replay')
  })

  test('the access map shows who reaches what, and a member from the list of people', async () => {
    await (await console.open(EVE))[Symbol.asyncDispose]()
    const group = { title: 'Finance', members: [EVE.email] }
    expect((await platform('PUT /api/v1/admin/tenants/default/groups/finance', group)).status).toBe(200)
    await platform('PUT /api/v1/admin/tenants/default/toolsets/books', {
      ...{ title: 'Books', include: ['work__look_up'], exclude: [], audience: { groups: ['finance'] } },
    })
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/rules?tab=access')
    const side = (name: string) => page.getByRole('region', { name, exact: true }).getByRole('button')
    await side('Callers').filter({ hasText: 'Finance' }).waitFor()
    await look(page, 'rules-access')
    await side('Toolsets').filter({ hasText: 'Books' }).click()
    await side('Callers').filter({ hasText: 'Administrator' }).waitFor({ state: 'detached' })
    expect(await side('Callers').allTextContents()).toEqual([expect.stringContaining('Finance')])
    expect(await side('Connections').allTextContents()).toEqual([expect.stringContaining('1 of 4 tools')])
    expect(new URL(page.url()).searchParams.get('selected')).toBe('toolset:books')
    await look(page, 'rules-access-selected')
    await page.getByRole('button', { name: 'Clear selection' }).click()

    await page.goto('/people')
    await page.getByRole('link', { name: /^Access for eve/i }).click()
    await side('Callers').filter({ hasText: EVE.email }).waitFor()
    await side('Toolsets').filter({ hasText: 'Books' }).waitFor()
    expect(await side('Callers').count()).toBe(1)
    await page.goto('/tools?tool=work__look_up&tab=rules')
    await page.getByRole('link', { name: 'Explain a call' }).click()
    await page.getByRole('button', { name: 'Explain' }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Tool', exact: true }).inputValue()).toBe('work__look_up')
  })

  test('a rule that is being written outlives a reload and a walk through the console', async () => {
    await using opened = await console.open(BOB)
    const { page } = opened
    await page.goto('/rules/new?tools=work__look_up')
    await page.getByLabel('Reason').fill('Kept over a reload')
    await page.reload()
    await page.getByText('Your unsaved changes were restored.').waitFor()
    expect(await page.getByLabel('Reason').inputValue()).toBe('Kept over a reload')
    // A rule that begins otherwise is another one.
    await page.goto('/rules/new?tools=work__drop_all')
    await page.getByText('Matches 1 of 4 tools').waitFor()
    expect(await page.getByLabel('Reason').inputValue()).toBe('')
    await page.goto('/rules/new?tools=work__look_up')
    await page.getByRole('button', { name: 'Discard' }).click()
    expect(await page.getByLabel('Reason').inputValue()).toBe('')
    await page.reload()
    await page.getByText('Matches 1 of 4 tools').waitFor()
    expect(await page.getByText('Your unsaved changes were restored.').count()).toBe(0)
  })

  test('a rule for a tool that is not known is a question, and is kept where its tools are still to come', async () => {
    await using opened = await console.open(BOB)
    const { page } = opened
    await page.goto('/rules/new?tools=work__look_upp&action=block')
    await page.getByLabel('Reason').fill('Nobody looks')
    const question = page.getByRole('dialog', { name: 'No known tool matches' })
    const names = async () =>
      ((await platform(`GET ${RULES}`)).body['items'] as { name: string }[]).map(({ name }) => name)
    await page.getByRole('button', { name: 'Save and turn on' }).click()
    await question.getByText('did you mean work__look_up?').waitFor()
    await look(page, 'rules-idle')
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await names()).not.toContain('block-work-look-upp')
    await page.getByRole('button', { name: 'Save and turn on' }).click()
    await question.getByRole('button', { name: 'Save anyway' }).click()
    await page.getByRole('heading', { name: 'block-work-look-upp', level: 1 }).waitFor()
    expect(await names()).toContain('block-work-look-upp')
  })

  test('an address begins a rule, a platform administrator makes one for all, and a member is told whose rules are', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/rules/new?tools=work__look_up&action=lock&argument=region&scope=platform')
    await page.getByText('In every organization, tools named work__look_up: the argument region is always').waitFor()
    await page.getByRole('textbox', { name: 'Value' }).fill('eu')
    await page.getByLabel('Reason').fill('Data stays here')
    await page.getByText('is always "eu"').waitFor()
    await page.getByRole('button', { name: 'Save and turn on' }).click()
    await page.getByRole('heading', { name: 'lock-work-look-up', level: 1 }).waitFor()
    const { body } = await platform('GET /api/v1/admin/rules')
    expect(body['items']).toContainEqual(expect.objectContaining({ name: 'lock-work-look-up', state: 'on' }))

    await using other = await console.open(EVE)
    await other.page.goto('/rules')
    await other.page.getByText('Only administrators can manage rules').waitFor()
  })
})
