/** Commands at a gateway elsewhere: after `toolway login`, the same operations over HTTP as the person who signed in. */
// @module-tag long
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeInstallation } from './installation.ts'

const CHILD = join(import.meta.dirname, '../fault/faulty-child.script.ts')
const PASSWORD = 'a long enough password'

test('keys, people and organizations of another gateway are those of the person who signed in there', async () => {
  await using here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
  const { address } = await here.start()
  const add = (email: string, ...more: string[]) =>
    here.run(['user', 'add', email, '--password-stdin', ...more], { input: PASSWORD })
  expect(await add('ada@example.com', '--platform-admin')).toMatchObject({ code: 0 })
  expect(await add('bob@example.com')).toMatchObject({ code: 0 })
  expect(await here.run(['member', 'add', 'bob@example.com', '--role', 'tenant_viewer'])).toMatchObject({ code: 0 })

  const settings = { TOOLWAY_DATA: join(here.folder, 'elsewhere') }
  const far = (...words: string[]) => here.run(words, { settings })
  const login = (email: string) =>
    here.run(['login', '--url', address, '--email', email, '--password-stdin'], { input: PASSWORD, settings })
  expect(await far('key', 'list')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Toolway has not been set up in'),
  })

  expect(await login('ada@example.com')).toMatchObject({ code: 0 })
  expect(await far('key', 'add', 'far')).toMatchObject({ code: 0, out: expect.stringMatching(/^uru_[0-9a-f]{64}\n$/) })
  expect(await here.json(['key', 'list'])).toContainEqual(expect.objectContaining({ name: 'far', origin: 'admin' }))
  expect((await far('org', 'list')).out).toMatch(/^default +Default +yes +-$/m)

  expect(await login('bob@example.com')).toMatchObject({ code: 0 })
  const refused = await far('key', 'remove', 'far')
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('does not have the permission key_manage') })
  expect(await far('logout')).toMatchObject({ code: 0 })
  expect(await far('key', 'list')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Toolway has not been set up in'),
  })
})

test('TOOLWAY_URL is the base address for every command, and none acts on another gateway in silence', async () => {
  await using here = await makeInstallation()
  await using other = await makeInstallation({ TOOLWAY_DEMO: 'off' })
  const { address } = await here.start()
  await other.start()
  const key = (await here.run(['key', 'add', 'all', '--role', 'tenant_admin'])).out.trim()
  const named = (url: string, ...words: string[]) =>
    other.run(words, { settings: { TOOLWAY_URL: url, TOOLWAY_KEY: key } })

  for (const url of [address, `${address}/`, `${address}/mcp`, `${address}/mcp/`]) {
    expect(await named(url, 'call', 'demo__calculate', '{"expression":"2*3"}')).toMatchObject({
      code: 0,
      out: '2*3 = 6\n',
    })
    expect((await named(url, 'connection', 'list')).out).toMatch(/^demo /m)
  }
  const withoutKey = (...words: string[]) => other.run(words, { settings: { TOOLWAY_URL: address } })
  for (const words of [['connection', 'list'], ['connection', 'remove', 'demo'], ['key', 'list'], ['status']])
    expect(await withoutKey(...words)).toMatchObject({
      code: 4,
      out: '',
      err: expect.stringContaining(`TOOLWAY_URL names the gateway at ${address}, and you are not signed in there`),
    })
  for (const words of [['doctor'], ['vault', 'status'], ['backup', 'make', other.folder]])
    expect(await named(address, ...words)).toMatchObject({
      code: 2,
      err: expect.stringContaining('but this command works on the data directory'),
    })
  expect(await named('elsewhere', 'connection', 'list')).toMatchObject({
    code: 2,
    err: expect.stringContaining('must begin with https:// or http://'),
  })
  // The gateway of the data directory itself.
  const own = await here.run(['connection', 'list'], {
    settings: { TOOLWAY_URL: address.replace('127.0.0.1', 'localhost') },
  })
  expect(own).toMatchObject({ code: 0, out: expect.stringMatching(/^demo /m) })
  const added = await here.run(['connection', 'add', 'far', 'http://127.0.0.1:9/mcp'])
  expect(added.err).not.toContain('ENOENT')
  expect(await here.json(['connection', 'list'])).toContainEqual(
    expect.objectContaining({ alias: 'far', reaches: 'http://127.0.0.1:9/mcp' }),
  )
})

test('connections of another gateway are added, tested, imported and removed there', { tags: 'long' }, async () => {
  await using here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
  const { address } = await here.start()
  const words = ['user', 'add', 'ada@example.com', '--platform-admin', '--password-stdin']
  expect(await here.run(words, { input: PASSWORD })).toMatchObject({ code: 0 })
  const settings = { TOOLWAY_DATA: join(here.folder, 'elsewhere') }
  const far = (...said: string[]) => here.run(said, { settings })
  const login = ['login', '--url', address, '--email', 'ada@example.com', '--password-stdin']
  expect(await here.run(login, { input: PASSWORD, settings })).toMatchObject({ code: 0 })

  const program = ['--', process.execPath, CHILD, 'well']
  const added = await far('connection', 'add', 'child', '--revision', '2025-11-25', ...program)
  expect(added, added.err).toMatchObject({ code: 0, out: 'child is connected: 15 tools, protocol 2025-11-25.\n' })
  expect((await far('connection', 'test', 'child')).out).toMatch(/^child works: faulty-child 1, /)
  expect(await far('connection', 'restart', 'child')).toMatchObject({ code: 0 })
  // The origin is the face that called, as the gateway sees it.
  expect(await here.json(['connection', 'list'])).toMatchObject([{ alias: 'child', origin: 'administration' }])

  const file = join(here.folder, 'mcp.json')
  const own = { command: process.execPath, args: [CHILD, 'well'] }
  await writeFile(file, JSON.stringify({ mcpServers: { own, docs: { url: 'https://docs.example.com/mcp' } } }))
  const imported = await far('import', file)
  expect(imported).toMatchObject({ code: 0, out: expect.stringContaining('Added 1 of 2, 1 already present.') })
  expect(imported.err).toContain('own: already exists as child, skipped')
  expect((await far('import', '--undo')).out).toMatch(/removed docs\.\n$/)
  expect(await far('connection', 'remove', 'child')).toMatchObject({ code: 0 })

  const listed = await far('records', 'list', '--action', 'connection.import')
  const [, record = ''] = /(rec_\w+)\n1 of 1\n$/.exec(listed.out) ?? []
  expect((await far('records', 'show', record)).out).toMatch(/^action +connection\.import$/m)
  const redact = ['records', 'redact', record, '--field', 'ip_address', '--reason', 'asked for']
  expect(await far(...redact)).toMatchObject({ code: 0, out: expect.stringContaining('Redacted 1 value in') })
  expect((await far(...redact)).err).toContain('There is no record')
  const kept = join(here.folder, 'records.jsonl')
  const [, fingerprint = ''] =
    /fingerprint ([0-9a-f]{64})/.exec((await far('records', 'export', '--file', kept)).err) ?? []
  expect((await far('records', 'verify', kept, '--fingerprint', fingerprint)).out).toMatch(/^Valid: org_/)
  expect((await far('records', 'verify', '--fingerprint', fingerprint)).out).toMatch(/^Valid: org_/)
  expect(await far('records', 'verify', '-o', 'platform')).toMatchObject({ code: 0 })
  expect(await far('records', 'verify', '--fingerprint', 'f'.repeat(64))).toMatchObject({ code: 1 })
  expect((await far('records', 'prune', '--before', '2000-01-01')).out).toContain('Nothing was removed')
  expect(await here.json(['connection', 'list'])).toEqual([])
})
