/** What people do every day with the command line: read the audit log in a window of 80 columns, renew a key, see who they are. */
// @module-tag long
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeInstallation, TOOLWAY, type Installation, type Running } from './installation.ts'

let here: Installation
let running: Running
beforeAll(async () => {
  here = await makeInstallation()
  running = await here.start()
})
afterAll(() => here[Symbol.asyncDispose]())

/** At a terminal that is 80 columns wide. */
async function at80(words: readonly string[], settings: Record<string, string> = {}): Promise<string[]> {
  const command = [process.execPath, TOOLWAY, ...words].map((word) => `'${word}'`).join(' ')
  const { stdout } = await promisify(execFile)('script', ['-qefc', `stty cols 80; ${command}`, '/dev/null'], {
    cwd: here.folder,
    env: { PATH: process.env['PATH'], HOME: here.folder, TOOLWAY_DATA: here.data, ...settings },
  })
  return stdout.replaceAll('\r', '').trimEnd().split('\n')
}

describe('the audit log', () => {
  test('at 80 columns names who called what when, without an id that takes the line', async () => {
    const key = (await here.run(['key', 'add', 'a-laptop-with-a-long-name'])).out.trim()
    for (let call = 0; call < 3; call += 1)
      await here.run(['call', 'demo__calculate', '{"expression": "6*7"}'], { settings: { TOOLWAY_KEY: key } })
    const lines = await at80(['records', 'list', '--limit', '3'])
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80)
    expect(lines[0]).toMatch(/^TIME \(UTC\) +ACTOR +ACTION +RESOURCE +OUTCOME$/)
    expect(lines[1]).toMatch(/^\d\d-\d\d \d\d:\d\d:\d\d  a-laptop-with-a\S* +tools\/call  demo__calculate +ok$/)
    expect(lines.join('\n')).not.toMatch(/rec_|key_01/)
    expect(lines.at(-1)).toContain('--wide')
    const wide = (await at80(['records', 'list', '--limit', '4', '--wide'])).join('\n')
    expect(wide).toMatch(/rec_\w{26}/)
    expect(wide).toMatch(/key_\w{26}/)
  })

  test('gives programs whole ids, and answers to the word of the console', async () => {
    const { out } = await here.run(['audit', 'list', '--limit', '4'])
    expect(out).toMatch(/ a-laptop-with-a-long-name .* key_\w{26} +rec_\w{26}$/m)
    expect((await here.run(['rules', 'list'])).code).toBe(0)
  })

  test('watched names the caller, too', async () => {
    const key = (await here.run(['key', 'add', 'watched'])).out.trim()
    const watch = here.begin({}, 'pipe', ['watch'])
    await expect.poll(() => watch.err(), { interval: 50 }).toContain('Watching calls')
    await here.run(['call', 'demo__calculate', '{"expression": "1+1"}'], { settings: { TOOLWAY_KEY: key } })
    await expect.poll(() => watch.out(), { interval: 50 }).toMatch(/ok .* demo__calculate {2}watched/)
    expect(watch.out()).not.toContain('key_')
    watch.signal('SIGTERM')
    await watch.ended
  })
})

describe('a key', () => {
  test('is rotated with an overlap: both work until the old one is revoked, and nothing of its access is lost', async () => {
    const call = (key: string) =>
      here.run(['call', 'demo__calculate', '{"expression": "6*7"}'], { settings: { TOOLWAY_KEY: key } })
    const old = (
      await here.run(['key', 'add', 'ci', '--limit', 'read', '--expires', '30d', '--family', 'scoped'])
    ).out.trim()
    const rotated = await here.run(['key', 'rotate', 'ci'])
    const next = rotated.out.trim()
    expect(rotated.err).toContain('The key "ci" stays valid until you run `toolway key remove ci`.')
    expect([(await call(old)).code, (await call(next)).code]).toEqual([0, 0])
    const keys = (await here.json(['key', 'list'])) as Record<string, string>[]
    const named = (name: string) => keys.find((key) => key['name'] === name)
    expect(named('ci-2')).toMatchObject({ limit: 'read', role: 'tenant_member', family: 'scoped' })
    expect(Date.parse(named('ci-2')?.['expires_at'] ?? '')).toBeGreaterThanOrEqual(
      Date.parse(named('ci')?.['expires_at'] ?? ''),
    )
    const again = await here.run(['key', 'rotate', 'ci-2', '--revoke'])
    expect(again.err).toContain('Revoked the key "ci-2"')
    expect([(await call(next)).code, (await call(again.out.trim())).code]).toEqual([4, 0])
    expect(await here.run(['key', 'rotate', 'nobody'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no key named'),
    })
  })

  test('says who its holder is', async () => {
    expect(await here.run(['whoami'])).toMatchObject({ code: 4, err: 'Not signed in: run `toolway login`.\n' })
    const key = (await here.run(['key', 'add', 'somebody'])).out.trim()
    const { code, out } = await here.run(['whoami'], { settings: { TOOLWAY_KEY: key } })
    expect(code).toBe(0)
    expect(out).toMatch(/^key_\w+ at http:\/\/127\.0\.0\.1:\d+$/m)
    expect(out).toMatch(/^default +Default +tenant_member$/m)
    expect((await here.run(['whoami'], { settings: { TOOLWAY_KEY: 'uru_wrong' } })).code).toBe(4)
  })
})

test('a word that is no command is refused, also where its help is asked for', async () => {
  for (const words of [
    ['key', 'nosuch', '--help'],
    ['nosuch', '-h'],
    ['key', 'nosuch'],
    ['policy', 'exlpain', '--help'],
  ]) {
    const { code, err, out } = await here.run(words)
    expect({ words, code, out }).toEqual({ words, code: 2, out: '' })
    expect(err).toContain('unknown command')
  }
  expect((await here.run(['key', '--help'])).code).toBe(0)
  expect((await here.run(['help', 'key'])).out).toContain('rotate')
})

test('open prints the address of the console, and says where nothing answers', async () => {
  expect(await here.run(['open', 'records'])).toMatchObject({ code: 0, out: `${running.address}/o/default/records\n` })
  await running.stop()
  expect(await here.run(['open'])).toMatchObject({ code: 4, err: expect.stringContaining('toolway start') })
})
