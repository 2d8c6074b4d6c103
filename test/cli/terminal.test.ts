/** The command line as a person meets it: the status, live calls, completion in real shells, errors in two lines. */
// @module-tag long
import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { callTool } from '../fault/caller.ts'
import { makeInstallation, TOOLWAY } from './installation.ts'

const KEY = `uru_${'cd'.repeat(32)}`
const run = promisify(execFile)
const isHere = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

test('without a command it shows how the gateway is and what to do next; watch shows calls as they end', async () => {
  await using here = await makeInstallation({ TOOLWAY_BOOTSTRAP_KEY: KEY, LOG_LEVEL: 'error' })
  const before = await here.run([])
  expect(before).toMatchObject({ code: 0, err: '' })
  expect(before.out).toMatch(/Gateway +not running/)
  expect(before.out).toMatch(/toolway start +start for the first time/)
  // Colours are for terminals.
  expect(before.out).not.toContain('\u001B')

  const running = await here.start()
  const target = { url: `${running.address}/mcp`, key: KEY }
  await expect.poll(async () => (await callTool(target, 'demo__calculate', { expression: '6*7' })).text).toContain('42')
  await expect.poll(async () => (await here.run([])).out).toMatch(/Calls +\d+ in the last 24 hours, 0 failed/)
  const now = await here.run([])
  expect(now.out).toContain(`running at ${running.address}`)
  expect(now.out).toMatch(/Connections +1\n/)
  expect(now.out).toMatch(/Approvals +none pending\n/)
  expect(await here.json(['status'])).toMatchObject({
    running: true,
    pending_approvals: 0,
    connections: [{ alias: 'demo' }],
  })

  const watching = here.begin({}, 'pipe', ['watch', '--connection', 'demo'])
  await expect.poll(() => watching.err()).toContain('Watching calls')
  await callTool(target, 'demo__calculate', { expression: '1+' })
  await callTool(target, 'demo__calculate', { expression: '1+1' })
  await expect.poll(() => watching.out()).toMatch(/^\d\d:\d\d:\d\d {2}ok +\d+ ms {2}demo__calculate {2}(?!key_)\S.*$/m)
  expect(watching.out()).toMatch(/tool_error/)
  watching.signal('SIGINT')
  expect(await watching.ended).toBe(0)

  // Two lines: the problem and the next step.
  const wrong = await here.run(['connection', 'test', 'nothing'])
  expect(wrong).toMatchObject({ code: 1, out: '' })
  expect(wrong.err.trim().split('\n').length).toBeLessThanOrEqual(2)
})

test('the status of a gateway without a database says that it runs, and offers nothing that needs one', async () => {
  await using here = await makeInstallation({ TOOLWAY_STORE: 'none', TOOLWAY_DEMO: 'off', LOG_LEVEL: 'error' })
  const file = join(here.folder, 'toolway.yaml')
  await writeFile(file, JSON.stringify({ keys: { one: { value: KEY } } }))
  const settings = { TOOLWAY_CONFIG: file }
  const { address } = await here.start(settings)
  // It writes nothing down, its address neither: that is the one of the settings.
  const { code, out, err } = await here.run([], { settings: { ...settings, TOOLWAY_PORT: new URL(address).port } })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toContain(`running at ${address}`)
  expect(out).not.toContain('toolway watch')
})

describe('completion', () => {
  const script = async (shell: string) => (await run(process.execPath, [TOOLWAY, 'completion', shell])).stdout

  /** The completions that bash would offer for the last of these words. */
  async function offered(folder: string, words: readonly string[]): Promise<string[]> {
    const file = join(folder, 'completion.bash')
    await writeFile(file, await script('bash'))
    const { stdout } = await run('bash', [
      ...[
        '--norc',
        '-c',
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _toolway; printf "%s\\n" "${COMPREPLY[@]}"',
      ],
      ...['bash', file, ...words],
    ])
    return stdout.trim().split('\n')
  }

  test('in bash offers commands, subcommands, options and the values of options', async () => {
    await using here = await makeInstallation()
    expect(await offered(here.folder, ['toolway', 'conn'])).toEqual(['connection'])
    expect(await offered(here.folder, ['toolway', 'connection', 'te'])).toEqual(['test'])
    expect(await offered(here.folder, ['toolway', 'records', 'list', '--out'])).toEqual(['--outcome'])
    expect(await offered(here.folder, ['toolway', 'records', 'list', '--outcome', 'ref'])).toEqual(['refused'])
    expect(await offered(here.folder, ['toolway', 'completion', ''])).toEqual(['bash', 'zsh', 'fish'])
  })

  test.skipIf(!isHere('fish'))('in fish offers the same', async () => {
    await using here = await makeInstallation()
    const file = join(here.folder, 'toolway.fish')
    await writeFile(file, await script('fish'))
    const ask = async (line: string) =>
      (await run('fish', ['--no-config', '-c', `source ${file}; complete -C '${line}'`])).stdout
    expect(await ask('toolway conn')).toMatch(/^connection\t/m)
    expect(await ask('toolway connection te')).toMatch(/^test\t/m)
    expect(await ask('toolway records list --outcome ref')).toMatch(/refused/)
  })

  test.skipIf(!isHere('zsh'))('in zsh is a script that it takes', async () => {
    await using here = await makeInstallation()
    const file = join(here.folder, '_toolway')
    await writeFile(file, await script('zsh'))
    const { stdout } = await run('zsh', [
      '-f',
      '-c',
      `autoload -U compinit && compinit -u -D; source ${file}; echo $+functions[_toolway]`,
    ])
    expect(stdout.trim()).toBe('1')
  })

  test('of an unknown shell is refused with the ones that it knows', async () => {
    await using here = await makeInstallation()
    const refused = await here.run(['completion', 'tcsh'])
    expect(refused).toMatchObject({ code: 2 })
    expect(refused.err).toContain('bash, zsh, fish')
  })
})
