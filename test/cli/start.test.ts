/** Starting, as somebody does who has just cloned it: the one screen, what it leaves on disk, and the settings. */
// @module-tag long
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { callTool, textIn } from '../fault/caller.ts'
import { makeInstallation } from './installation.ts'

const GIVEN = `uru_${'0123456789abcdef'.repeat(4)}`
const KEY = /uru_[0-9a-f]{64}/g
const patiently = { interval: 100 }
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

describe('a first start', () => {
  test('shows one calm screen: address, where the key is, six clients, and a first call that works exactly as printed', async () => {
    await using here = await makeInstallation({}, { bare: true })
    const running = await here.start()
    await expect.poll(running.out).toContain('Ctrl+C stops Toolway')
    const screen = running.out()
    const { key } = await here.firstSecrets()
    expect(key).toMatch(KEY)
    for (const client of [
      'Claude Desktop',
      'Claude Code',
      'Cursor',
      'VS Code',
      'Codex',
      'Gemini CLI',
      'opencode',
      'Open WebUI',
    ])
      expect(screen).toContain(`  ${client}: `)
    expect(running.err()).not.toMatch(KEY)

    // The line as a person copies it, with the command in the place of `npx toolway`.
    const line = screen.split('\n').find((text) => text.includes('npx toolway call')) ?? ''
    const [, tool = '', given = ''] = /npx toolway call (\S+) '(.*)'$/.exec(line) ?? []
    const called = await here.run(['call', tool, given])
    expect(called).toMatchObject({ code: 0, err: '' })
    expect(called.out).toMatch(/Berlin.*\d\d:\d\d/)
    expect(
      textIn(await callTool({ url: `${running.address}/mcp`, key }, 'demo__calculate', { expression: '6*7' })),
    ).toContain('42')
    expect(await running.stop()).toBe(0)
  })

  test('leaves secrets that only their owner reads, and a second start is silent about the key', async () => {
    await using here = await makeInstallation({}, { bare: true })
    const first = await here.start()
    expect(await modeOf(here.data)).toMatch(/^7[01]0$/)
    for (const file of ['vault.key', 'command-line.key', 'address', 'first-start.txt'])
      expect({ file, mode: await modeOf(join(here.data, file)) }).toEqual({ file, mode: '600' })
    expect((await readFile(join(here.data, 'address'), 'utf8')).trim()).toBe(first.address)
    const written = await here.firstSecrets()
    const secrets = [await here.localKey(), written.key, written.code]
    expect(await first.stop()).toBe(0)
    expect(await readdir(here.data)).not.toContain('address')
    await chmod(here.data, 0o755)

    const second = await here.start()
    expect(second.out()).not.toMatch(KEY)
    expect(second.out()).toContain('npx toolway key add NAME')
    expect(await modeOf(here.data)).toMatch(/^7[01]0$/)
    expect(await here.localKey()).toBe(secrets[0])
    // Nothing of what a log would keep.
    for (const secret of secrets) expect(first.out() + first.err() + second.out() + second.err()).not.toContain(secret)
  })

  test('on a terminal shows key and setup code, and writes them nowhere', async () => {
    await using here = await makeInstallation({}, { bare: true })
    const running = await here.start({}, 'terminal')
    await expect.poll(running.out).toContain('Ctrl+C stops Toolway')
    const [key = ''] = running.out().match(KEY) ?? []
    expect(new Set(running.out().match(KEY))).toEqual(new Set([key]))
    expect(running.out()).toMatch(/setup code: [\dA-Z]{4}-/)
    expect(await readdir(here.data)).not.toContain('first-start.txt')
    await running.stop()
  })

  test('takes a given key instead of making one, from the environment or from a file', async () => {
    await using here = await makeInstallation({}, { bare: true })
    const file = join(here.folder, 'key')
    await writeFile(file, `${GIVEN}\n`)
    for (const settings of [{ TOOLWAY_BOOTSTRAP_KEY: GIVEN }, { TOOLWAY_BOOTSTRAP_KEY_FILE: file }]) {
      const running = await here.start(settings)
      expect(running.out()).not.toMatch(KEY)
      const call = () =>
        callTool({ url: `${running.address}/mcp`, key: GIVEN }, 'demo__calculate', { expression: '6*7' })
      await expect.poll(async () => textIn(await call()), patiently).toContain('42')
      expect(await running.stop()).toBe(0)
      expect(running.err()).not.toContain(GIVEN)
    }
    expect(await here.json(['key', 'list'])).toMatchObject([{ name: 'bootstrap' }, { name: 'command line' }])
  })

  test('without a demo does not tell anybody to call it', async () => {
    await using here = await makeInstallation({ TOOLWAY_DEMO: 'off' })
    const running = await here.start()
    expect(running.out()).not.toContain('demo__')
    expect(running.out()).toContain('npx toolway connection add')
    expect(await here.json(['connection', 'list'])).toEqual([])
    expect((await here.run(['tools'])).out).toContain('No tools yet')
  })
})

describe('settings', () => {
  test('S3-SEC-04: each may come from a file, so that a secret manager can give it', async () => {
    await using here = await makeInstallation({}, { bare: true })
    const file = async (name: string, text: string) => {
      const path = join(here.folder, name)
      await writeFile(path, `${text}\n`)
      return path
    }
    const secret = 'postgres://toolway:hunter2@db.example.com/toolway'
    const given: Record<string, string> = {
      TOOLWAY_BOOTSTRAP_KEY_FILE: await file('key', GIVEN),
      DATABASE_URL_FILE: await file('database', secret),
      REDIS_URL_FILE: await file('redis', 'redis://:hunter2@redis.example.com'),
      TOOLWAY_PUBLIC_URL_FILE: await file('url', 'https://tools.example.com'),
      LOG_LEVEL_FILE: await file('level', 'debug'),
    }
    const listed = (await here.json(['config'], { settings: given })) as {
      name: string
      value: string | null
      from: string
    }[]
    const rows = Object.fromEntries(listed.map(({ name, value, from }) => [name, { value, from }]))
    expect(rows).toMatchObject({
      TOOLWAY_BOOTSTRAP_KEY: { value: '***', from: `file ${given['TOOLWAY_BOOTSTRAP_KEY_FILE']}` },
      DATABASE_URL: { value: '***', from: `file ${given['DATABASE_URL_FILE']}` },
      REDIS_URL: { value: '***', from: `file ${given['REDIS_URL_FILE']}` },
      TOOLWAY_PUBLIC_URL: { value: 'https://tools.example.com', from: `file ${given['TOOLWAY_PUBLIC_URL_FILE']}` },
      LOG_LEVEL: { value: 'debug', from: `file ${given['LOG_LEVEL_FILE']}` },
      TOOLWAY_PORT: { value: '0', from: 'environment' },
      TOOLWAY_HOST: { value: '127.0.0.1', from: 'default' },
      TOOLWAY_CONFIG: { value: null, from: 'default' },
    })
    const shown = await here.run(['config'], { settings: given })
    expect(shown.code).toBe(0)
    expect(shown.out + shown.err).not.toMatch(/hunter2|uru_[0-9a-f]/)
    expect(shown.out).toMatch(/^SETTING +VALUE +SOURCE +DESCRIPTION$/m)
  })

  test('of another directory are another Toolway: nothing of the first is seen', async () => {
    await using here = await makeInstallation({}, { bare: true })
    await mkdir(join(here.folder, 'elsewhere'))
    const elsewhere = { settings: { TOOLWAY_DATA: join(here.folder, 'elsewhere') } }
    const nothing = await here.run(['key', 'list'], elsewhere)
    expect(nothing.code).toBe(1)
    expect(nothing.err).toMatch(/^Toolway has not been set up in .*elsewhere yet. Start it once/)
    expect(await readdir(join(here.folder, 'elsewhere'))).toEqual([])
  })
})
