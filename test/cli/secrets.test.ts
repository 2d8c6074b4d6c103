/**
 * Tests the destinations and sources of keys and other secrets of a command: they are not sent to any listener, and not read from
 * places that others can read.
 */
// @module-tag long
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'
import { makeInstallation, type Installation, type Running } from './installation.ts'

const patiently = { interval: 50 }
let here: Installation
let running: Running
beforeAll(async () => {
  here = await makeInstallation()
  running = await here.start()
})
afterAll(() => here[Symbol.asyncDispose]())

const SAYS_NOTHING = '{"status":"live","proof":"of nothing"}'

/**
 * A program that answers everything, as a gateway of somebody else's would, and keeps what it was sent. With a gateway behind it,
 * on the same port of another address, it has that one answer.
 */
async function startStranger(behind?: string) {
  const seen: { url: string | undefined; authorization: string | undefined }[] = []
  const server = createServer(({ url, headers: { authorization } }, response) => {
    seen.push({ url, authorization })
    const said = behind === undefined ? SAYS_NOTHING : fetch(`${behind}${url}`).then((answer) => answer.text())
    void Promise.resolve(said).then((text) => response.writeHead(200, { 'content-type': 'application/json' }).end(text))
  })
  const port = behind === undefined ? 0 : Number(new URL(behind).port)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

describe('the local key', () => {
  test('goes to no other program at the address that a killed gateway left behind', async () => {
    await using stranger = await startStranger()
    const file = join(here.data, 'address')
    const own = await readFile(file, 'utf8')
    await writeFile(file, `${stranger.address}\n`)
    try {
      for (const words of [['tools'], ['call', 'demo__calculate', '{}'], ['doctor']]) {
        const { code, err, out } = await here.run(words)
        expect(code).not.toBe(0)
        expect(out + err).toContain(`The program at ${stranger.address} is not the gateway for ${here.data}`)
      }
      expect(stranger.seen.length).toBeGreaterThan(2)
      for (const { authorization } of stranger.seen) expect(authorization).toBeUndefined()
      // A key that somebody says is theirs to say.
      const key = await here.localKey()
      await here.run(['tools', '--key-env', 'MINE'], { settings: { MINE: key } })
      expect(stranger.seen.at(-1)?.authorization).toBe(`Bearer ${key}`)
    } finally {
      await writeFile(file, own)
    }
    expect(await here.run(['tools'])).toMatchObject({ code: 0, err: '' })
  })

  test('goes to nobody who has the gateway itself answer, from the same port of another address', async () => {
    const port = String(await freePort())
    await using elsewhere = await makeInstallation({ TOOLWAY_HOST: '127.0.0.2', TOOLWAY_PORT: port })
    const { address } = await elsewhere.start()
    expect(address).toContain('127.0.0.2')
    expect(await elsewhere.run(['tools'])).toMatchObject({ code: 0, err: '' })
    await using stranger = await startStranger(address)
    await writeFile(join(elsewhere.data, 'address'), `${stranger.address}\n`)
    const { code, err, out } = await elsewhere.run(['tools'])
    expect(code).not.toBe(0)
    expect(out + err).toContain(`The program at ${stranger.address} is not the gateway for ${elsewhere.data}`)
    expect(stranger.seen.map(({ authorization }) => authorization)).toEqual([undefined])
  })

  test('is refused once it is removed, and the command says when there is another', async () => {
    await using other = await makeInstallation()
    const first = await other.start()
    const old = await other.localKey()
    expect((await other.run(['key', 'remove', 'command line'])).out).toMatch(
      /^Revoked the key "command line"\.\nThe commands on this machine used this key; the gateway creates a new one/,
    )
    await expect.poll(async () => (await other.run(['tools'])).code).toBe(4)
    await first.stop()
    await other.start()
    expect(await other.localKey()).not.toBe(old)
    expect((await other.run(['tools'])).code).toBe(0)
    expect((await other.run(['tools', '--key-env', 'OLD'], { settings: { OLD: old } })).code).toBe(4)
  })
})

describe('a secret', () => {
  test('that is the key comes from a variable, and with a warning from the command line', async () => {
    const key = await here.localKey()
    const settings = { MINE: key }
    expect(await here.run(['tools', '--key-env', 'MINE'], { settings })).toMatchObject({ code: 0, err: '' })
    const { code, out, err } = await here.run(['tools', '--key', key])
    expect({ code, shown: (out + err).includes(key) }).toEqual({ code: 0, shown: false })
    expect(err).toMatch(
      /^A key after --key is visible to every user of this machine while the command runs: --key-env NAME/,
    )
    expect(await here.run(['tools', '--key-env', 'UNSET'])).toMatchObject({
      code: 2,
      err: 'The variable UNSET, specified with --key-env, is not set.\n',
    })
    expect(await here.run(['tools', '--key', 'a', '--key-env', 'MINE'], { settings })).toMatchObject({ code: 2 })
  })

  const child = ['--', process.execPath, join(import.meta.dirname, '../e2e/peers/probes/probe.script.ts'), 'probe']
  const heard = async (alias: string, name: string) =>
    (await here.run(['call', `${alias}__environment`, JSON.stringify({ name })])).out

  test('that a started server needs comes from a variable, a file or standard input', async () => {
    const file = join(here.folder, 'secrets.env')
    await writeFile(file, 'API_TOKEN=a file\n# a note\nOTHER="x y"\n')
    const options = { settings: { API_TOKEN: 'from here' } }
    const add = (alias: string, words: string[], more = {}) =>
      here.run(['connection', 'add', alias, ...words, ...child], { ...options, ...more })
    // Short ones: a longer secret that a server repeats is masked.
    for (const [alias, words, more, value] of [
      ['named', ['--env', 'API_TOKEN'], {}, 'from here'],
      ['filed', ['--env-from', file], {}, 'a file'],
      ['piped', ['--env-from', '-'], { input: 'API_TOKEN=a pipe\n' }, 'a pipe'],
    ] as const) {
      const added = await add(alias, [...words], more)
      expect(added).toMatchObject({ code: 0, err: expect.not.stringContaining('is visible to every user') })
      await expect.poll(() => heard(alias, 'API_TOKEN'), patiently).toBe(`${value}\n`)
    }
    expect((await add('said', ['--env', 'API_TOKEN=hunter2hunter2', '--env', 'MODE=quiet'])).err).toMatch(
      /^A value after --env \(API_TOKEN\) is visible to every user of this machine/,
    )
    expect(await add('wrong', ['--env', 'NOT_SET'])).toMatchObject({ code: 2 })
  })

  test('that a remote server needs comes from a file or standard input', async () => {
    await using stranger = await startStranger()
    const add = (alias: string, words: string[], input = '') =>
      here.run(['connection', 'add', alias, '--url', `${stranger.address}/${alias}`, ...words], { input })
    const came = (alias: string) => stranger.seen.find(({ url }) => url === `/${alias}`)?.authorization
    const piped = await add('quiet', ['--header-from', '-'], 'Authorization: Bearer from-the-pipe\n\n# a note\n')
    expect(piped.err).not.toContain('can be read')
    expect(came('quiet')).toBe('Bearer from-the-pipe')
    const said = await add('loud', ['--header', 'Authorization: Bearer hunter2hunter2', '--header', 'X-Mode: a'])
    expect(said.err).toMatch(/^A value after --header \(Authorization\) is visible.*--header-from FILE/)
    expect(said.err).not.toContain('hunter2')
    expect(came('loud')).toBe('Bearer hunter2hunter2')
  })
})

test('what a command says and what mends it are two sentences', async () => {
  expect(await here.run(['call', 'demo__nothing'])).toMatchObject({
    err: 'Unknown tool: demo__nothing. List the tools again; the tool may have been removed or renamed.\n',
  })
  expect(running.err()).not.toContain('"level":"error"')
})
