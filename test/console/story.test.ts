/**
 * The first day of somebody who has never seen Toolway: from a gateway that has nothing to a call of a tool in their own client,
 * with the console alone. The gateway is the program, its server a real one, the client an official one.
 */
// @module-tag long
import { expect, test } from 'vitest'
import { makeInstallation } from '../cli/installation.ts'
import { connectClient } from '../e2e/peers/clients/client.ts'
import { processOf } from '../e2e/peers/servers/real-servers.ts'
import { NO_BROWSER, openPage } from './support/browser.ts'
import { ensureBuilt } from './support/console.ts'

/** Of machine time, which is what a person would wait for in all; how long they read is theirs. */
const MINUTE = 60_000

test.skipIf(NO_BROWSER)(
  'from an empty start to a first call in one’s own client, in under a minute of machine time',
  async () => {
    await ensureBuilt()
    const began = performance.now()
    await using here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
    const gateway = await here.start()
    const { address } = gateway
    await using opened = await openPage(address)
    const { page } = opened
    const press = (name: string | RegExp) => page.getByRole('button', { name }).click()

    // There is no account yet: the console asks for the setup code that the start wrote, and admits the first user.
    await page.goto('/')
    await page.getByLabel('Setup code').fill((await here.firstSecrets()).code)
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await press('Set up Toolway')

    // The first step is shown, and its link leads there.
    await page.getByRole('link', { name: 'Add a connection' }).first().click()
    const { command, args } = processOf('memory')
    await page.getByLabel('URL, command, mcp.json, OpenAPI document or name').fill([command, ...args].join(' '))
    await press('Continue')
    await press('Continue')
    await page.getByLabel('Name (optional)').fill('Memory')
    await press('Connect')
    await page.getByRole('heading', { name: 'Memory is connected' }).waitFor()
    // One question about the server: until it is trusted, nobody vouches for what its tools do, and each is asked about.
    await page.getByRole('row', { name: /Read Graph.*Unknown/ }).waitFor()
    await page.getByRole('switch', { name: 'Trust what the server says about its tools' }).click()
    await page.getByRole('row', { name: /Read Graph.*Reads/ }).waitFor()

    // The first call, where it was connected.
    await press('Run')
    await page
      .getByText(/entities/)
      .first()
      .waitFor()

    // Their own client: a key made in place, and the check that turns when it comes in.
    await page.getByRole('link', { name: 'Connect a client' }).first().click()
    await page.getByRole('button', { name: 'Another client' }).click()
    await page.getByText('Key', { exact: true }).click()
    await press('Create key')
    await press('Create key')
    const key = await page.getByRole('region', { name: /^Key: / }).innerText()
    await using client = await connectClient({ kind: 'SDK 2 by discovery', url: `${address}/mcp`, key })
    expect((await client.tools()).map(({ name }) => name)).toContain('memory__read_graph')
    expect(await client.call('memory__read_graph')).toMatchObject({ content: [{ type: 'text' }] })
    await page.getByText('Connected', { exact: true }).waitFor()

    const took = performance.now() - began
    process.stderr.write(`story: from nothing to a first call in ${(took / 1000).toFixed(1)} s of machine time\n`)
    expect(took).toBeLessThan(MINUTE)
    gateway.signal('SIGTERM')
    await gateway.ended
  },
)
