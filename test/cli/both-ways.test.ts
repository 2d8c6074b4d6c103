/** Commands on the local installation and at the same gateway over HTTP, after `toolway login`: both do and print the same. */
// @module-tag long
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEffects } from '../e2e/peers/servers/effects-server.ts'
import { callTool, textIn } from '../fault/caller.ts'
import { makeInstallation, type Installation, type Ran } from './installation.ts'

const PASSWORD = 'a long enough password'
const EMAIL = 'ada@example.com'

let here: Installation
let address: string
const elsewhere = () => ({ TOOLWAY_DATA: join(here.folder, 'elsewhere') })
const near = (...words: string[]) => here.run(words)
const far = (...words: string[]) => here.run(words, { settings: elsewhere() })

beforeAll(async () => {
  here = await makeInstallation()
  address = (await here.start()).address
  const input = PASSWORD
  await here.run(['user', 'add', EMAIL, '--password-stdin', '--platform-admin'], { input })
  const words = ['login', '--url', address, '--email', EMAIL, '--password-stdin']
  const { code, err } = await here.run(words, { input, settings: elsewhere() })
  if (code !== 0) throw new Error(`nobody is signed in: ${err}`)
  while (!/^[1-9]\d* tools?, of which/m.test((await near('toolset', 'show', 'read-only')).out)) await sleep(100)
})
afterAll(() => here[Symbol.asyncDispose]())

/** The same words here and there; what both print. */
async function both(...words: string[]): Promise<Ran> {
  const ran = await near(...words)
  expect(await far(...words), words.join(' ')).toEqual(ran)
  return ran
}

test('toolsets', async () => {
  expect(await far('toolset', 'add', 'sums', '--include', 'demo__calc*')).toMatchObject({
    code: 0,
    out: 'Created the toolset sums: 1 tool, 1 listed. Its endpoint is /o/default/t/sums/mcp.\n',
  })
  expect((await both('toolset', 'add', 'sums')).err).toContain('A toolset "sums" already exists')
  expect((await near('toolset', 'change', 'sums', '--for-role', 'tenant_admin')).code).toBe(0)
  expect((await both('toolset', 'show', 'sums')).out).toContain('"audience":{"roles":["tenant_admin"]}')
  await both('toolset', 'list', '--json')
  expect((await far('toolset', 'remove', 'sums')).out).toBe('Removed the toolset sums.\n')
  expect((await both('toolset', 'remove', 'sums')).err).toContain('`toolway toolset list` lists the toolsets')
})

test('locks and effects', async () => {
  expect((await far('lock', 'set', 'demo', 'all', '--hold-present')).out).toMatch(
    /^The lock on demo is all. \d+ tools are waiting/,
  )
  const { out } = await both('lock', 'show', 'demo')
  const [, name = '', hash = ''] = /lock accept demo "(\w+)" --hash ([0-9a-f]{64})/.exec(out) ?? []
  expect((await both('lock', 'accept', 'demo', name, '--hash', '0'.repeat(64))).err).toContain('no longer has the hash')
  expect(await far('lock', 'accept', 'demo', name, '--hash', hash)).toMatchObject({ code: 0 })
  expect((await near('lock', 'set', 'demo', 'off')).out).toMatch(/^The lock on demo is off. \d+ tools were accepted/)
  const file = join(here.folder, 'toolway.lock.json')
  await both('lock', 'export')
  await near('lock', 'export', file)
  expect((await both('lock', 'check', file)).out).toBe(`Everything matches ${file}.\n`)
  expect((await far('lock', 'effect', 'demo', name, 'write')).out).toBe(`${name} now has the effect "write".\n`)
  expect((await near('lock', 'trust', 'demo', '--off')).out).toContain('is not trusted')
  await both('lock', 'show', '--json')
  expect((await both('lock', 'show', 'nobody')).err).toContain('There is no connection "nobody"')
  expect((await both('lock', 'effect', 'demo', 'nothing', 'read')).err).toContain('demo has no tool "nothing"')
})

test('approvals', async () => {
  const key = (await near('key', 'add', 'caller')).out.trim()
  const call = async (text: string) =>
    textIn(await callTool({ url: `${address}/mcp`, key }, 'demo__hash_text', { text })) ?? ''
  const file = join(here.folder, 'look.json')
  const match = { tools: ['demo__hash_text'] }
  await writeFile(
    file,
    JSON.stringify({ name: 'look', action: 'approve', reason: 'It is tried', match, parameters: { always: true } }),
  )
  expect(await near('policy', 'add', file)).toMatchObject({ code: 0 })
  const idIn = (text: string) => /apr_[a-z0-9]{26}/.exec(text)?.[0] ?? ''
  await expect.poll(async () => idIn(await call('first'))).not.toBe('')
  const first = idIn(await call('first'))
  expect((await both('approval', 'list')).out).toContain(first)
  await both('approval', 'show', first)
  expect(await far('approval', 'grant', first, '--note', 'fine')).toMatchObject({ code: 0, err: '' })
  expect(await call('first')).toContain('sha256')
  const second = idIn(await call('second'))
  expect(await near('approval', 'grant', second, '--always')).toMatchObject({ code: 0, err: '' })
  const [, lasting = ''] = /^(lgr_[a-z0-9]{26}) +demo hash_text/m.exec((await both('approval', 'always')).out) ?? []
  expect(await far('approval', 'end', lasting)).toMatchObject({ code: 0, err: '' })
  expect((await both('approval', 'end', lasting)).err).toContain('There is no standing approval')
  expect((await both('approval', 'deny', 'apr_none')).err).toContain('`toolway approval list` shows the pending ones')
  expect(await near('policy', 'remove', 'look')).toMatchObject({ code: 0 })
})

test('rules, and what they would do', async () => {
  const add = ['policy', 'add', '--block', 'demo__calculat', '--name', 'sums', '--reason', 'No sums']
  expect((await both(...add)).err).toContain('did you mean demo__calculate?')
  const added = await far(...add, '--force')
  expect(added).toMatchObject({ code: 0, err: '' })
  expect(added.out).toContain('is in effect in default from now on.\nNo known tool matches demo__calculat yet;')
  expect((await both(...add)).err).toContain('Already exists: rule "sums"')
  expect(await near('policy', 'change', 'sums', '--tools', 'demo__calculate')).toMatchObject({ code: 0 })
  expect(
    (await both('policy', 'explain', '--tool', 'demo__calculate', '--time', '2026-01-01T00:00:00Z')).out,
  ).toContain('Verdict: The call is refused by organization rule "sums"')
  expect((await both('policy', 'explain', '--tool', 'demo__calculat')).err).toContain('Did you mean demo__calculate?')
  const file = join(here.folder, 'cases.json')
  const cases = [{ tool: 'demo__calculate', expect: { action: 'block', rule: 'sums' } }]
  await writeFile(file, JSON.stringify({ cases }))
  expect(await both('policy', 'test', file)).toMatchObject({ code: 0, out: expect.stringContaining('ok 1 - case 1') })
  await writeFile(file, JSON.stringify({ cases: [{ tool: 'demo__nothing', expect: 'allow' }] }))
  expect(await both('policy', 'test', file)).toMatchObject({ code: 2, err: expect.stringContaining('/cases/0/tool') })
  await both('policy', 'list', '--json')
  await both('policy', 'list', '--platform')
  await both('policy', 'shadow')
  await both('policy', 'replay', '--remove', 'sums')
  expect(await far('policy', 'disable', 'sums')).toMatchObject({ code: 0, out: 'sums is off.\n' })
  expect(await near('policy', 'remove', 'sums')).toMatchObject({ code: 0 })
  expect((await both('policy', 'show', 'sums')).err).toContain('There is no rule "sums" in the organization default')
})

test('accounts of connections', async () => {
  const key = 'a-key-of-this-server'
  await using effects = await startEffects({ header: 'authorization', value: `Bearer ${key}` })
  await near('connection', 'add', 'search', '--url', effects.url, '--auth', 'key')
  const words = ['connection', 'login', 'search', '--shared', '--key']
  const wrong = await here.run(words, { input: 'another\n', settings: elsewhere() })
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('refused the gateway’s credential') })
  const kept = await here.run(words, { input: `${key}\n`, settings: elsewhere() })
  expect(kept).toEqual({ code: 0, out: 'The key of search works and was stored.\n', err: '' })
  expect((await both('connection', 'accounts')).out).toMatch(/^search +default \* +organization +good/m)
  expect((await both('connection', 'logout', 'search', '--shared', '--account', 'other')).err).toContain(
    'no such account',
  )
  expect(await near('connection', 'logout', 'search', '--shared')).toMatchObject({
    out: 'Disconnected from search: default.\n',
  })
  expect(await here.run(words, { input: `${key}\n` })).toMatchObject({ code: 0, err: '' })
  expect(await far('connection', 'logout', 'search', '--shared')).toMatchObject({
    out: 'Disconnected from search: default.\n',
  })
  // Accounts of a person are those of who signed in.
  expect(await near('connection', 'login', 'search')).toMatchObject({
    code: 4,
    err: expect.stringContaining('signed in'),
  })
  expect((await both('connection', 'login', 'nobody', '--shared')).err).toContain('There is no connection "nobody"')

  // At the own gateway, too, once there is somebody: other commands there stay those of the operator.
  await near('connection', 'add', 'own', '--url', effects.url, '--auth', 'key', '--owners', 'member')
  expect(await near('member', 'add', EMAIL)).toMatchObject({ code: 0 })
  const login = ['login', '--url', address, '--email', EMAIL, '--password-stdin']
  expect(await here.run(login, { input: PASSWORD })).toMatchObject({ code: 0 })
  const own = ['connection', 'login', 'own', '--key']
  expect(await here.run(own, { input: `${key}\n` })).toMatchObject({ code: 0, err: '' })
  expect((await both('connection', 'accounts', 'own')).out).toMatch(/^own +default \* +ada@example.com +good/m)
  expect(await far('connection', 'logout', 'own')).toMatchObject({ out: 'Disconnected from own: default.\n' })
})
