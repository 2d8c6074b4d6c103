import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { startPeer } from '../processes/peer-process.ts'
import { byNameOf } from './counts.ts'
import { readTrace, traceSystemCalls, whyNoTrace } from './system-calls.ts'

const TRACE = `
101 restart_syscall(<... resuming interrupted read ...> <unfinished ...>
102 futex(0x7f21, FUTEX_WAIT_PRIVATE, 0, NULL <unfinished ...>
101 read(19<socket:[4021]>, ""..., 65536) = 312
101 write(21</data/outbox/host-1-000000001>, ""..., 250) = 250
101 write(22</data/outbox-old/host>, ""..., 250) = 250
101 writev(20<socket:[4022]>, [{iov_base=""..., iov_len=12}], 1) = 12
102 <... futex resumed>) = 0
101 fdatasync(21</data/outbox/host-1-000000001>) = 0
101 epoll_pwait(13<anon_inode:[eventpoll]>, [], 1024, 0, NULL, 8) = 0
101 getpid() = 101
101 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=7} ---
102 +++ exited with 0 +++
`

describe('the trace of a process', () => {
  test('has each call once, also where another thread interrupts it', () => {
    const { total, byName } = readTrace(TRACE, undefined)
    expect(byName).toEqual({
      futex: 1,
      read: 1,
      write: 2,
      writev: 1,
      fdatasync: 1,
      epoll_pwait: 1,
      getpid: 1,
    })
    expect(total).toBe(8)
  })

  test('tells writes into one folder from all others', () => {
    expect(readTrace(TRACE, '/data/outbox').intoFolder).toBe(1)
    expect(readTrace(TRACE, undefined).intoFolder).toBe(0)
  })

  test('has nothing of nothing', () => {
    expect(readTrace('', '/data')).toEqual({ total: 0, byName: {}, intoFolder: 0 })
  })
})

test('system calls of the rounds are told by name, the most frequent first', () => {
  const rounds = [
    { total: 3, 'call read': 1, 'call write': 2 },
    { total: 4, 'call read': 1, 'call write': 2.5, 'call futex': 0.5 },
    { total: 3, 'call read': 1.5, 'call write': 2.2 },
  ]
  expect(byNameOf(rounds)).toEqual([
    ['write', 2.2],
    ['read', 1],
    ['futex', 0],
  ])
})

const WRITING = `
import { openSync, writeSync } from 'node:fs'
const [inside, outside] = process.argv.slice(2).map((path) => openSync(path, 'a'))
process.on('message', () => {
  for (let at = 0; at < 40; at++) writeSync(inside, 'x')
  for (let at = 0; at < 60; at++) writeSync(outside, 'x')
  process.send({ done: true })
})
process.on('disconnect', () => process.exit(0))
process.send({ ready: true })
`
const untraceable = whyNoTrace()

test.skipIf(untraceable !== undefined)('the writes of a process that runs are counted', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolway-traced-')))
  const script = join(folder, 'writing.mjs')
  writeFileSync(script, WRITING)
  const inside = mkdtempSync(join(folder, 'inside-'))
  const peer = startPeer(pathToFileURL(script), [join(inside, 'a'), join(folder, 'b')], undefined)
  try {
    await peer.next()
    const finish = await traceSystemCalls(peer.pid, inside)
    peer.tell({ go: true })
    await peer.next()
    const { intoFolder, byName } = await finish()
    expect(intoFolder).toBe(40)
    expect(byName['write']).toBeGreaterThanOrEqual(100)
  } finally {
    await peer[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  }
})

test.skipIf(untraceable !== undefined)('a process that is gone cannot be traced, and that is said', async () => {
  await expect(traceSystemCalls(2 ** 30)).rejects.toThrow('strace does not attach')
})
