/** A program that is connected: what one sees while it starts, how one leaves, and why it did not start. */
// @module-tag long
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const SCRIPT = join(import.meta.dirname, 'support/slow.script.mjs')

describe.skipIf(NO_BROWSER)('connecting a program', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let page: Page
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolway-slow-'))
    parts.defer(() => rm(folder, { recursive: true }))
    console = parts.use(await startConsole({ settings: { TOOLWAY_SANDBOX: 'off', TOOLWAY_SANDBOX_ROOTS: tmpdir() } }))
    ;({ page } = parts.use(await console.open(ADA)))
  })
  afterAll(() => parts.disposeAsync())

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  /** The file lets the program work. */
  const connect = async (way: 'waits' | 'fails', name: string) => {
    const file = join(folder, name)
    await page.goto('/connections/new')
    const server = { command: process.execPath, args: [SCRIPT, way, file], env: { TOKEN: 'secret-0123456789' } }
    await page
      .getByLabel('URL, command, mcp.json, OpenAPI document or name')
      .fill(JSON.stringify({ mcpServers: { [name]: server } }))
    await press('Continue')
    await page.getByLabel('Command line').waitFor()
    await press('Continue')
    await press('Connect')
    return file
  }
  const choose = async (network: string) => {
    await page.getByRole('combobox', { name: 'Network' }).click()
    await page.getByRole('option', { name: network, exact: true }).click()
  }
  const log = () => page.getByRole('log')
  const found = async (name: string) => {
    const answer = await page.request.get(`/api/v1/admin/tenants/${console.gateway.organization.slug}/connectors`)
    const { items } = (await answer.json()) as { items: { title: string }[] }
    return items.filter(({ title }) => title === name).length
  }

  test('its start shows what it says and for how long; Cancel stops it and keeps what was typed', async () => {
    const file = await connect('waits', 'Slow')
    await page.getByRole('heading', { name: 'Starting the program' }).waitFor()
    const said = log().getByText(/fetching package 1 of 3 with the token \[TOKEN\]; process \d+/)
    await said.first().waitFor()
    await expect.poll(() => page.getByRole('timer').textContent()).toMatch(/^[1-9]\d* s$/)
    await look(page, 'connect-starting')
    const pid = Number(/process (\d+)/.exec((await said.first().textContent()) ?? '')?.[1])
    expect(isAlive(pid)).toBe(true)
    expect(await found('Slow')).toBe(1)
    await press('Cancel')
    await page.getByRole('timer').waitFor({ state: 'detached' })
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.getByLabel('Name (optional)').inputValue()).toBe('Slow')
    await expect.poll(() => found('Slow')).toBe(0)
    await expect.poll(() => isAlive(pid)).toBe(false)
    // The entered values are still in the form, and work now.
    await writeFile(file, '')
    await press('Connect')
    await page.getByRole('heading', { name: 'Slow is connected' }).waitFor()
    expect(await found('Slow')).toBe(1)
  })

  test('its sandbox is set where it is connected and changed afterwards; a path of an argument is allowed by a click', async () => {
    const file = join(folder, 'sandboxed')
    await writeFile(file, '')
    await page.goto('/connections/new')
    const server = { command: process.execPath, args: [SCRIPT, 'waits', file] }
    await page
      .getByLabel('URL, command, mcp.json, OpenAPI document or name')
      .fill(JSON.stringify({ mcpServers: { Boxed: server } }))
    await press('Continue')
    await page.getByText(`An argument refers to ${file}, which is not allowed.`).waitFor()
    await choose('Listed hosts only')
    await page.getByText('No hosts are listed, so the program has no network access.').waitFor()
    await page.getByLabel('Allowed hosts').fill('api.example.com')
    await page.getByLabel('Allowed paths').fill('not/absolute')
    await page.getByText('not/absolute is not an absolute path').waitFor()
    await page.getByLabel('Allowed paths').fill('')
    await look(page, 'connect-sandbox')
    await press(`Allow ${file} (read-only)`)
    expect(await page.getByLabel('Allowed paths').inputValue()).toBe(`${file}:ro`)
    await press('Continue')
    await page.getByText('api.example.com').waitFor()
    await press('Connect')
    await page.getByRole('heading', { name: 'Boxed is connected' }).waitFor()
    const one = async () => {
      const answer = await page.request.get(
        `/api/v1/admin/tenants/${console.gateway.organization.slug}/connectors/boxed`,
      )
      const { network, allow_hosts, allow_paths } = (await answer.json()) as Record<string, unknown>
      return { network, allow_hosts, allow_paths }
    }
    const was = { network: 'listed', allow_hosts: ['api.example.com'], allow_paths: [`${file}:ro`] }
    expect(await one()).toEqual(was)
    await page.goto('/connections/boxed?tab=settings')
    await page.getByLabel('Allowed hosts').waitFor()
    await look(page, 'connection-sandbox')
    await choose('None')
    await page.getByText('Saving restarts the program').waitFor()
    await page.getByLabel('Allowed paths').fill('/srv/elsewhere')
    await press('Save')
    // At the field and at the button.
    await expect
      .poll(() => page.getByText(/\/srv\/elsewhere cannot be allowed: .*TOOLWAY_SANDBOX_ROOTS/).count())
      .toBe(2)
    await look(page, 'connection-sandbox-path-refused')
    expect(await one()).toEqual(was)
    await page.getByLabel('Allowed paths').fill(`${file}:ro`)
    await press('Save')
    await expect.poll(one).toEqual({ ...was, network: 'none' })
  })

  test('one that npm could not fetch says the error of npm, what helps, and is tried again', async () => {
    const file = await connect('fails', 'Behind TLS')
    const failed = page.getByRole('alert')
    await failed.getByText('Failed while starting the program').waitFor()
    await failed.getByText(/It said: npm http fetch GET .* failed with SELF_SIGNED_CERT_IN_CHAIN/).waitFor()
    await failed.getByText(/TOOLWAY_CA_FILE/).waitFor()
    await page.getByRole('heading', { name: 'End of the log' }).waitFor()
    await log().getByText('SELF_SIGNED_CERT_IN_CHAIN').first().waitFor()
    await look(page, 'connect-start-failed')
    await press('Try again')
    await failed.getByText(/It said: npm http fetch GET .* failed with SELF_SIGNED_CERT_IN_CHAIN/).waitFor()
    await writeFile(file, '')
    await press('Try again')
    await page.getByRole('heading', { name: 'Behind TLS is connected' }).waitFor()
    expect(await found('Behind TLS')).toBe(1)
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
