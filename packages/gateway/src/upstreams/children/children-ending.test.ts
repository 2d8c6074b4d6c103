// @module-tag long
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { fileURLToPath } from 'node:url'
import {
  alive,
  allGone,
  behindShell,
  exitOf,
  firstLine,
  launchOf,
  startChildren,
  reaperOf,
  until,
} from './children.test.fixture.ts'

// Real processes on a machine that may be busy: the ladder of an ending alone takes three seconds.
type Started = Awaited<ReturnType<typeof startChildren>>

/** A stubborn server and one behind a shell: the pids of both, of the shell, and their ends. */
async function twoStubborn(children: Started) {
  const direct = await children.start(launchOf('stubborn'))
  const shell = await children.start(behindShell('stubborn'))
  const grandchild = Number(await firstLine(shell))
  await firstLine(direct)
  return {
    direct,
    shell,
    pids: [direct.pid, shell.pid, grandchild],
    ends: Promise.all([exitOf(direct), exitOf(shell)]),
  }
}

async function gatewayProcess(home: string) {
  const script = fileURLToPath(new URL('./gateway-fixture.test.script.ts', import.meta.url))
  const gateway = spawn(process.execPath, [script, home], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [first] = (await once(gateway.stdout, 'data')) as [Buffer]
  const { worker, pids } = JSON.parse(first.toString()) as { worker: number; pids: number[] }
  return { gateway: gateway.pid as number, worker, pids }
}

describe('a stdio server that ignores SIGTERM and a closed stdin', () => {
  test('ends with its group when it is stopped, also behind a shell', async () => {
    await using children = await startChildren()
    const { direct, shell, pids, ends } = await twoStubborn(children)
    await Promise.all([direct.stop(), shell.stop(), direct.stop()])
    expect(pids.filter(alive)).toEqual([])
    expect(await ends).toMatchObject([{ signal: 'SIGKILL', reason: 'STOPPED' }, { reason: 'STOPPED' }])
  })

  test('ends when all children are closed, and so does the worker', async () => {
    await using children = await startChildren()
    const { pids } = await twoStubborn(children)
    await children.close()
    expect([...pids, children.worker()].filter(alive)).toEqual([])
    await expect(children.start(launchOf('echo'))).rejects.toMatchObject({ code: 'CHILDREN_CLOSED' })
  })

  test('ends when the worker is killed, is told as exited, and the next start has a new worker', async () => {
    await using children = await startChildren()
    const { pids, ends } = await twoStubborn(children)
    const killed = children.worker()
    process.kill(killed, 'SIGKILL')
    expect(await ends).toMatchObject([{ reason: 'WORKER_LOST' }, { reason: 'WORKER_LOST' }])
    await allGone(pids)
    const next = await children.start(launchOf('deaf'))
    expect(await firstLine(next)).toBe('deaf')
    expect(children.worker()).not.toBe(killed)
    expect(children.log).toContainEqual(
      expect.objectContaining({ level: 'error', facts: expect.objectContaining({ worker: killed }) }),
    )
  })

  test('ends when the gateway is killed, and so does the worker', async () => {
    await using scratch = await startChildren()
    const { gateway, worker, pids } = await gatewayProcess(scratch.home)
    process.kill(gateway, 'SIGKILL')
    await allGone([...pids, worker])
  })

  test('ends when gateway and worker are killed at once: the process reaper does it', async () => {
    await using scratch = await startChildren()
    const { gateway, worker, pids } = await gatewayProcess(scratch.home)
    process.kill(worker, 'SIGKILL')
    process.kill(gateway, 'SIGKILL')
    await allGone([...pids, worker])
  })

  test.runIf(process.platform === 'linux')(
    'ends when worker and process reaper are killed at once: the gateway does it',
    async () => {
      await using children = await startChildren()
      const { pids } = await twoStubborn(children)
      const reaper = reaperOf(children.worker()) as number
      process.kill(reaper, 'SIGKILL')
      process.kill(children.worker(), 'SIGKILL')
      await allGone(pids)
    },
  )

  test.runIf(process.platform === 'linux')(
    'ends also when the first process reaper was killed before: another took its place',
    async () => {
      await using scratch = await startChildren()
      const { gateway, worker, pids } = await gatewayProcess(scratch.home)
      const first = reaperOf(worker) as number
      process.kill(first, 'SIGKILL')
      await until('there is another process reaper', () => ![undefined, first].includes(reaperOf(worker)))
      const second = reaperOf(worker) as number
      process.kill(worker, 'SIGKILL')
      process.kill(gateway, 'SIGKILL')
      await allGone([...pids, worker, second])
    },
  )
})

describe('what a server leaves behind', () => {
  test('a process it left in its group ends with it', async () => {
    await using children = await startChildren()
    const child = await children.start(launchOf('careless'))
    const left = Number(await firstLine(child))
    expect(await exitOf(child)).toMatchObject({ code: 0, reason: 'ENDED' })
    await allGone([left])
  })

  test.runIf(process.platform === 'linux')('the process reaper ends with its worker', async () => {
    await using children = await startChildren()
    await children.start(launchOf('deaf'))
    const reaper = reaperOf(children.worker()) as number
    expect(alive(reaper)).toBe(true)
    await children.close()
    await allGone([reaper])
  })
})
