/**
 * Starts the hostile server as a child of a worker, in a process of its own (so that it may be another user's), lets it try everything,
 * and prints what it got as one JSON document. Words: the driver, the folder to work in, the root of the code.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DriverName } from '../../../packages/gateway/src/upstreams/children/sandbox/driver.ts'
import { createChildren, type Child, type Exit } from '../../../packages/gateway/src/upstreams/children/worker-link.ts'
import { startEgressProxy } from '../../../packages/gateway/src/upstreams/http/egress/egress-proxy.ts'

const [driver = 'bubblewrap', folder = '', network = 'public'] = process.argv.slice(2)
const MIB = 1024 * 1024
const SERVER = join(import.meta.dirname, 'hostile-server.script.ts')
const SECRET = 'planted-in-the-environment'
const LIMITS = { processes: 160, diskLimit: 96 * MIB }
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

const data = join(folder, 'data')
await mkdir(join(data, 'children'), { recursive: true, mode: 0o700 })
await writeFile(join(data, 'vault.key'), 'the vault key', { mode: 0o600 })

let sockets = 0
const children = createChildren({
  log: quiet,
  home: join(data, 'children'),
  path: process.env['PATH'] ?? '',
  memoryLimit: 256 * MIB,
  sandbox: {
    ...{ policy: 'preferred', driver: driver as DriverName, hiddenPaths: [data], ...LIMITS },
    ...(process.env['TEST_CONTAINER_IMAGE'] === undefined
      ? {}
      : { container: { image: process.env['TEST_CONTAINER_IMAGE'] } }),
    openEgress: ({ network: wanted, allowHosts }) =>
      startEgressProxy({
        network: wanted,
        allowHosts,
        path: join(folder, `${(sockets += 1)}.sock`),
        refused: () => undefined,
      }),
  },
})

async function open(name: string) {
  const child = await children.start({
    ...{ name, command: process.execPath, environment: { OWN: `${SECRET}-${name}` } },
    args: ['--disable-warning=ExperimentalWarning', SERVER],
    network: network as 'public',
  })
  return { child, name, exit: new Promise<Exit>((tell) => child.onExit(tell)), ask: askerOf(child) }
}

function askerOf(child: Child) {
  const waiting = new Map<number, (answer: string) => void>()
  let last = 0
  child.onLine((line) => {
    const { id, result, error } = JSON.parse(line) as {
      id?: number
      result?: { content?: { text: string }[] }
      error?: unknown
    }
    if (id !== undefined) waiting.get(id)?.(result?.content?.[0]?.text ?? JSON.stringify(error ?? result))
  })
  child.onExit(({ reason }) => {
    for (const tell of waiting.values()) tell(`ended: ${reason}`)
  })
  const send = (method: string, params: object) =>
    new Promise<string>((resolve) => {
      const id = (last += 1)
      waiting.set(id, resolve)
      child.send(JSON.stringify({ jsonrpc: '2.0', id, method, params })).catch(() => resolve('ended'))
    })
  let ready: Promise<unknown> | undefined
  return async (name: string, target: string | number = '') => {
    ready ??= send('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    await ready
    const since = Date.now()
    const answer = await send('tools/call', { name, arguments: { target: String(target) } })
    if (process.env['TIMES'] !== undefined) console.error(name, target, Date.now() - since)
    return answer
  }
}

const countOf = (marker: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(marker) &&
        pid !== String(process.pid)
      )
    } catch {
      return false
    }
  }).length

/** Whether the process that is left behind is there by itself. */
const hasEscaped = (marker: string) =>
  readdirSync('/proc').some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(`sh\0-c\0sleep 120; : ${marker}\0`)
    } catch {
      return false
    }
  })

/** Time in which a process ends by itself or a watch sees it, on a busy machine too: those that escape or are forked live longer. */
const SOON_MS = 30_000

/** Waits until it is so, or does not become so. */
async function settled(isSo: () => boolean): Promise<void> {
  for (const began = performance.now(); !isSo() && performance.now() - began < SOON_MS;) await sleep(20)
}

const port = createServer((socket) => socket.destroy())
await new Promise<void>((resolve) => port.listen(0, '127.0.0.1', resolve))
const loopback = `127.0.0.1:${(port.address() as AddressInfo).port}`
const result: Record<string, unknown> = {}
try {
  const victim = await open('victim')
  const hostile = await open('hostile')
  const state = await children.sandbox()
  result['driver'] = state?.driver
  result['missing'] = state?.missing
  result['reasons'] = state?.reasons
  const homes = readdirSync(join(data, 'children'))
  const victimHome = join(data, 'children', homes.find((name) => name.startsWith('victim')) ?? '')
  void victim.exit.then(({ code, reason, stderr }) => (result['victim'] = { code, reason, stderr: stderr.slice(-5) }))
  await victim.ask('write', join(victimHome, 'work/secret.txt'))
  const { ask } = hostile
  result['own folder'] = await ask(
    'write',
    join(data, 'children', homes.find((name) => name.startsWith('hostile')) ?? '', 'work/mine.txt'),
  )
  result['vault key'] = await ask('read', join(data, 'vault.key'))
  result['data folder'] = await ask('list', data)
  result['write data folder'] = await ask('write', join(data, 'planted'))
  result['other folder'] = await ask('read', join(victimHome, 'work/secret.txt'))
  result['environ of others'] = await ask('processes', `${SECRET}-victim`)
  result['words of gateway'] = await ask('processes', 'hostile-run')
  result['file of the system'] = await ask('read', '/etc/passwd')
  result['write system'] = await ask('write', '/usr/planted')
  result['loopback'] = await ask('connect', loopback)
  result['metadata'] = await ask('connect', '169.254.169.254:80')
  result['status'] = await ask('status')
  const calls = process.arch === 'x64' ? CALLS_X64() : CALLS_ARM64()
  for (const [name, words] of Object.entries(calls)) result[`call ${name}`] = await ask('call', words)
  result['data folder is whole'] = readdirSync(data).join(' ')
  const marker = `toolway-escaped-${process.pid}`
  await ask('escape', marker)
  // The shells that start it name it, too.
  await settled(() => hasEscaped(marker) && countOf(marker) === 1)
  result['escaped before'] = countOf(marker)
  await hostile.child.stop()
  await settled(() => countOf(marker) === 0)
  result['escaped after'] = countOf(marker)

  const forking = await open('forking')
  result['fork'] = await forking.ask('fork', 600)
  // Where the system has a bound, it goes on.
  const goesOn = sleep(Number(result['fork']) < LIMITS.processes ? 0 : SOON_MS, 'runs')
  result['fork end'] = await Promise.race([forking.exit.then(({ reason }) => reason), goesOn])
  await forking.child.stop()
  const filling = await open('filling')
  result['memory'] = await filling.ask('memory', 10_240)
  const writing = await open('writing')
  const workOf = (child: string) =>
    join(data, 'children', readdirSync(join(data, 'children')).find((name) => name.startsWith(child)) ?? '', 'work')
  result['one file'] = await writing.ask('file', `${join(workOf('writing'), 'large')} 10240`)
  // Another one: a file at the bound takes the whole limit of its folder.
  await writing.child.stop()
  const strewing = await open('strewing')
  result['many files'] = await strewing.ask('files', `${join(workOf('strewing'), 'many')} 600`)
} catch (thrown) {
  result['failed'] = String(thrown)
} finally {
  await children.close()
  port.close()
}
process.stdout.write(JSON.stringify(result))

/** ptrace(PTRACE_TRACEME), unshare(CLONE_NEWUSER), keyctl, bpf, io_uring_setup, userfaultfd, mount, process_vm_readv, socket(AF_VSOCK). */
function CALLS_X64() {
  return {
    ...{
      ptrace: '101,0,0,0,0',
      unshare: '272,0x10000000',
      keyctl: '250,0,-3,0,0',
      bpf: '321,0,0,0',
      io_uring: '425,1,0',
    },
    ...{ userfaultfd: '323,0', mount: '165,0,0,0,0,0', process_vm_readv: '310,1,0,0,0,0,0', vsock: '41,40,1,0' },
    ...{ clone3: '435,0,0', memfd: '319,0,0', getpid: '39' },
  }
}
function CALLS_ARM64() {
  return {
    ...{
      ptrace: '117,0,0,0,0',
      unshare: '97,0x10000000',
      keyctl: '219,0,-3,0,0',
      bpf: '280,0,0,0',
      io_uring: '425,1,0',
    },
    ...{ userfaultfd: '282,0', mount: '40,0,0,0,0,0', process_vm_readv: '270,1,0,0,0,0,0', vsock: '198,40,1,0' },
    ...{ clone3: '435,0,0', memfd: '279,0,0', getpid: '172' },
  }
}
