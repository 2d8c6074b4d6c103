/** Tests that the guide to the first day is correct: its blocks run as written, in an empty directory, by a real gateway. */
// @module-tag long
import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeInstallation, TOOLWAY, type Installation } from './installation.ts'

const guide = await readFile(new URL('../../docs/guides/first-day.md', import.meta.url), 'utf8')
const [byCommandLine = '', byHttp = ''] = [...guide.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text)

const PASSWORD = 'at least twelve characters'
/** A person types it; nobody sits at this terminal. */
const withoutTerminal = (script: string) =>
  script.replaceAll(/^npx toolway (?:user add|login) .*$/gm, '$& --password-stdin < password')

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A block in a shell of a person who has started Toolway in this folder. */
async function runBlock(here: Installation, script: string): Promise<Ran> {
  await writeFile(join(here.folder, 'password'), PASSWORD)
  // The command is under test, not the way npx finds it.
  await writeFile(join(here.folder, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${TOOLWAY}" "$@"\n`)
  await chmod(join(here.folder, 'npx'), 0o755)
  const PATH = `${here.folder}:${dirname(process.execPath)}:${process.env['PATH']}`
  const env = { PATH, HOME: here.folder, LANG: 'C.UTF-8', TOOLWAY_DATA: here.data, TOOLWAY_PORT: '0' }
  return new Promise((resolve) => {
    const child = execFile('bash', ['--noprofile', '--norc', '-c', script], { cwd: here.folder, env }, (_, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}

async function firstDay(block: string): Promise<Ran> {
  await using opening = new AsyncDisposableStack()
  const here = opening.use(await makeInstallation())
  const running = await here.start()
  const { code } = await here.firstSecrets()
  const script = block.replace('XXXX-XXXX-XXXX-XXXX', code).replace('http://127.0.0.1:8787', running.address)
  const ran = await runBlock(here, script)
  const records = (await here.json(['records', 'list'])) as { items: { action: string }[] }
  const actions = records.items.map(({ action }) => action)
  expect(actions).toEqual(expect.arrayContaining(['key.add', 'tools/call', 'key.remove']))
  return ran
}

test(
  'somebody new signs up, signs in, makes a key, calls with it, removes it and sees it refused, by command line',
  { tags: 'long' },
  async () => {
    const { out, err } = await firstDay(`${withoutTerminal(byCommandLine)}\n`)
    expect(out).toContain('Added ada@example.com as administrator of this installation')
    expect(out).toContain('Signed in to http://127.0.0.1:')
    expect(out).toMatch(/^default +Default +platform_admin$/m)
    expect(out).toMatch(/^demo__calculate /m)
    expect(out.match(/6\*7 = 42/g)).toHaveLength(1)
    expect(out).toMatch(/^laptop +uru_/m)
    expect(out).toContain('Revoked the key "laptop"')
    expect(out).toContain('Signed out of')
    expect(err.trimEnd().split('\n')).toEqual([
      'The key is shown only once.',
      'The API key of this request is not valid. Check that it was copied completely, or create a new one with `toolway key add NAME`.',
    ])
  },
)

test('and over HTTP', async () => {
  const { code, out, err } = await firstDay(byHttp)
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('"platform_admin":true')
  expect(out.match(/6\*7 = 42/g)).toHaveLength(1)
  expect(out).toMatch(/"fault":"key\.unknown"[^\n]*$/)
})
