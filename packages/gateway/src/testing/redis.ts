/**
 * Test Redis. `await using redis = await startTestRedis()` uses the server of TEST_REDIS_URL, else starts one from the machine's
 * redis-server, behind a proxy that can be closed, opened and slowed down. `describeWithRedis` wraps suites that need one.
 */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDoor, type Door } from './door.ts'
import { freePort } from './free-port.ts'

export interface TestRedis extends AsyncDisposable, Pick<Door, 'shut' | 'open' | 'slow'> {
  /** Leads through the door. */
  readonly url: string
  /** Stops the process of the server, which keeps its connections and answers nothing, or lets it go on. */
  readonly hang: ((hung: boolean) => void) | undefined
}

/** Where CI runs, its absence fails; a desk without one does without. */
export function describeWithRedis(name: string, suite: () => void): void {
  const there = process.env['TEST_REDIS_URL'] !== undefined || spawnSync('redis-server', ['--version']).status === 0
  if (there) describe(`${name} (Redis)`, suite)
  else if (process.env['CI'] === 'true') {
    test(`${name} (Redis)`, () =>
      expect.fail('CI has to set TEST_REDIS_URL to a Redis, or have redis-server on its PATH'))
  }
}

/** `own`: a process of its own even where there is a server for all tests. */
export async function startTestRedis({ own: isOwn = false } = {}): Promise<TestRedis> {
  const given = isOwn ? undefined : process.env['TEST_REDIS_URL']
  const own = given === undefined ? await startOwn() : undefined
  const target = new URL(given ?? own?.url ?? '')
  const door = await openDoor({ port: Number(target.port || 6379), host: target.hostname })
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(door.port)
  return {
    url: url.href,
    ...door,
    hang: own?.hang,
    async [Symbol.asyncDispose]() {
      await door.close()
      await own?.stop()
    },
  }
}

async function startOwn() {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-redis-'))
  const password = randomBytes(12).toString('hex')
  const port = await freePort()
  const words = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--requirepass',
    password,
  ]
  const child = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.stdout.on('data', (text: Buffer) => text.includes('Ready to accept') && resolve())
  })
  return {
    url: `redis://:${password}@127.0.0.1:${port}/0`,
    hang: (hung: boolean) => void child.kill(hung ? 'SIGSTOP' : 'SIGCONT'),
    async stop() {
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
