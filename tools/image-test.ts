/**
 * `npm run image:test` builds deploy/image/Dockerfile and tries the image: size, user, layers, a read-only root file system, health,
 * a first call, a restart on the volume. It needs root, podman and debootstrap, and no registry of images: the bases are made of
 * Debian's packages and of the npm and Node of this checkout. Words: `--base NAME` and `--build-base NAME` use images that are
 * there instead. All that it makes is in one folder (TOOLWAY_IMAGE_WORK, else a temporary one that it removes).
 */
import { spawnSync } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const root = resolve(import.meta.dirname, '..')
/** Bytes; the requirement is 250 MB. */
const MOST = 250e6
const USER = 10001
const START_SECONDS = 120

const { values: words } = parseArgs({ options: { base: { type: 'string' }, 'build-base': { type: 'string' } } })
const given = process.env['TOOLWAY_IMAGE_WORK']
const work = given ?? (await mkdtemp(join(tmpdir(), 'toolway-image-')))
const IMAGE = 'localhost/toolway:test'
const NAME = `toolway-test-${process.pid}`
const results: { what: string; good: boolean }[] = []

/** Runs a program to its end; its output. */
function run(file: string, args: readonly string[], { may = false, input = '' } = {}): { code: number; out: string } {
  const { status, stdout, stderr } = spawnSync(file, args, { input, encoding: 'utf8', maxBuffer: 1 << 28 })
  const code = status ?? 1
  if (code !== 0 && !may)
    throw new Error(`${file} ${args.join(' ')} ended with ${code}:\n${stderr ?? ''}`.slice(0, 4_000))
  return { code, out: stdout ?? '' }
}
const podman = (args: readonly string[], options = {}) =>
  run('podman', ['--root', join(work, 'store'), '--storage-driver', 'vfs', ...runtime, ...args], options)
/** crun of Debian 12 refuses cgroups of both versions at once; runc takes them. */
const runtime = run('sh', ['-c', 'command -v runc'], { may: true }).code === 0 ? ['--runtime', 'runc'] : []

function check(what: string, good: boolean, said = ''): void {
  results.push({ what, good })
  console.log(`${good ? 'ok ' : 'BAD'} ${what}${said === '' ? '' : `: ${said}`}`)
}

/** A root file system as an image of that name. */
function importRoot(folder: string, name: string, changes: readonly string[] = []): string {
  const file = join(work, 'root.tar')
  run('tar', ['-C', folder, '-cf', file, '.'])
  podman(['import', ...changes.flatMap((change) => ['--change', change]), file, name])
  return name
}

/** Debian's packages as a base, and a second one with this checkout's Node and the machine's npm. */
async function makeBases(): Promise<{ base: string; build: string }> {
  const folder = join(work, 'debian')
  console.log('Making the bases of Debian packages.')
  run('debootstrap', ['--variant=minbase', 'bookworm', folder])
  const base = importRoot(folder, 'localhost/debian:test')
  const local = join(folder, 'usr/local')
  await mkdir(join(local, 'lib/node_modules'), { recursive: true })
  await cp(await realpath(process.execPath), join(local, 'bin/node'))
  const npm = dirname(dirname(await realpath(run('sh', ['-c', 'command -v npm']).out.trim())))
  await cp(npm, join(local, 'lib/node_modules/npm'), { recursive: true, dereference: true })
  for (const name of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name))
  const authority = process.env['NODE_EXTRA_CA_CERTS']
  if (authority === undefined) return { base, build: importRoot(folder, 'localhost/node:test') }
  await cp(await realpath(authority), join(folder, 'etc/authority.pem'))
  return { base, build: importRoot(folder, 'localhost/node:test', ['ENV NODE_EXTRA_CA_CERTS=/etc/authority.pem']) }
}

async function build(): Promise<void> {
  const made = words.base === undefined ? await makeBases() : { base: words.base, build: words['build-base'] ?? '' }
  console.log('Building the image.')
  const rc = run('npm', ['config', 'get', 'userconfig']).out.trim()
  const secret = run('test', ['-e', rc], { may: true }).code === 0 ? ['--secret', `id=npmrc,src=${rc}`] : []
  const arguments_ = ['--build-arg', `BASE=${made.base}`, '--build-arg', `BUILD_BASE=${made.build}`, ...secret]
  const where = ['--file', join(root, 'deploy/image/Dockerfile'), '--tag', IMAGE, root]
  podman(['build', '--format', 'docker', '--network', 'host', '--isolation', 'chroot', ...arguments_, ...where])
}

function look(): void {
  const [image] = JSON.parse(podman(['image', 'inspect', IMAGE]).out) as {
    Size: number
    /** Beside `Config`, where Docker has it inside. */
    Healthcheck?: { Test: string[] }
    Config: { User: string; Volumes?: object; Env: string[] }
  }[]
  if (image === undefined) throw new Error('There is no image.')
  check(`at most ${MOST / 1e6} MB`, image.Size <= MOST, `${(image.Size / 1e6).toFixed(1)} MB`)
  check('runs as an unprivileged user', image.Config.User === `${USER}:${USER}`, image.Config.User)
  check('has a health check', image.Healthcheck?.Test[0] === 'CMD')
  check('has its data on a volume', Object.keys(image.Config.Volumes ?? {}).includes('/var/lib/toolway'))
  const tree = join(work, 'tree')
  podman(['save', '--format', 'docker-dir', '--output', tree, IMAGE])
  const list = run('sh', ['-c', `for layer in "${tree}"/*; do tar -tf "$layer" 2>/dev/null || true; done`]).out
  const secret = /(?:^|\/)(?:\.npmrc|\.env|vault\.key|[^/]*\.token|authority\.pem)$|run\/secrets\//m.exec(list)
  const listed = ['var/lib/dpkg/status.d/libc6', 'opt/toolway/node_modules/toolway/package.json']
  check(
    'lists its packages where scanners look',
    listed.every((file) => list.includes(file)),
  )
  check('no layer has a secret', list.includes('usr/local/bin/node') && secret === null, secret?.[0])
  const settings = image.Config.Env.filter((line) => /KEY|SECRET|PASSWORD|TOKEN|REGISTRY/.test(line))
  check('no setting has a secret', settings.length === 0, settings.join(' '))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

/** Whether the health check passes within the time that a start may take. */
async function healthy(): Promise<boolean> {
  for (let second = 0; second < START_SECONDS; second += 1) {
    const { code } = podman(['exec', NAME, 'node', '/usr/local/lib/toolway/health.mjs'], { may: true })
    if (code === 0) return true
    await pause(1_000)
  }
  return false
}

const call = (expression: string) =>
  podman(['exec', NAME, 'toolway', 'call', 'demo__calculate', JSON.stringify({ expression })], { may: true }).out.trim()

/** Whether a call is answered so within the time of a start: the tools of a connection come a moment after the gateway is ready. */
async function answers(expression: string, answer: string): Promise<boolean> {
  for (let second = 0; second < START_SECONDS; second += 1) {
    if (call(expression) === answer) return true
    await pause(1_000)
  }
  return false
}

/** A stdio server of one tool: what it may do, as the kernel says it of the process. */
const SERVER = `
const tool = { name: 'status', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'probe', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => ({ content: [{ type: 'text', text: require('fs').readFileSync('/proc/self/status', 'utf8') }] }),
}
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const told = answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: 'unknown' } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...told }))
})
`

/** A stdio server that is started in the container: it answers, and it is confined by a driver that works there. */
async function useServer(): Promise<void> {
  const toolway = (...words: string[]) => podman(['exec', NAME, 'toolway', ...words], { may: true }).out
  const said = /sandbox.*/.exec(toolway('doctor'))?.[0] ?? 'doctor says nothing of it'
  check(
    'has a driver that confines stdio servers',
    said.startsWith('sandbox: ') && !said.startsWith('sandbox: none'),
    said,
  )
  toolway('connection', 'add', 'probe', '--allow-path', '/srv:ro', '--', 'node', '/srv/probe.js')
  toolway('lock', 'trust', 'probe')
  let status = ''
  for (let second = 0; second < START_SECONDS && !status.includes('NoNewPrivs'); second += 1) {
    status = toolway('call', 'probe__status')
    await pause(1_000)
  }
  const confined = /CapEff:\s+0+\b/.test(status) && /NoNewPrivs:\s+1/.test(status)
  check('starts a stdio server without capabilities and new privileges', confined)
}

async function use(): Promise<void> {
  const volume = join(work, 'volume')
  await mkdir(volume, { recursive: true })
  await chown(volume, USER, USER)
  await chmod(volume, 0o700)
  const servers = join(work, 'servers')
  await mkdir(servers, { recursive: true })
  await writeFile(join(servers, 'probe.js'), SERVER)
  const confined = [
    '--read-only',
    '--read-only-tmpfs=false',
    '--tmpfs',
    '/tmp',
    '--cap-drop',
    'all',
    '--security-opt',
    'no-new-privileges',
  ]
  const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096', '--health-interval=disable']
  const place = ['--network', 'host', '--env', `TOOLWAY_PORT=${await freePort()}`, '--env', 'TOOLWAY_HOST=127.0.0.1']
  podman([
    'run',
    '--detach',
    '--name',
    NAME,
    ...confined,
    ...limits,
    ...place,
    '--volume',
    `${volume}:/var/lib/toolway`,
    '--volume',
    `${servers}:/srv:ro`,
    IMAGE,
  ])
  try {
    check('is healthy with a read-only root file system and no capability', await healthy())
    check('passes its own health check', podman(['healthcheck', 'run', NAME], { may: true }).code === 0)
    check('answers a first call', await answers('6*7', '6*7 = 42'))
    const id = podman(['exec', NAME, 'sh', '-c', 'id -u; touch /probe 2>&1; npx --version']).out
    check('runs as 10001 and cannot write to its root', id.startsWith(`${USER}\n`) && id.includes('Read-only'))
    await useServer()
    podman(['stop', '--time', '60', NAME])
    const code = podman(['inspect', NAME, '--format', '{{.State.ExitCode}}']).out.trim()
    check('ends with 0 when it is stopped', code === '0', code)
    podman(['start', NAME])
    check('is healthy again on its volume', await healthy())
    check('knows its key and its calls', await answers('6*8', '6*8 = 48'))
    const records = podman(['exec', NAME, 'toolway', 'records', 'list', '--json'], { may: true }).out
    check('has the records of before', records.split('demo__calculate').length > 2)
  } finally {
    podman(['rm', '--force', '--time', '20', NAME], { may: true })
  }
}

try {
  await build()
  look()
  await use()
} finally {
  if (given === undefined) await rm(work, { recursive: true, force: true })
}
const good = results.filter((one) => one.good).length
console.log(`${good} passed, ${results.length - good} failed`)
process.exitCode = good === results.length ? 0 : 1
