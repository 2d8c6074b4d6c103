// @module-tag long
import { once } from 'node:events'
import { mkdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { PATIENCE_MS } from '../../testing/patience.ts'
import { alive, askerOf, exitOf, firstLine, launchOf, readAll, startChildren, until } from './children.test.fixture.ts'
import { LINE_LIMIT } from './frame.ts'
import { createChildren } from './worker-link.ts'

// Real processes on a machine that may be busy: the ladder of an ending alone takes three seconds.
interface Seen {
  env: Record<string, string>
  cwd: string
  args: string[]
  sockets: string[]
}

afterEach(() => vi.unstubAllEnvs())

describe('the world a child sees', () => {
  test('is PATH, LANG, folders of its own and the declared variables, nothing else of the gateway', async () => {
    vi.stubEnv('SECRET_KEY', 'planted in the gateway')
    await using children = await startChildren()
    const child = await children.start(launchOf('environment', [], { environment: { TOKEN: 'declared' } }))
    const { env, cwd, sockets } = JSON.parse(await firstLine(child)) as Seen
    expect(Object.keys(env).sort()).toEqual(['HOME', 'LANG', 'PATH', 'TMPDIR', 'TOKEN', 'npm_config_cache'])
    expect(env).toMatchObject({ PATH: process.env['PATH'], TOKEN: 'declared' })
    expect(env['HOME']).toMatch(new RegExp(`^${children.home}/environment-[0-9a-f]{16}$`))
    for (const folder of [env['npm_config_cache'], cwd]) expect(folder).toContain(`${env['HOME']}/`)
    for (const folder of [env['HOME'], cwd]) expect((await stat(folder as string)).mode & 0o777).toBe(0o700)
    expect(sockets).toEqual([])
  })

  test.runIf(process.platform === 'linux')('the worker itself has no environment to read', async () => {
    vi.stubEnv('SECRET_KEY', 'planted in the gateway')
    await using children = await startChildren()
    const child = await children.start({
      ...{ name: 'spy', command: 'sh', environment: {} },
      args: ['-c', 'tr "\\0" "\\n" < /proc/$PPID/environ; echo end'],
    })
    const { lines } = await readAll(child)
    expect(lines).toEqual(['end'])
  })

  test('arguments reach it as they are: there is no shell', async () => {
    await using children = await startChildren()
    const words = ['$(id)', '; echo x', '*', '"', '']
    const child = await children.start(launchOf('environment', words))
    expect((JSON.parse(await firstLine(child)) as Seen).args).toEqual(words)
  })

  test('two names that look alike have two folders, and no name leads out of the root', async () => {
    await using children = await startChildren()
    const homes = []
    for (const name of ['../a/b', '..-a-b', '../../../../tmp']) {
      const child = await children.start(launchOf('environment', [], { name }))
      homes.push((JSON.parse(await firstLine(child)) as Seen).env['HOME'])
    }
    expect(new Set(homes).size).toBe(3)
    for (const home of homes) expect(home?.slice(children.home.length)).toMatch(/^\/[\w-]+$/)
  })

  test('a working folder that is named is used, one that is not there is said', async () => {
    await using children = await startChildren()
    const cwd = `${children.home}/elsewhere`
    await expect(children.start(launchOf('environment', [], { cwd }))).rejects.toMatchObject({
      code: 'FOLDER_NOT_FOUND',
    })
    await mkdir(cwd)
    const child = await children.start(launchOf('environment', [], { cwd }))
    expect((JSON.parse(await firstLine(child)) as Seen).cwd).toBe(cwd)
  })
})

describe('a start that cannot be', () => {
  test('a command that is not there is said with what to do', async () => {
    await using children = await startChildren()
    const start = children.start({ name: 'x', command: 'no-such-command', args: [], environment: {} })
    await expect(start).rejects.toMatchObject({
      code: 'COMMAND_NOT_FOUND',
      message: expect.stringContaining('Install it'),
    })
  })

  test('a program that the server needs besides its command is named, and nothing is started', async () => {
    await using children = await startChildren()
    const start = children.start(launchOf('echo', [], { programs: ['no-such-program'] }))
    await expect(start).rejects.toMatchObject({
      code: 'PROGRAM_NOT_FOUND',
      message: expect.stringContaining('no-such-program is not installed'),
    })
  })

  test('what the system refuses is said with its reason', async () => {
    await using children = await startChildren()
    const start = children.start({ name: 'x', command: 'true', args: ['x'.repeat(3_000_000)], environment: {} })
    await expect(start).rejects.toMatchObject({ code: 'START_FAILED', message: expect.stringContaining('E2BIG') })
  })

  test.each([
    ['a name', { name: '' }],
    ['a command', { command: '' }],
    ['an argument without NUL', { args: ['a\0b'] }],
    ['a variable without =', { environment: { 'A=B': 'c' } }],
    ['a line limit that fits', { lineLimit: 1e9 }],
  ])('needs %s', async (_, wrong) => {
    await using children = await startChildren()
    await expect(children.start(launchOf('echo', [], wrong))).rejects.toMatchObject({ code: 'INVALID_LAUNCH' })
  })

  test('Windows is told that it needs a POSIX system', async () => {
    await using children = await startChildren({ platform: 'win32' })
    await expect(children.start(launchOf('echo'))).rejects.toMatchObject({ code: 'POSIX_ONLY' })
  })

  test('one that is given up before and while it waits rejects with the reason', async () => {
    await using children = await startChildren({ places: 1 })
    const reason = new Error('given up')
    await expect(children.start(launchOf('deaf', [], { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason)
    await children.start(launchOf('deaf'))
    const giveUp = new AbortController()
    const waiting = children.start(launchOf('deaf', [], { signal: giveUp.signal }))
    giveUp.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  test('one that is given up while its process starts leaves no process', async () => {
    await using children = await startChildren()
    const giveUp = new AbortController()
    const starting = children.start(launchOf('stubborn', [], { signal: giveUp.signal }))
    // It looks at each turn of the loop: a pause may be longer than the start takes.
    for (const late = Date.now() + PATIENCE_MS; !(children.worker() > 1) && Date.now() < late;)
      await new Promise(setImmediate)
    giveUp.abort()
    await expect(starting).rejects.toMatchObject({ name: 'AbortError' })
    await until('it is told', () =>
      children.log.some(({ facts }) => facts['reason'] === 'STOPPED' || facts['code'] === 'STOPPED'),
    )
  })
})

describe('lines from a child', () => {
  test('are whole: split characters, CRLF, empty lines, and no half line at the end', async () => {
    await using children = await startChildren()
    const child = await children.start(launchOf('pieces'))
    expect(await readAll(child)).toMatchObject({ lines: ['price: €', 'second'], exit: { code: 0, reason: 'ENDED' } })
  })

  test('that came before there was a reader are kept for it', async () => {
    await using children = await startChildren()
    const child = await children.start(launchOf('pieces'))
    await exitOf(child)
    expect(await readAll(child)).toMatchObject({ lines: ['price: €', 'second'] })
    expect(() => child.onLine(() => undefined)).toThrow('has a reader already')
  })

  test('may be as long as the limit, 8 MiB, and not longer', async () => {
    await using children = await startChildren()
    const child = await children.start(launchOf('echo'))
    const ask = askerOf(child)
    const longest = 'x'.repeat(LINE_LIMIT)
    expect((await ask(longest)) === longest).toBe(true)
    const exit = exitOf(child)
    await child.send(`${longest}x`).catch(() => undefined)
    expect(await exit).toMatchObject({ reason: 'LINE_TOO_LONG' })
  })

  test('a line without end ends the child', async () => {
    await using children = await startChildren()
    const child = await children.start(launchOf('endless', [], { lineLimit: 1_000_000 }))
    expect(await readAll(child)).toMatchObject({ lines: [], exit: { reason: 'LINE_TOO_LONG' } })
    expect(alive(child.pid)).toBe(false)
  })

  test('a reader that throws costs its own line only', async () => {
    await using children = await startChildren()
    const child = await children.start(launchOf('pieces'))
    const seen: string[] = []
    child.onLine((line) => {
      seen.push(line)
      throw new Error('reader')
    })
    await exitOf(child)
    expect(seen).toHaveLength(2)
    expect(children.log.filter(({ level }) => level === 'error')).toHaveLength(2)
  })
})

describe('pressure', () => {
  test('a child that floods is held back until its reader takes more, and holds back nobody else', async () => {
    await using children = await startChildren()
    const flood = await children.start(launchOf('flood', ['24']))
    const wrote = () => Number(flood.stderr().at(-1)?.split(' ')[1] ?? 0)
    await until('it wrote what fits', () => wrote() >= 4)
    const ask = askerOf(await children.start(launchOf('echo')))
    expect(await ask('still here')).toBe('still here')
    await sleep(500)
    expect(wrote()).toBeLessThan(8)
    let free = () => {}
    const gate = new Promise<void>((open) => (free = open))
    let bytes = 0
    flood.onLine((line) => {
      bytes += line.length + 1
      return gate
    })
    await sleep(200)
    expect(wrote()).toBeLessThan(8)
    free()
    expect(await exitOf(flood)).toMatchObject({ code: 0 })
    expect(bytes).toBe(24 * 1024 * 1024)
  })

  test('a child that does not read has a queue of 16 MiB, and holds up nobody else', async () => {
    await using children = await startChildren()
    const deaf = await children.start(launchOf('deaf'))
    const line = 'x'.repeat(1024 * 1024 - 200)
    const sends = Array.from({ length: 20 }, () => deaf.send(line))
    const outcomes = Promise.allSettled(sends)
    await expect(sends[19]).rejects.toMatchObject({ code: 'QUEUE_FULL' })
    const ask = askerOf(await children.start(launchOf('echo')))
    expect(await ask('still here')).toBe('still here')
    await deaf.stop()
    const codes = (await outcomes).map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'sent'))
    expect(codes.filter((code) => code === 'QUEUE_FULL')).toHaveLength(4)
    expect(codes.filter((code) => code === 'CHILD_ENDED').length).toBeGreaterThan(10)
    await expect(deaf.send('more')).rejects.toMatchObject({ code: 'CHILD_ENDED' })
  })

  test('a thousand concurrent echoes all come back', async () => {
    await using children = await startChildren()
    const child = await children.start(launchOf('echo'))
    const ask = askerOf(child)
    const lines = Array.from({ length: 1_000 }, (_, i) => `{"id":${i}}`)
    expect(await Promise.all(lines.map(ask))).toEqual(lines)
  })

  test('a line with a line end inside is refused', async () => {
    await using children = await startChildren()
    const child = await children.start(launchOf('echo'))
    await expect(child.send('a\nb')).rejects.toMatchObject({ code: 'INVALID_LINE' })
    await expect(child.send('a\rb')).rejects.toMatchObject({ code: 'INVALID_LINE' })
  })
})

describe('stderr', () => {
  test('is kept as the last 200 lines, cut at 2,000 characters, with declared values masked', async () => {
    await using children = await startChildren()
    const child = await children.start(launchOf('complain', [], { environment: { TOKEN: 'sk-0123456789' } }))
    const { stderr } = await exitOf(child)
    expect(stderr).toHaveLength(200)
    expect(stderr.slice(-3)).toEqual(['token is [TOKEN]', 'z'.repeat(2_000), 'last words'])
    expect(child.stderr()).toEqual(stderr)
    expect(JSON.stringify(children.log)).not.toContain('sk-0123456789')
  })

  test('has the error from the log of npm where the child named none itself, masked, and only before it spoke', async () => {
    const said: string[] = []
    await using children = await startChildren({ onWords: (_, lines) => void said.push(...lines) })
    const environment = { TOKEN: 'sk-0123456789' }
    const exited = await children.start(launchOf('fetching', ['waiting', 'exits'], { environment }))
    const cause = 'npm http fetch GET https://npm.example/x?[TOKEN] attempt 1 failed with SELF_SIGNED_CERT_IN_CHAIN'
    expect((await exitOf(exited)).stderr).toEqual(['waiting', cause])
    expect(said).toContain(cause)
    const silent = await children.start(launchOf('fetching', ['waiting'], { environment }))
    await until('it says something', () => silent.stderr().length > 0)
    await silent.stop()
    expect(silent.stderr()).toEqual(['waiting', cause])
    const named = await children.start(launchOf('fetching', ['Error: mine', 'exits'], { environment }))
    expect((await exitOf(named)).stderr).toEqual(['Error: mine'])
    const spoke = await children.start(launchOf('fetching', ['waiting', 'spoke'], { environment }))
    await firstLine(spoke)
    await spoke.stop()
    expect(spoke.stderr()).toEqual(['waiting'])
  })
})

test('what the installation gives every child is there, and gives way to what is declared', async () => {
  const inherited = { HTTPS_PROXY: 'http://proxy.example:3128', npm_config_registry: 'https://npm.example/' }
  await using children = await startChildren({ inherited })
  const environment = { npm_config_registry: 'https://own.example/' }
  const { env } = JSON.parse(
    await firstLine(await children.start(launchOf('environment', [], { environment }))),
  ) as Seen
  expect(env).toMatchObject({ HTTPS_PROXY: 'http://proxy.example:3128', npm_config_registry: 'https://own.example/' })
})

describe('the temporary folder of a child', () => {
  test('is short and private, so that its Unix socket works from a deep data folder, and goes with it', async () => {
    await using at = await startChildren()
    await using children = await startChildren({ home: join(at.home, 'd'.repeat(60), 'e'.repeat(60)) })
    const child = await children.start(launchOf('socket'))
    const socket = await firstLine(child)
    expect(socket).toMatch(/^\/tmp\/toolway-\w{6}\/browser-\w+\/default\.sock$/)
    const folder = dirname(dirname(socket))
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    await once(connect(socket), 'connect')
    await child.stop()
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('that a killed gateway left behind goes with the next start', async () => {
    await using children = await startChildren()
    const first = await children.start(launchOf('socket'))
    const left = dirname(dirname(await firstLine(first)))
    const exit = exitOf(first)
    process.kill(children.worker(), 'SIGKILL')
    await exit
    expect((await stat(left)).isDirectory()).toBe(true)
    const second = await children.start(launchOf('socket'))
    expect(dirname(dirname(await firstLine(second)))).not.toBe(left)
    await expect(stat(left)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('a start', () => {
  test('waits when four are starting, until one is ready, or has exited', async () => {
    await using children = await startChildren({ places: 2 })
    const first = await children.start(launchOf('deaf', [], { name: 'first' }))
    const second = await children.start(launchOf('deaf', [], { name: 'second' }))
    const order: string[] = []
    const third = children.start(launchOf('deaf', [], { name: 'third' })).then((child) => (order.push('third'), child))
    const fourth = children
      .start(launchOf('deaf', [], { name: 'fourth' }))
      .then((child) => (order.push('fourth'), child))
    await Promise.all([firstLine(first), firstLine(second)])
    expect(order).toEqual([])
    first.ready()
    first.ready()
    await third
    expect(order).toEqual(['third'])
    await second.stop()
    await fourth
    expect(order).toEqual(['third', 'fourth'])
  })

  test('that takes long is told with the command and its last complaint', async () => {
    await using children = await startChildren({ progressMs: 20 })
    const args = ['-c', 'echo fetching >&2; sleep 60']
    await children.start({ name: 'slow', command: 'sh', args, environment: {} })
    const told = () => children.log.find(({ facts }) => facts['stderr'] === 'fetching')
    await until('it is told', () => told() !== undefined)
    expect(told()).toMatchObject({ level: 'info', facts: { child: 'slow' } })
    expect(told()?.message).toMatch(/^still starting: sh -c echo fetching >&2; sleep 60 \(\d+ s\)$/)
  })

  test('that waits for its place says so', async () => {
    await using children = await startChildren({ places: 1, progressMs: 20 })
    const first = await children.start(launchOf('deaf'))
    const second = children.start(launchOf('deaf', [], { name: 'second' }))
    await until('it is told', () => children.log.some(({ message }) => message.startsWith('still waiting to start:')))
    first.ready()
    expect((await second).pid).toBeGreaterThan(1)
  })

  test('that gives no answer in its time gives its place away, with a warning', async () => {
    await using children = await startChildren({ places: 1, readyMs: 50 })
    const slow = await children.start(launchOf('deaf'))
    await children.start(launchOf('deaf', [], { name: 'second' }))
    expect(children.log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('no answer yet') }),
    )
    expect(alive(slow.pid)).toBe(true)
  })

  test('nothing is started before the first child is asked for', async () => {
    const said: string[] = []
    const say = (_: object, message: string) => void said.push(message)
    const children = createChildren({
      log: { debug: say, info: say, warn: say, error: say },
      home: '/nowhere',
      path: '',
    })
    await children.close()
    expect(said).toEqual([])
  })
})
