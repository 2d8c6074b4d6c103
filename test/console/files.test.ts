/** Files in the console: none, one that is uploaded, downloaded and deleted, and many of everybody's. */
// @module-tag long
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { NO_BROWSER, type WatchedPage } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway, type Person } from './support/console.ts'
import { look } from './support/look.ts'

const BEN: Person = { email: 'ben@example.com', role: 'tenant_member' }
const VERA: Person = { email: 'vera@example.com', role: 'tenant_viewer' }

// Pictures are taken on machines that may be busy with other things.
describe.skipIf(NO_BROWSER)('files', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let ada: WatchedPage
  let ben: WatchedPage
  beforeAll(async () => {
    console = parts.use(await startConsole())
    ada = parts.use(await console.open(ADA))
    ben = parts.use(await console.open(BEN))
  })
  afterAll(() => parts.disposeAsync())

  /** As tools leave them. */
  const plant = (owner: string, number: number) =>
    console.gateway.db.system(
      (sql) => sql(z.object({}))`
        insert into files (id, organization_id, owner, name, media_type, size, reserved, sha256, state, origin, tool, storage_key,
                           sealed_key, expires_at)
        select 'file_' || lpad(at::text, 26, '0'), ${console.gateway.organization.id},
               (select id from users where email = ${owner}), 'A rather long name of a report, number ' || at || '.pdf',
               'application/pdf', at * 123456, 0, md5('') || md5(''), 'ready', 'result', 'shop__list_orders',
               'nowhere/' || at, 'x', now() + interval '3 days'
          from generate_series(1, ${number}::int) as at`,
    )

  test('a member uploads a file, downloads it and deletes it', async () => {
    const { page } = ben
    await page.goto('/files')
    await page.getByText('No files yet').waitFor()
    await look(page, 'files-empty')
    const bytes = randomBytes(3_000_000)
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'numbers.bin', mimeType: 'application/octet-stream', buffer: bytes })
    const row = page.getByRole('row').filter({ hasText: 'numbers.bin' })
    await row.getByText('3 MB').waitFor()
    await row.getByText('You', { exact: true }).waitFor()
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download numbers.bin' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('numbers.bin')
    expect((await readFile(await saved.path())).equals(bytes)).toBe(true)
    await page.getByRole('button', { name: 'Delete numbers.bin' }).click()
    await page.getByRole('dialog').getByText('deleted permanently').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No files yet').waitFor()
  })

  test('an administrator sees everybody’s files, cannot download them, and finds one by its name', async () => {
    await plant(BEN.email, 60)
    const { page } = ada
    await page.goto('/files')
    await page.getByText('No files yet').waitFor()
    await page.getByText('Everyone’s').click()
    await page.getByText('number 60.pdf').waitFor()
    expect(await page.getByRole('button', { name: /^Download/ }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(50)
    await look(page, 'files-many')
    await page.getByLabel('Search by name').fill('number 17')
    await page.getByText('number 60.pdf').waitFor({ state: 'detached' })
    await page.getByText('number 17.pdf').waitFor()
    await page.getByLabel('Search by name').fill('nothing like it')
    await page.getByText('No files match').waitFor()
  })

  test('a viewer is told that files are for members', async () => {
    await using vera = await console.open(VERA)
    await vera.page.goto('/files')
    await vera.page.getByText('Only members can use files').waitFor()
    expect(await vera.page.getByRole('link', { name: 'Files' }).count()).toBe(0)
  })
})
