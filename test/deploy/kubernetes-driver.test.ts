/** The driver `kubernetes` against a double of the cluster's API: what it asks for, how a server in a Pod is talked to, and its end. */
// @module-tag long
import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ConfinedLaunch } from '../../packages/gateway/src/upstreams/children/sandbox/driver.ts'
import { createKubernetesDriver } from '../../packages/gateway/src/upstreams/children/sandbox/kubernetes-driver.ts'
import { startCluster } from './peers/cluster-double.ts'

const SECRET = 'a value with "signs" and = and $HOME'
const launch = (script: string, changes: Partial<ConfinedLaunch> = {}): ConfinedLaunch => ({
  name: 'acme notes',
  command: process.execPath,
  args: ['-e', script.replaceAll('\n', ' ')],
  env: { API_KEY: SECRET },
  cwd: '/data/children/acme/work',
  folder: '/data/children/acme',
  temporary: '/tmp/toolway-abc123',
  ...{
    packageFolders: [],
    neededFolders: [],
    allowPaths: [],
    hiddenPaths: [],
    identities: new Map(),
    givenFiles: [],
    allowHosts: [],
  },
  network: 'none',
  bounds: { memoryBytes: 268_435_456, processes: 100, fileBytes: 1_000_000 },
  container: { image: 'toolway', runtime: 'gvisor' },
  ...changes,
})

type Cluster = Awaited<ReturnType<typeof startCluster>>

/** Starts what the driver says, as the worker does. */
async function start({ access }: Cluster, what: ConfinedLaunch) {
  const { command, args, env, fds = [], cleanUp } = await createKubernetesDriver(true, access).confine(what)
  const folder = await mkdtemp(join(tmpdir(), 'order-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'order'), fds[0] ?? '')
  const order = openSync(join(folder, 'order'), 'r')
  const child = spawn(command, args, { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe', order] })
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, ended, words: [command, ...args].join(' '), out: () => out, err: () => err, cleanUp }
}

const ECHO = `process.stdin.on("data", (line) => process.stdout.write(process.env.API_KEY + ":" + line));
  process.stdin.on("end", () => { process.stderr.write("bye"); process.exit(7) })`

test('a server in a Pod is talked to over attach, ends with its stdin, and its Pod is removed', async () => {
  await using cluster = await startCluster()
  const { child, ended, words, out, err } = await start(cluster, launch(ECHO))
  child.stdin?.write('one line\n')
  await expect.poll(out).toBe(`${SECRET}:one line\n`)
  child.stdin?.end()
  expect([await ended, err()]).toEqual([7, 'bye'])
  expect(cluster.pods.size).toBe(0)
  expect(words + JSON.stringify(cluster.seen)).not.toContain('signs')
  expect(cluster.seen[0]).toMatchObject({
    metadata: { labels: { 'toolway.dev/stdio': 'confined', 'toolway.dev/network': 'none' } },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      runtimeClassName: 'gvisor',
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        { stdinOnce: true, securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } } },
      ],
    },
  })
})

test('a large answer passes whole, and a signal removes the Pod', async () => {
  await using cluster = await startCluster()
  const script = `process.stdout.write("x".repeat(3000000) + "end"); setInterval(() => 0, 1000)`
  const { child, ended, out } = await start(cluster, launch(script))
  await expect.poll(() => out().length).toBe(3_000_003)
  child.kill('SIGTERM')
  expect(await ended).toBe(143)
  expect(cluster.pods.size).toBe(0)
})

test('a Pod of a gateway that was killed is removed before the same server starts again', async () => {
  await using cluster = await startCluster()
  const first = await start(cluster, launch(ECHO))
  first.child.stdin?.write('1\n')
  await expect.poll(first.out).toContain('1')
  first.child.kill('SIGKILL')
  await first.ended
  const left = [...cluster.pods.keys()]
  const second = await start(cluster, launch(ECHO))
  second.child.stdin?.write('2\n')
  await expect.poll(second.out).toContain('2')
  expect(cluster.removed).toEqual(left)
  second.child.stdin?.end()
  await second.ended
  await second.cleanUp?.()
})

test('an image that cannot be had, and a cluster that refuses, are said in a sentence', async () => {
  await using failing = await startCluster({ failing: 'ErrImagePull' })
  const one = await start(failing, launch(ECHO))
  expect(await one.ended).toBe(1)
  expect(one.err()).toContain('This server’s Pod failed: ErrImagePull as the test says')
  expect(failing.pods.size).toBe(0)
  await using cluster = await startCluster()
  const elsewhere = await start(cluster, launch(ECHO, { container: { image: 'toolway', namespace: 'other' } }))
  expect(await elsewhere.ended).toBe(1)
  expect(elsewhere.err()).toContain('pods is forbidden')
})

test('the driver says whether the cluster lets it work, and what a Pod cannot be given', async () => {
  await using cluster = await startCluster()
  const driver = createKubernetesDriver(true, cluster.access)
  expect(await driver.check()).toMatchObject({ ready: true, guarantees: expect.not.arrayContaining(['process count']) })
  const unstated = await createKubernetesDriver(false, cluster.access).check()
  expect(unstated).toMatchObject({ ready: true, guarantees: expect.not.arrayContaining(['network']) })
  expect(await createKubernetesDriver(true).check()).toMatchObject({ ready: false })
  await writeFile(join(cluster.access.account, 'token'), 'another')
  expect(await driver.check()).toMatchObject({ ready: false, reason: expect.stringContaining('Unauthorized') })
  const refused = (changes: Partial<ConfinedLaunch>) => () => driver.confine(launch(ECHO, changes))
  expect(refused({ network: 'listed' })).toThrow('does not support a list of hosts')
  expect(refused({ allowPaths: [{ path: '/srv', write: false }] })).toThrow('remove allow_paths')
  expect(refused({ env: { A: 'two\nlines' } })).toThrow('line break')
})
