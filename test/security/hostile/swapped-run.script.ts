/**
 * Starts servers whose paths are replaced between the check and the mount, in a process of its own (so that it may be another user's),
 * and prints what they saw as one JSON document. Word: the folder to work in. `shared` is a folder that other servers write.
 */
import { spawn } from 'node:child_process'
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Order } from '../../../packages/gateway/src/upstreams/children/frame.ts'
import { createChildren, type Child } from '../../../packages/gateway/src/upstreams/children/worker-link.ts'
import { prepareFolders } from '../../../packages/gateway/src/upstreams/children/worker/child-folder.ts'
import { confine } from '../../../packages/gateway/src/upstreams/children/worker/confine.ts'
import { openContents } from '../../../packages/gateway/src/upstreams/children/worker/passed-files.ts'

const [folder = ''] = process.argv.slice(2)
const KEY = 'the vault key'
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const result: Record<string, unknown> = {}

async function world(name: string) {
  const at = join(folder, name)
  const shared = join(at, 'shared')
  // In a folder that a connection may allow, so that it is hidden there.
  const data = join(shared, 'product', 'data')
  await mkdir(join(data, 'children'), { recursive: true })
  await writeFile(join(data, 'vault.key'), KEY, { mode: 0o644 })
  await mkdir(join(shared, 'sub', 'inner'), { recursive: true })
  await writeFile(join(shared, 'sub', 'text'), 'own')
  await writeFile(join(shared, 'sub', 'program.sh'), 'cat "$0"', { mode: 0o755 })
  for (const path of [at, shared, join(shared, 'sub'), join(shared, 'product')]) await chmod(path, 0o777)
  return { at, shared, data, sub: join(shared, 'sub') }
}
type World = Awaited<ReturnType<typeof world>>

const orderOf = (
  { data }: World,
  name: string,
  script: string,
  allowPaths: string[],
  more: Partial<Order> = {},
): Order => ({
  ...{
    command: '/bin/sh',
    args: ['-c', script],
    programs: [],
    hidden: [],
    secretArgs: [],
    inherited: {},
    environment: {},
  },
  ...{ path: '/usr/bin:/bin', lang: 'C.UTF-8', lineLimit: 1_000_000, memoryLimit: 2 ** 30 },
  home: join(data, 'children', name),
  confinement: {
    ...{
      driver: 'bubblewrap',
      required: false,
      name,
      alias: name,
      network: 'none',
      allowHosts: [],
      allowPaths,
      hiddenPaths: [data],
    },
    ...{ processes: 200, diskLimit: 2 ** 28 },
  },
  ...more,
})

/** The output of a program, started after `between` had its turn: the worker has judged its paths by then. */
async function started(order: Order, between: () => Promise<void> = async () => undefined): Promise<string> {
  const { cwd, environment, temporary } = await prepareFolders(order)
  const judged = await confine(order, { file: order.command, cwd, environment, temporary: temporary.path }).catch(
    (thrown: unknown) => String(thrown),
  )
  if (typeof judged === 'string') return judged
  await between()
  const passed = openContents(judged.fds ?? [])
  const child = spawn(judged.file, judged.args, {
    ...{ cwd: judged.cwd, env: judged.environment },
    stdio: ['ignore', 'pipe', 'pipe', ...passed.fds],
  })
  passed.close()
  const streams = [child.stdout, child.stderr].flatMap((stream) => (stream === null ? [] : [text(stream)]))
  const words = await Promise.all(streams)
  judged.started?.()
  await temporary.remove()
  return words.join('').trim()
}

/** As another server does it that may write the folder above. */
async function swap(path: string, target: string): Promise<void> {
  await rename(path, `${path}.aside`)
  await symlink(target, path)
}

try {
  const plain = await world('plain')
  const read = `cat ${plain.sub}/text ${plain.sub}/vault.key`
  result['untouched'] = await started(orderOf(plain, 'victim', `cat ${plain.sub}/text`, [plain.sub]))
  result['replaced by a link'] = await started(orderOf(plain, 'victim', read, [plain.sub]), () =>
    swap(plain.sub, plain.data),
  )

  const renamed = await world('renamed')
  result['replaced by a folder'] = await started(
    orderOf(renamed, 'victim', `cat ${renamed.sub}/vault.key`, [renamed.sub]),
    async () => {
      await rename(renamed.sub, `${renamed.sub}.aside`)
      await mkdir(renamed.sub)
      await writeFile(join(renamed.sub, 'vault.key'), KEY)
    },
  )

  const program = await world('program')
  const script = join(program.sub, 'program.sh')
  const packaged = orderOf(program, 'victim', '', [], { args: [script] })
  result['program'] = await started(packaged)
  result['folder of the program replaced'] = await started(
    orderOf(program, 'victim', '', [], {
      args: ['-c', `cat ${program.sub}/vault.key`, script],
      environment: { PATH: `${program.sub}:/usr/bin:/bin` },
    }),
    () => swap(program.sub, program.data),
  )

  const nested = await world('nested')
  const both = [nested.shared, `${nested.sub}:ro`]
  const touch = `cat ${nested.sub}/text; echo > ${nested.sub}/new || echo refused; echo > ${nested.shared}/new && echo written`
  result['one allowed path in another'] = await started(orderOf(nested, 'victim', touch, both))
  result['nested and replaced'] = await started(
    orderOf(nested, 'victim', `cat ${nested.shared}/*/vault.key ${nested.shared}/*/*/vault.key`, both),
    () => swap(nested.sub, nested.data),
  )

  const moving = await world('moving')
  const product = join(moving.shared, 'product')
  result['renames what is above the data folder'] = await started(
    orderOf(
      moving,
      'hostile',
      `mv ${product} ${moving.shared}/other; mv ${moving.data} ${product}/other; ls ${moving.shared}`,
      [moving.shared],
    ),
  )
  // By a program that is not confined.
  await rename(product, join(moving.shared, 'other')).catch(() => undefined)
  await mkdir(join(moving.data, 'children'), { recursive: true })
  await chmod(product, 0o777)
  result['data folder was moved'] = await started(
    orderOf(moving, 'victim', `ls ${moving.shared}; cat ${moving.shared}/other/data/vault.key`, [moving.shared]),
  )

  const open = await world('open')
  result['descriptors'] = await started(
    orderOf(open, 'hostile', 'for fd in /proc/self/fd/*; do readlink $fd; done', [open.sub, `${open.shared}:ro`]),
  )
  result['writes by a descriptor'] = await started(
    orderOf(open, 'hostile', 'for fd in 3 4 5 6 7 8 9; do echo > /proc/self/fd/$fd/planted && echo planted; done', [
      `${open.sub}:ro`,
    ]),
  )

  const raced = await world('raced')
  result['race'] = await race(raced, [raced.sub], `cat ${raced.sub}/text ${raced.sub}/vault.key`)
  const again = await world('again')
  const anywhere = `cat ${again.sub}/text ${again.shared}/*/vault.key ${again.shared}/*/*/vault.key`
  result['race in a folder'] = await race(again, [again.shared, `${again.sub}:ro`], anywhere)
} catch (thrown) {
  result['failed'] = thrown instanceof Error ? thrown.stack : String(thrown)
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.stdout.write(JSON.stringify(result))

/** A server that may write the folder above swaps in a loop while another one is started again and again, by a worker. */
async function race({ shared, sub, data }: World, allowPaths: string[], script: string) {
  const children = createChildren({
    ...{ log: quiet, home: join(data, 'children'), path: '/usr/bin:/bin' },
    sandbox: { policy: 'preferred', driver: 'bubblewrap', hiddenPaths: [data], processes: 200, diskLimit: 2 ** 28 },
  })
  const SWAP = `const fs = require('fs'); const [sub, data] = process.argv.slice(1)
    const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 12)
    console.log('swapping')
    for (;;) {
      try { fs.renameSync(sub, sub + '.aside'); fs.symlinkSync(data, sub); pause(); fs.unlinkSync(sub) } catch {}
      try { fs.renameSync(sub + '.aside', sub); pause() } catch {}
    }`
  try {
    const hostile = await children.start({
      ...{ name: 'hostile', command: process.execPath, args: ['-e', SWAP, sub, data], environment: {} },
      ...{ allowPaths: [shared], network: 'none' },
    })
    await new Promise<void>((tell) => hostile.onLine(() => tell()))
    const counts = { own: 0, key: 0, refused: 0 }
    for (let tries = 0; tries < 40; tries++) {
      const args = ['-c', `${script} 2>/dev/null; echo`]
      const launch = { name: 'victim', command: 'sh', args, environment: {}, network: 'none' as const, allowPaths }
      const said = await children.start(launch).then(allOf, String)
      counts[said.includes(KEY) ? 'key' : said.includes('own') ? 'own' : 'refused'] += 1
    }
    return counts
  } finally {
    await children.close()
  }
}

function allOf(child: Child): Promise<string> {
  const lines: string[] = []
  child.onLine((line) => void lines.push(line))
  return new Promise((tell) => child.onExit(({ stderr }) => tell([...lines, ...stderr].join('\n'))))
}
