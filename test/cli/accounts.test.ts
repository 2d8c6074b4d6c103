/** Accounts of connections from a terminal: what is said, who goes the way, and what is kept. */
// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createBrowser } from '../../packages/gateway/src/testing/people.ts'
import { startAuthority } from '../e2e/peers/authorities/authority.ts'
import { startProtected } from '../e2e/peers/authorities/protected-server.ts'
import { walkThrough } from '../e2e/peers/people/identity-provider.ts'
import { formIn } from '../e2e/peers/people/oauth-person.ts'
import { startEffects } from '../e2e/peers/servers/effects-server.ts'
import { makeInstallation, TOOLWAY } from './installation.ts'

const KEY = 'a-key-that-nobody-may-read-anywhere'

test('an account is connected by the link that the command prints, listed and ended', async () => {
  await using authority = await startAuthority('registers')
  await using server = await startProtected(authority)
  await using here = await makeInstallation({ TOOLWAY_AUTH: 'off' })
  const { address } = await here.start()
  const added = await here.run(['connection', 'add', 'docs', '--url', server.url])
  expect(added).toMatchObject({ code: 1 })
  expect(added.out).toContain('Its server requires an account: `toolway connection login docs`')

  const shut = await here.run(['connection', 'test', 'docs'])
  expect(shut).toMatchObject({ code: 1 })
  expect(shut.out).toContain('Next step: `toolway connection login docs`')

  const denied = await signIn(here, address, (onward) => {
    const { searchParams } = new URL(onward)
    const back = new URL(searchParams.get('redirect_uri') ?? '')
    back.search = String(
      new URLSearchParams({ error: 'access_denied', state: searchParams.get('state') ?? '', iss: authority.issuer }),
    )
    return Promise.resolve(back)
  })
  expect(denied).toEqual([1, expect.stringMatching(/No account was connected: .*access_denied.*Run the command again/)])
  const connected = await signIn(here, address, async (onward) => new URL(await walkThrough(onward, `${address}/`)))
  expect(connected).toEqual([0, expect.stringContaining('docs is connected: account default')])
  await expect.poll(async () => (await here.run(['connection', 'list'])).out).toMatch(/^docs +connected +2/m)
  const listed = await here.run(['connection', 'accounts'])
  expect(listed.out).toMatch(/^docs +default \* +organization +good/m)
  expect((await here.run(['connection', 'own-accounts'])).out).toMatch(/^docs +shared +account default.* +good/m)
  expect(await here.run(['connection', 'test', 'docs'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('docs works'),
  })
  expect(await here.run(['connection', 'logout', 'docs'])).toMatchObject({
    code: 0,
    out: 'Disconnected from docs: default.\n',
  })
  expect(authority.counts.revocations).toBeGreaterThan(0)
  expect((await here.run(['connection', 'accounts'])).out).toContain('No account is connected yet')
})

type Installation = Awaited<ReturnType<typeof makeInstallation>>

/** Runs the command, and goes with its link as far as `walk` leads from the authorization server: its exit code and what it printed. */
async function signIn({ data }: Installation, address: string, walk: (onward: string) => Promise<URL>) {
  const env = {
    PATH: process.env['PATH'],
    TOOLWAY_DATA: data,
    TOOLWAY_AUTH: 'off',
    TOOLWAY_PORT: new URL(address).port,
  }
  const login = spawn(process.execPath, [TOOLWAY, 'connection', 'login', 'docs'], { env })
  try {
    let printed = ''
    for (const stream of [login.stdout, login.stderr]) stream.on('data', (chunk: Buffer) => (printed += String(chunk)))
    await expect.poll(() => printed).toMatch(/\/connect\/[\w-]+\n/)
    const link = new URL(/(http\S+\/connect\/[\w-]+)/.exec(printed)?.[1] ?? '')
    const browser = createBrowser(address)
    const { action, fields } = formIn(await (await browser.ask(link.pathname)).text()) ?? { action: '', fields: {} }
    const html = await (await browser.submit(action, fields)).text()
    const onward = (/http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&')
    const back = await walk(onward)
    expect((await browser.ask(back.pathname + back.search)).status).toBe(303)
    const [code] = (await once(login, 'exit')) as [number]
    return [code, printed] as const
  } finally {
    login.kill()
  }
}

test('a key is read without showing it, tried at the server, and kept', async () => {
  await using effects = await startEffects({ header: 'authorization', value: `Bearer ${KEY}` })
  await using here = await makeInstallation({ TOOLWAY_AUTH: 'off' })
  await here.start()
  await here.run(['connection', 'add', 'search', '--url', effects.url, '--auth', 'key'])
  const words = ['connection', 'login', 'search', '--shared', '--key']
  const wrong = await here.run(words, { input: 'another\n' })
  expect(wrong).toMatchObject({ code: 1, out: '' })
  expect(wrong.err).toContain('refused the gateway’s credential')
  const kept = await here.run(words, { input: `${KEY}\n` })
  expect(kept).toMatchObject({ code: 0, out: 'The key of search works and was stored.\n' })
  for (const text of [wrong.err, kept.out, kept.err]) expect(text).not.toContain(KEY)
  await expect.poll(async () => (await here.run(['connection', 'list'])).out).toMatch(/^search +connected +4/m)
})

test('what cannot be is said before anything is kept', async () => {
  await using here = await makeInstallation({ TOOLWAY_AUTH: 'off' })
  await here.start()
  const add = (...words: string[]) => here.run(['connection', 'add', 'one', ...words])
  expect(await add('--auth', 'oauth', '--', 'node', 'x')).toMatchObject({ code: 2 })
  expect(await add('--url', 'wss://example.com/', '--auth', 'oauth')).toMatchObject({ code: 2 })
  expect((await add('--url', 'https://example.com/mcp', '--owners', 'everybody')).err).toContain('--owners')
  expect((await here.run(['connection', 'list'])).out).not.toContain('one')
  expect((await here.run(['connection', 'login', 'demo'])).err).toContain('reached in a way that does not use accounts')
  expect((await here.run(['connection', 'login', 'nobody'])).err).toContain('There is no connection "nobody"')
})
