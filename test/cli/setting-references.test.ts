/** Settings of the gateway itself by reference: read at the start, before use, from files, variables and Vault; and the refusals. */
// @module-tag long
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startBaoServer } from '../e2e/peers/servers/bao-server.ts'
import { makeInstallation } from './installation.ts'
import { makeDatabase } from './own-database.ts'

const KEY = 'ab'.repeat(32)

test('a gateway starts with its database, vault key and token by reference, and shows none of them', async () => {
  await using database = await makeDatabase()
  await using bao = await startBaoServer()
  await using here = await makeInstallation({
    TOOLWAY_SECRET_VAULT: `${bao.address}/secret/toolway/{organization}`,
    TOOLWAY_SECRET_VARIABLES: 'SECRET_{organization}__',
    VAULT_TOKEN: 'secret://env/BAO_TOKEN',
    SECRET__GATEWAY__BAO_TOKEN: bao.rootToken,
    DATABASE_URL: 'secret://vault/database#url',
    MCP_ENCRYPTION_KEY: 'secret://file/vault-key',
  })
  const folder = join(here.folder, 'secrets')
  const settings = { TOOLWAY_SECRET_FOLDER: join(folder, '{organization}') }
  await mkdir(join(folder, '_gateway'), { recursive: true })
  await writeFile(join(folder, '_gateway', 'vault-key'), `${KEY}\n`)
  await bao.ask('POST', 'secret/data/toolway/_gateway/database', { data: { url: database.url } })

  const gateway = await here.start(settings)
  const status = (await here.json(['vault', 'status'], { settings })) as { keys: { source: string }[] }
  expect(status.keys).toMatchObject([{ source: 'MCP_ENCRYPTION_KEY', use: 'encrypts' }])
  const shown = await here.run(['config', '--json'], { settings })
  expect(await gateway.stop()).toBe(0)
  for (const text of [gateway.out(), gateway.err(), shown.out, shown.err])
    for (const secret of [database.url, KEY, bao.rootToken]) expect(text).not.toContain(secret)

  // Without one of the places the start ends, names the setting, and says no value.
  const refused = async (own: Record<string, string>, words: RegExp) => {
    const { code, err } = await here.run(['start'], { settings: { ...settings, ...own } })
    expect([code, err]).toEqual([1, expect.stringMatching(words)])
    expect(err).not.toMatch(/ {4}at |ab{2}/)
    for (const secret of [database.url, KEY, bao.rootToken]) expect(err).not.toContain(secret)
  }
  await refused({ DATABASE_URL: 'secret://vault/none#url' }, /^DATABASE_URL is a reference .* vault has no secret none/)
  await refused(
    { SECRET__GATEWAY__BAO_TOKEN: 'another' },
    /^DATABASE_URL is a reference .* the server responded with HTTP 403/,
  )
  await refused({ MCP_ENCRYPTION_KEY: 'secret://file/other' }, /^MCP_ENCRYPTION_KEY is a reference .*ENOENT/)
  await refused({ VAULT_TOKEN: 'secret://vault/token' }, /^VAULT_TOKEN cannot be read from secret:\/\/vault/)
  await bao.stop()
  await refused({}, /^DATABASE_URL is a reference to a secret that cannot be read/)
})
