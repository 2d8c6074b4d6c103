/** Calls that wait for somebody: seen as they come, looked at, answered by mouse and by keys, and what became of them. */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTool } from '../e2e/peers/clients/raw-client.ts'
import { addKey, createAsk, type Ask } from '../e2e/peers/people/administrators.ts'
import { startEffects, type EffectsServer } from '../e2e/peers/servers/effects-server.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway, type Person } from './support/console.ts'
import { look } from './support/look.ts'

// Most of it is pictures and barriers, which take their time on a busy machine.
const EVE: Person = { email: 'eve@example.com', role: 'tenant_member' }
const RULES = '/api/v1/organizations/default/rules'

describe.skipIf(NO_BROWSER)('approvals', () => {
  let upstream: EffectsServer
  let console: ConsoleGateway
  let platform: Ask
  beforeAll(async () => {
    upstream = await startEffects()
    console = await startConsole({ connections: [{ alias: 'work', wire: httpWire(upstream.url) }] })
    await console.gateway.settled('work')
    platform = createAsk(console.gateway, await addKey(console.gateway, { role: 'platform_admin' }))
    for (const rule of [
      {
        ...{ name: 'look-first', action: 'approve', reason: 'Notes are read by customers' },
        match: { tools: ['write_note', 'drop_all'] },
        parameters: { always: true },
      },
      { name: 'small', action: 'clamp', reason: 'Small', parameters: { parameter: 'copies', max: 5 } },
    ])
      await platform(`POST ${RULES}`, rule)
  })
  afterAll(async () => {
    await console[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
  })

  const call = async (tool: string, given: Record<string, unknown>) => {
    const { gateway } = console
    const { answer } = await callTool(
      { url: gateway.connectionUrl('work'), key: gateway.key, era: 'modern' },
      tool,
      given,
    )
    return String(answer.result?.content?.[0]?.text)
  }

  test(
    'a call appears while one looks, is approved as it would be sent, runs, and is in the history',
    { tags: 'long' },
    async () => {
      await using opened = await console.open(ADA)
      const { page } = opened
      await page.goto('/approvals')
      await page.getByText('No pending approvals').waitFor()
      await look(page, 'approvals-empty')

      const given = { text: `Dear all,\n${'we are closed. '.repeat(60)}`, to: 'all\u200b', copies: 40 }
      expect(await call('write_note', given)).toMatch(/^APPROVAL_REQUIRED/)
      await page.getByRole('heading', { name: 'write_note' }).waitFor()
      await call('write_note', { text: 'second', to: 'bob' })
      await page.getByRole('heading', { name: 'write_note' }).nth(1).waitFor()
      // The first of the list is open; the newest is first.
      await page.keyboard.press('j')
      await page.getByText('all⟨U+200B⟩').waitFor()
      await page.getByText('changed by a rule').waitFor()
      await page
        .getByRole('button', { name: /^Show all \d+ characters/ })
        .first()
        .waitFor()
      await look(page, 'approvals')

      await page.keyboard.press('a')
      await page.keyboard.type('fine with me')
      await page.keyboard.press('Enter')
      await page.getByText('write_note approved once').waitFor()
      expect(await call('write_note', given)).toBe('did write_note')

      await page.keyboard.press('Escape')
      await page.getByLabel('Note').blur()
      await page.keyboard.press('d')
      await page.keyboard.type('not today')
      await page.keyboard.press('Enter')
      await page.getByText('No pending approvals').waitFor()
      expect(await call('write_note', { text: 'second', to: 'bob' })).toContain('not today')

      await page.getByRole('tab', { name: 'History' }).click()
      await page.getByRole('table').getByText('Approved and used').waitFor()
      await page.getByRole('button', { name: 'write_note' }).last().click()
      const drawer = page.getByRole('dialog', { name: 'Approval request' })
      await drawer.getByText('fine with me').waitFor()
      await look(page, 'approvals-history')
      expect(new URL(page.url()).searchParams.get('approval')).toMatch(/^apr_/)
    },
  )

  test('an approval that nobody used is taken back; who is not asked sees nothing', async () => {
    await call('write_note', { text: 'third' })
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/approvals')
    await page.getByRole('button', { name: 'Approve once' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('write_note denied').waitFor()
    expect(await call('write_note', { text: 'third' })).toContain('Approval withdrawn')

    await call('write_note', { text: 'fourth' })
    await using other = await console.open(EVE)
    await other.page.goto('/approvals')
    await other.page.getByText('No pending approvals').waitFor()
  })

  test(
    'a tool is always allowed to who asked, which is listed and ended; what destroys is not',
    { tags: 'long' },
    async () => {
      await call('drop_all', {})
      await using opened = await console.open(ADA)
      const { page } = opened
      await page.goto('/approvals')
      await page.getByRole('heading', { name: 'drop_all' }).waitFor()
      await page.getByText('This tool needs approval every time').waitFor()
      expect(await page.getByRole('button', { name: 'Always for this tool' }).count()).toBe(0)
      const notes = page.getByRole('heading', { name: 'write_note' })
      const before = await notes.count()
      await call('write_note', { text: 'fifth' })
      await expect.poll(() => notes.count()).toBeGreaterThan(before)
      await notes.first().click()
      await page.getByRole('button', { name: 'Always for this tool' }).click()
      await page.getByText('write_note is always allowed').waitFor()
      for (const text of ['fifth', 'sixth', 'seventh'])
        expect(await call('write_note', { text })).toBe('did write_note')

      await page.getByRole('tab', { name: 'Always allowed' }).click()
      await page.getByText('Used 2 times').waitFor()
      await look(page, 'approvals-always')
      await page.getByRole('button', { name: 'Revoke the standing approval of write_note for test' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
      await page.getByText('write_note needs approval again').waitFor()
      await page.getByText('No tools are always allowed').waitFor()
      expect(await call('write_note', { text: 'eighth' })).toMatch(/^APPROVAL_REQUIRED/)
    },
  )

  test('who is not signed in is led to sign in, and back', async () => {
    await using opened = await console.open()
    await opened.page.goto('/approvals?tab=history')
    await opened.page.waitForURL(/\/sign-in\?next=/)
    expect(new URL(opened.page.url()).searchParams.get('next')).toBe('/approvals?tab=history')
  })
})
