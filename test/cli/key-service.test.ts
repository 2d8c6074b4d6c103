/**
 * The vault key wrapped by a key service, as an operator has it: made there, found there again, moved to and turned; and secrets that
 * stay in another place. Against HashiCorp Vault or OpenBao where TEST_VAULT names one, and otherwise against a double of its interface.
 */
// @module-tag long
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startBaoServer, type BaoServer } from '../e2e/peers/servers/bao-server.ts'
import { startEcho } from './echo-server.ts'
import { makeInstallation, type Installation, type Running } from './installation.ts'

const settingsFor = ({ address, rootToken }: BaoServer) => ({
  TOOLWAY_KEY_SERVICE: `transit:${address}/transit/toolway`,
  VAULT_TOKEN: rootToken,
})
const SECRET = 'Bearer s3cret-of-echo'
/** The connection is stored, although its server has nothing to offer. */
const add = (here: Installation, name: string, url: string, header = SECRET) =>
  here.run(['connection', 'add', name, '--url', url, '--header-from', '-'], { input: `Authorization: ${header}\n` })
const sourcesOf = async (here: Installation) =>
  ((await here.json(['vault', 'status'])) as { keys: { source: string; use: string }[] }).keys

describe('the vault key at a key service', () => {
  test('is made and opened there; nothing on disk or in the database opens a secret without it', async () => {
    await using bao = await startBaoServer()
    await using here = await makeInstallation(settingsFor(bao))
    await using echo = await startEcho()
    const gateway = await here.start()
    await add(here, 'echo', echo.url)
    await expect.poll(() => echo.seen).toContain(SECRET)
    expect(await sourcesOf(here)).toMatchObject([{ source: `transit:${bao.address}/transit/toolway`, use: 'encrypts' }])
    expect((await readdir(here.data)).filter((name) => name.startsWith('vault'))).toEqual(['vault.wrapped'])
    expect(await gateway.stop()).toBe(0)
    expect(`${gateway.out()}${gateway.err()}`).not.toContain(bao.rootToken)

    // A copy of all that there is, without a right at the service.
    const elsewhere = await here.run(['vault', 'status'], { settings: { VAULT_TOKEN: 'another' } })
    expect(elsewhere).toMatchObject({ code: expect.not.stringMatching('0') as unknown })
    expect(elsewhere.err).toMatch(/key service transit:\S+ refuses the credentials of this gateway/)

    const again = await here.start()
    await expect.poll(() => echo.seen.filter((one) => one === SECRET).length).toBeGreaterThan(1)
    await again.stop()
  })

  test('a first start names the service where it cannot make the key', async () => {
    await using bao = await startBaoServer()
    await using here = await makeInstallation(settingsFor(bao))
    await bao.stop()
    const first = here.begin()
    expect(await first.ended).not.toBe(0)
    expect(first.err()).toMatch(
      /The vault key cannot be created: the key service transit:\S+ .+ Check TOOLWAY_KEY_SERVICE/,
    )
  })

  test('while the service is away calls go on, new secrets are refused in words, and a start waits for nobody', async () => {
    await using bao = await startBaoServer()
    await using here = await makeInstallation(settingsFor(bao))
    await using echo = await startEcho()
    const gateway = await here.start()
    await add(here, 'echo', echo.url)
    const { key } = (await here.json(['key', 'add', 'admin', '--role', 'platform_admin'])) as { key: string }
    await bao.stop()
    const refused = await refusedInTime(key, gateway, echo.url)
    expect(refused).toMatchObject({ status: 503, code: 'vault.closed' })
    expect(refused.detail).toMatch(
      /New secrets cannot be stored at the moment: the key service transit:\S+ .+ Existing connections continue to work\./,
    )
    const before = echo.seen.length
    const again = `${gateway.address}/api/v1/admin/tenants/default/connectors/echo/tools/sync`
    await fetch(again, { method: 'POST', headers: { authorization: `Bearer ${key}` } })
    await expect.poll(() => echo.seen.length).toBeGreaterThan(before)
    await gateway.stop()
    const late = here.begin()
    expect(await late.ended).not.toBe(0)
    expect(late.err()).toMatch(/The vault key of this database is wrapped, and the key service transit:\S+/)
    await bao.start()
    const later = await here.start()
    expect((await add(here, 'second', echo.url)).err).not.toContain('key service')
    await later.stop()
  })

  test('moves there from a file, and is turned there: rotate, retire', async () => {
    await using bao = await startBaoServer()
    await using here = await makeInstallation()
    await using echo = await startEcho()
    const first = await here.start()
    await add(here, 'echo', echo.url)
    await first.stop()
    const settings = settingsFor(bao)
    const gateway = await here.start(settings)
    expect((await here.run(['vault', 'rotate'], { settings })).code).toBe(0)
    const { keys } = (await here.json(['vault', 'status'], { settings })) as { keys: { id: string; source: string }[] }
    expect(keys.map(({ source }) => source)).toEqual([settings.TOOLWAY_KEY_SERVICE, 'file vault.key'])
    expect(await here.run(['vault', 'retire', keys[1]?.id ?? ''], { settings })).toMatchObject({ code: 0 })
    expect((await here.run(['vault', 'rotate'], { settings })).code).toBe(0)
    const turned = (await here.json(['vault', 'status'], { settings })) as { keys: { id: string; use: string }[] }
    expect(turned.keys.map(({ use }) => use)).toEqual(['encrypts', 'decrypts'])
    expect(await here.run(['vault', 'retire', turned.keys[1]?.id ?? ''], { settings })).toMatchObject({ code: 0 })
    await gateway.stop()
    const before = echo.seen.length
    const again = await here.start(settings)
    await expect.poll(() => echo.seen.slice(before)).toContain(SECRET)
    await again.stop()
  })
})

describe('secrets by reference', () => {
  test('come from files, variables and Vault, of the own organization alone, and are in no log', async () => {
    await using bao = await startBaoServer()
    await using echo = await startEcho()
    await bao.ask('POST', 'secret/data/toolway/default/echo', { data: { token: 'from-vault' } })
    await using here = await makeInstallation({
      TOOLWAY_SECRET_VAULT: `${bao.address}/secret/toolway/{organization}`,
      VAULT_TOKEN: bao.rootToken,
      TOOLWAY_SECRET_VARIABLES: 'SECRET_{organization}__',
      SECRET_DEFAULT__ECHO: 'from-variable',
    })
    const folder = join(here.folder, 'secrets')
    await mkdir(join(folder, 'default'), { recursive: true })
    await mkdir(join(folder, 'other'))
    await writeFile(join(folder, 'default', 'echo'), 'from-file\n')
    await writeFile(join(folder, 'other', 'echo'), 'of-another-organization')
    const gateway = await here.start({ TOOLWAY_SECRET_FOLDER: join(folder, '{organization}') })
    for (const [name, reference] of [
      ['one', 'secret://vault/echo#token'],
      ['two', 'secret://env/ECHO'],
      ['three', 'secret://file/echo'],
    ] as const)
      await add(here, name, echo.url, `Bearer ${reference}`)
    await expect
      .poll(() => echo.seen)
      .toEqual(expect.arrayContaining(['Bearer from-vault', 'Bearer from-variable', 'Bearer from-file']))

    await add(here, 'four', echo.url, 'Bearer secret://file/../other/echo')
    await add(here, 'five', echo.url, 'Bearer secret://aws/echo')
    await add(here, 'six', echo.url, 'Bearer secret://file/none')
    const listed = async () => (await here.run(['connection', 'list'])).out
    await expect.poll(listed).toMatch(/^six .*secret:\/\/file\/none: the file cannot be read \(ENOENT\)/m)
    expect(echo.seen.join()).not.toMatch(/of-another-organization|secret:/)
    expect(`${gateway.out()}${gateway.err()}`).not.toMatch(/from-vault|from-file|from-variable/)
    await gateway.stop()
  })
})

interface Refusal {
  readonly status?: number
  readonly code?: string
  readonly detail?: string
}

/** The gateway looks at its key service again and again, and notices within a minute that it is away. */
async function refusedInTime(key: string, gateway: Running, url: string): Promise<Refusal> {
  let refusal: Refusal = {}
  let tries = 0
  const attempt = async () => {
    const response = await fetch(`${gateway.address}/api/v1/admin/tenants/default/connectors`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ alias: `late-${tries++}`, title: 'Late', url, headers: { authorization: SECRET } }),
    })
    if (response.status === 503) refusal = (await response.json()) as Refusal
    return response.status
  }
  await expect.poll(attempt, { interval: 3_000, timeout: 60_000 }).toBe(503)
  return refusal
}
