/** Two processes of one installation, and an account whose token has expired: counts the requests to its authorization server. */
// @module-tag long
import { randomBytes } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { z } from 'zod'
import { createBrowser } from '../../packages/gateway/src/testing/people.ts'
import { createTestDatabase } from '../../packages/gateway/src/testing/database.ts'
import { makeInstallation, type Running } from '../cli/installation.ts'
import { startAuthority } from '../e2e/peers/authorities/authority.ts'
import { startProtected } from '../e2e/peers/authorities/protected-server.ts'
import { walkThrough } from '../e2e/peers/people/identity-provider.ts'
import { formIn } from '../e2e/peers/people/oauth-person.ts'
import { until } from '../e2e/peers/until.ts'
import { faultIn, textIn, callTool } from './caller.ts'

const CALLS = 20

/** The way of the operator of a machine: from the page of a link to the account that is kept. */
async function connect({ address }: Running): Promise<void> {
  const told = await fetch(`${address}/api/v1/admin/tenants/default/connectors/docs/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const link = new URL(((await told.json()) as { url: string }).url)
  const browser = createBrowser(address)
  const { action, fields } = formIn(await (await browser.ask(link.pathname)).text()) ?? { action: '', fields: {} }
  const html = await (await browser.submit(action, fields)).text()
  const onward = (/http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&')
  const back = new URL(await walkThrough(onward, `${address}/`))
  expect((await browser.ask(back.pathname + back.search)).status).toBe(303)
}

test('S2-TOK-03: twenty calls at once, half of them in another process, renew an account once, and all are answered', async () => {
  await using authority = await startAuthority('strict')
  await using server = await startProtected(authority)
  await using database = await createTestDatabase({ server: inject('postgres') })
  const { host, user, database: name, port } = database.connection
  const settings = {
    DATABASE_URL: `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
    MCP_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    TOOLWAY_AUTH: 'off',
    TOOLWAY_DEMO: 'off',
  }
  await using one = await makeInstallation(settings)
  await using other = await makeInstallation(settings)
  const first = await one.start()
  await one.run(['connection', 'add', 'docs', '--url', server.url])
  await connect(first)
  const second = await other.start()
  expect(second.pid).not.toBe(first.pid)
  const call = async ({ address }: Running) => {
    const answer = await callTool({ url: `${address}/mcp`, key: undefined }, 'docs__who_am_i')
    return faultIn(answer)?.fault ?? answer.message.error?.message ?? textIn(answer)
  }
  for (const running of [first, second]) await expect.poll(() => call(running)).toBe('who_am_i for ada')

  for (let round = 1; round <= 3; round++) {
    const before = authority.counts.refreshes
    // Run out as if time had passed; both hear of it from the database.
    await database.db.system(
      (sql) => sql(z.object({}))`update credentials set expires_at = now() - interval '1 minute'`,
    )
    const answers: string[] = []
    // Twenty that come before either has heard of it renew nothing.
    await until('it is renewed', async () => {
      const calls = Array.from({ length: CALLS }, (_, at) => call(at % 2 === 0 ? first : second))
      answers.push(...(await Promise.all(calls)))
      return authority.counts.refreshes > before
    })
    expect(new Set(answers)).toEqual(new Set(['who_am_i for ada']))
    expect(authority.counts.refreshes - before).toBe(1)
  }
  expect(authority.counts.refusedRefreshes).toBe(0)
})
