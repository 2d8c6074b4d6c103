/**
 * The first day with a server that nobody trusts, under the approvals that new organizations have: what its calls meet is told when it
 * is added, with the command that mends it, and after that command the call goes through.
 */
// @module-tag long
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEffects, type EffectsServer } from '../e2e/peers/servers/effects-server.ts'
import { makeInstallation, type Installation, type Ran } from './installation.ts'

const TELLS = [
  'All 4 tools of ALIAS ask for an approval before a call, as rules stand. Its server marks 2 of them read-only, which does not count until you trust it.',
  '`toolway lock trust ALIAS` trusts what the server says about its tools. 1 of its tools still asks then.',
]
const tellsOf = (alias: string) => TELLS.map((line) => line.replaceAll('ALIAS', alias))
const patiently = { interval: 100 }

const parts = new AsyncDisposableStack()
let here: Installation
let server: EffectsServer
beforeAll(async () => {
  server = parts.use(await startEffects())
  here = parts.use(await makeInstallation({ TOOLWAY_APPROVALS: '' }))
  await here.start()
})
afterAll(() => parts.disposeAsync())

const linesOf = ({ out }: Ran): string[] => out.trimEnd().split('\n')
const add = (alias: string) => here.run(['connection', 'add', alias, '--url', server.url])

test('a server that nobody trusts: its call asks, the command that was named is run, and the call goes through', async () => {
  const added = await add('docs')
  expect(added).toMatchObject({ code: 0 })
  expect(linesOf(added)).toEqual([expect.stringMatching(/^docs is connected: 4 tools/), ...tellsOf('docs')])

  const waits = await here.run(['call', 'docs__look_up'])
  expect(waits.code).not.toBe(0)
  const said = waits.out + waits.err
  expect(said).toContain('servers that are not trusted')
  expect(said).toContain('`toolway lock trust`')
  expect(server.called).toEqual([])

  const command = /`toolway (lock trust docs)`/.exec(added.out)?.[1] ?? ''
  expect(await here.run(command.split(' '))).toMatchObject({ code: 0 })
  await expect.poll(async () => (await here.run(['call', 'docs__look_up'])).out, patiently).toBe('did look_up\n')
  // A destructive tool still asks, as the sentence says.
  expect((await here.run(['call', 'docs__drop_all'])).code).not.toBe(0)
  expect(server.called).toEqual(['look_up'])
})

describe('what is told of approvals', () => {
  test('is the same at an import, for each server, and with --json in numbers', async () => {
    const file = join(here.folder, 'mcp.json')
    // The third one is not reached: that is told too, and holds nobody up.
    const servers = {
      one: { url: `${server.url}?1` },
      two: { url: `${server.url}?2` },
      away: { url: 'http://127.0.0.1:9/mcp' },
    }
    await writeFile(file, JSON.stringify({ mcpServers: servers }))
    const done = await here.run(['import', file])
    expect(done).toMatchObject({ code: 0 })
    expect(linesOf(done)).toEqual([
      expect.stringContaining('Added 3 of 3'),
      'Not connected yet: away. `toolway connection list` shows the reasons.',
      ...tellsOf('one'),
      ...tellsOf('two'),
    ])
    await here.run(['import', '--undo'])
    const again = (await here.json(['import', file])) as object
    expect(again).toMatchObject({
      added: ['one', 'two', 'away'],
      approvals: [
        { alias: 'one', tools: 4, asking: 4, marked: 2, asking_if_trusted: 1, trusted: false },
        { alias: 'two', asking: 4 },
      ],
    })
    await here.run(['import', '--undo'])
  })

  test('follows the rules that decide calls: nothing where an exception lifts them, more where a rule asks', async () => {
    const rule = join(here.folder, 'rule.yaml')
    await writeFile(
      rule,
      JSON.stringify({
        rules: [
          {
            ...{ name: 'calm', action: 'allow', reason: 'Tried', match: { tools: ['calm__*'] } },
            parameters: { lifts: ['ask-destructive'] },
          },
          {
            ...{ name: 'careful', action: 'approve', reason: 'Tried', match: { tools: ['careful__*'] } },
            parameters: { by: { roles: ['tenant_admin'] }, quorum: 1, wait: 3600, repeat: 0 },
          },
          { name: 'never', action: 'block', reason: 'Tried', match: { tools: ['careful__drop_all'] }, parameters: {} },
        ],
      }),
    )
    expect(await here.run(['policy', 'add', rule, '--force'])).toMatchObject({ code: 0 })
    expect(linesOf(await add('calm'))).toEqual([expect.stringMatching(/^calm is connected/)])
    expect(linesOf(await add('careful')).slice(1)).toEqual([
      expect.stringContaining('3 of the 4 tools of careful ask for an approval'),
      expect.stringContaining('3 of its tools still ask then.'),
    ])
  })

  test('is a question at a terminal, and a yes trusts the server', async () => {
    const asking = here.begin({}, 'terminal', ['connection', 'add', 'asked', '--url', server.url])
    await expect
      .poll(() => asking.out(), patiently)
      .toContain('Trust what the server of asked says about its tools? (yes/no): ')
    asking.type('yes\n')
    expect(await asking.ended).toBe(0)
    expect(asking.out()).toContain('The effects stated by the server of asked are used from now on.')
    expect(asking.out().indexOf('asked is connected')).toBeLessThan(asking.out().indexOf('Trust what'))
    expect(await here.json(['lock', 'show', 'asked'])).toMatchObject({ mode: 'descriptions', trusted: true })
  })

  test('is not told where the organization asks for no approval', async () => {
    await here.run(['org', 'change', 'default', '--approvals', 'off'])
    expect(linesOf(await add('quiet'))).toEqual([expect.stringMatching(/^quiet is connected/)])
  })
})
