/**
 * The program that stands in the gateway's container for a child in a Pod: it makes the Pod, joins stdin, stdout and stderr to it, ends
 * as it ends, and removes it. Descriptor 3 has the order as JSON, so that nothing of it is on a command line.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { createCluster, type Cluster, type Pod } from './cluster.ts'

const Order = z.object({
  server: z.string(),
  account: z.string(),
  namespace: z.string(),
  child: z.string(),
  name: z.string(),
  container: z.string(),
  pod: z.record(z.string(), z.unknown()),
  preamble: z.string(),
})

const [STDIN, STDOUT, STDERR, CLOSE] = [0, 1, 2, 255]
const LOOK_MS = 300
const START_MS = 180_000
/** Bytes on the way to the cluster above which stdin waits. */
const CONGESTED_BYTES = 1024 * 1024
/** Reasons of a waiting container that do not pass. */
const FAILED = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
])

const order = Order.parse(JSON.parse(readFileSync(3, 'utf8')))
const cluster = createCluster(order, order.namespace)
let made = false

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void removePodAndExit(143))
try {
  // Of a gateway that was killed: a child runs once.
  for (const { metadata } of await cluster.list(`toolway.dev/child=${order.child}`)) await cluster.remove(metadata.name)
  await cluster.create(order.pod)
  made = true
  await whenStarted(cluster)
  await attachStreams(cluster.attach(order.name, order.container))
  await removePodAndExit(exitCodeOf(await whenEnded(cluster)))
} catch (thrown) {
  process.stderr.write(`This server’s Pod failed: ${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
  await removePodAndExit(1)
}

async function removePodAndExit(code: number): Promise<never> {
  if (made) await cluster.remove(order.name).catch((thrown: unknown) => process.stderr.write(`${String(thrown)}\n`))
  process.exit(code)
}

function stateOf(pod: Pod) {
  return pod.status.containerStatuses?.[0]?.state
}

async function whenStarted({ find }: Cluster): Promise<void> {
  for (const end = Date.now() + START_MS; Date.now() < end; await sleep(LOOK_MS)) {
    const pod = await find(order.name)
    const state = stateOf(pod)
    if (state?.running !== undefined) return
    const reason = state?.waiting?.reason ?? ''
    if (FAILED.has(reason)) throw new Error(`${reason} ${state?.waiting?.message ?? ''}`.trim())
    if (state?.terminated !== undefined || pod.status.phase === 'Failed')
      throw new Error(`it ended before it was reached (${state?.terminated?.reason ?? pod.status.reason ?? 'Failed'})`)
  }
  throw new Error('it did not start in time: does the cluster have room for it?')
}

/** Resolves when the cluster closes the connection, as it does when the program ends. */
function attachStreams(socket: WebSocket): Promise<void> {
  const send = (channel: number, bytes: Uint8Array) => socket.send(Buffer.concat([Buffer.from([channel]), bytes]))
  socket.on('open', () => {
    send(STDIN, Buffer.from(order.preamble))
    process.stdin.on('data', (bytes: Buffer) => {
      send(STDIN, bytes)
      if (socket.bufferedAmount > CONGESTED_BYTES) process.stdin.pause()
    })
    process.stdin.on('end', () => send(CLOSE, Buffer.from([STDIN])))
    const easing = setInterval(() => {
      if (socket.bufferedAmount < CONGESTED_BYTES && process.stdin.isPaused()) process.stdin.resume()
    }, 20)
    socket.once('close', () => clearInterval(easing))
  })
  socket.on('message', (message: Buffer) => {
    const out = message[0] === STDOUT ? process.stdout : message[0] === STDERR ? process.stderr : undefined
    if (out === undefined || out.write(message.subarray(1))) return
    socket.pause()
    out.once('drain', () => socket.resume())
  })
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', () => resolve())
  })
}

/** The Pod after its end; a program that still runs has lost its stdin, and is removed. */
async function whenEnded({ find }: Cluster): Promise<Pod> {
  for (let looks = 0; ; looks++) {
    const pod = await find(order.name)
    if (stateOf(pod)?.terminated !== undefined || looks > 10) return pod
    await sleep(LOOK_MS)
  }
}

function exitCodeOf(pod: Pod): number {
  return stateOf(pod)?.terminated?.exitCode ?? 1
}
