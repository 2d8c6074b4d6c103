/**
 * A real n8n from the npm registry, with a database, an owner and a key of its public API. It is large (2,100 packages, 2 GB), so that
 * it is installed only where `TOOLWAY_TEST_N8N` asks for it: `install`, or a folder in which it is installed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../../../../packages/gateway/src/testing/free-port.ts'
import { createTestDatabase } from '../../../../packages/gateway/src/testing/database.ts'
import { until } from '../until.ts'

const VERSION = '2.41.1'
/** Versions that the newest ranges of its packages do not find. */
const OVERRIDES = {
  linkedom: '0.18.14',
  '@langchain/core': '1.2.13',
  '@langchain/langgraph': '1.4.18',
  '@langchain/langgraph-checkpoint': '1.1.5',
  '@langchain/protocol': '0.0.19',
}
const ROOT = resolve(import.meta.dirname, '../../../..')
const wanted = process.env['TOOLWAY_TEST_N8N'] ?? ''

/** Why it does not run here; undefined where it does. */
export const NO_N8N = wanted === '' ? 'set TOOLWAY_TEST_N8N=install to install n8n (2 GB) and test with it' : undefined

/** Minutes that its installation may take. */
export const INSTALL_MS = 20 * 60_000

export interface RealN8n extends AsyncDisposable {
  readonly url: string
  /** Of its public API. */
  readonly key: string
  api(method: string, path: string, body?: object): Promise<Record<string, unknown>>
}

async function installed(): Promise<string> {
  const folder = wanted === 'install' ? join(ROOT, 'node_modules/.cache/n8n') : resolve(wanted)
  if (existsSync(join(folder, 'node_modules/n8n/bin/n8n'))) return folder
  await mkdir(folder, { recursive: true })
  const manifest = { name: 'real-n8n', private: true, overrides: OVERRIDES, dependencies: { n8n: VERSION } }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const words = ['install', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund']
  const [code] = (await once(spawn('npm', words, { cwd: folder, stdio: 'inherit' }), 'exit')) as [number]
  if (code !== 0) throw new Error(`npm could not install n8n ${VERSION} in ${folder}`)
  return folder
}

export async function startRealN8n(): Promise<RealN8n> {
  const folder = await installed()
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await createTestDatabase({ empty: true }))
  const home = await mkdtemp(join(tmpdir(), 'toolway-n8n-'))
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const port = await freePort()
  const { host, user, password = '', port: at, database: name } = database.connection
  const child = spawn(process.execPath, [join(folder, 'node_modules/n8n/bin/n8n'), 'start'], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH: process.env['PATH'], HOME: home, N8N_USER_FOLDER: home, N8N_PORT: String(port) },
      ...{ N8N_LISTEN_ADDRESS: '127.0.0.1', N8N_DIAGNOSTICS_ENABLED: 'false', N8N_RUNNERS_ENABLED: 'false' },
      ...{ N8N_VERSION_NOTIFICATIONS_ENABLED: 'false', N8N_TEMPLATES_ENABLED: 'false', N8N_SECURE_COOKIE: 'false' },
      ...{ DB_TYPE: 'postgresdb', DB_POSTGRESDB_HOST: host, DB_POSTGRESDB_PORT: String(at) },
      ...{ DB_POSTGRESDB_DATABASE: name, DB_POSTGRESDB_USER: user, DB_POSTGRESDB_PASSWORD: password },
    },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  stack.defer(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const url = `http://127.0.0.1:${port}`
  await until('n8n answers', async () => {
    if (child.exitCode !== null) throw new Error(`n8n ended: ${said.slice(-2_000)}`)
    return (await fetch(`${url}/healthz/readiness`).catch(() => undefined))?.ok === true
  })
  const key = await keyOf(url)
  const owned = stack.move()
  return {
    url,
    key,
    async api(method, path, body) {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { 'X-N8N-API-KEY': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Makes the owner, and a key with every scope that an owner may give. */
async function keyOf(url: string): Promise<string> {
  const owner = { email: 'owner@example.com', firstName: 'O', lastName: 'W', password: 'Owner-password-1' }
  const send = async (method: string, path: string, cookie: string, body?: object) => {
    const response = await fetch(`${url}/rest${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'browser-id': 'toolway', ...(cookie === '' ? {} : { cookie }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    const cookies = response.headers.getSetCookie().map((one) => one.split(';', 1)[0])
    return { cookie: cookies.join('; '), data: (JSON.parse(text) as { data: unknown }).data }
  }
  const { cookie } = await send('POST', '/owner/setup', '', owner)
  const { data: scopes } = await send('GET', '/api-keys/scopes', cookie)
  const expiresAt = Math.floor(Date.now() / 1000) + 86_400
  const { data } = await send('POST', '/api-keys', cookie, { label: 'toolway', scopes, expiresAt })
  return (data as { rawApiKey: string }).rawApiKey
}
