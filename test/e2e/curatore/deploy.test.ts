/** The Compose service: what it says, and that a process with its command and its settings is the gateway that it promises. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'
import { describeWithRedis, startTestRedis } from '../../../packages/gateway/src/testing/redis.ts'
import { startContractBackend } from '../peers/contract-backend/backend.ts'
import { until } from '../peers/until.ts'
import { BACKEND_KEY, KEY, linesOf, ORG } from './curatore.ts'

const ROOT = join(import.meta.dirname, '../../..')
const FOLDER = join(ROOT, 'deploy/curatore')

interface Service {
  readonly container_name?: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly depends_on?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
}
const read = (name: string) => readFile(join(FOLDER, name), 'utf8')
const services = async () => (parse(await read('compose.yaml')) as { services: Record<string, Service> }).services

/** As Compose fills `${NAME}`, `${NAME:-otherwise}` and `${NAME:?message}`. */
const filled = (text: string, given: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, how: string | undefined, otherwise: string) => {
    const value = given[name] ?? ''
    if (value !== '') return value
    if (how === '?') throw new Error(`${name}: ${otherwise}`)
    return how === '-' ? otherwise : ''
  })

/** The command of the image, as a list. */
async function commandOf(): Promise<string[]> {
  const line = (await read('Dockerfile')).split('\n').find((one) => one.startsWith('ENTRYPOINT '))
  return JSON.parse(line?.slice('ENTRYPOINT '.length) ?? '[]') as string[]
}

describe('the Compose service', () => {
  test('S1-DEP-01: is a container of its own beside the backend, with what the seed gives it and no database', async () => {
    const { mcp, ...others } = await services()
    expect(mcp).toMatchObject({
      container_name: 'curatore-mcp',
      build: { context: './mcp', dockerfile: 'deploy/curatore/Dockerfile' },
      depends_on: ['backend', 'redis'],
      ports: ['8020:8020'],
      environment: {
        CURATORE_BACKEND_URL: 'http://backend:8000',
        REDIS_URL: 'redis://redis:6379/2',
        MCP_API_KEY: expect.stringContaining('${MCP_API_KEY:?') as string,
        DEFAULT_ORG_ID: expect.stringContaining('${DEFAULT_ORG_ID:?') as string,
      },
    })
    expect(Object.keys(others)).toEqual(['backend', 'redis'])
    expect((await read('compose.yaml')) + (await read('Dockerfile'))).not.toMatch(/postgres|DATABASE_URL/i)
    // Without them there is no container that is open to all.
    expect(() => filled(mcp?.environment?.['MCP_API_KEY'] ?? '', {})).toThrow('MCP_API_KEY: set it')
  })

  test('builds from files that there are, and runs a file that there is', async () => {
    const copied = [...(await read('Dockerfile')).matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, from = '']) =>
      from.split(' '),
    )
    expect(copied).toEqual(['package.json', 'package-lock.json', 'packages', 'tools/runtime'])
    const [node, main = '', ...words] = await commandOf()
    expect([node, ...words]).toEqual(['node', 'start', '--preset', 'curatore'])
    await expect(readFile(join(ROOT, main), 'utf8')).resolves.toContain("import('./cli/program.ts')")
  })
})

describeWithRedis('its process', () => {
  test('S1-ARC-01, S1-DEP-01, without a container engine: a process with the settings of the service starts beside the backend and Redis alone, and answers', async () => {
    await using redis = await startTestRedis()
    await using backend = await startContractBackend({ key: BACKEND_KEY })
    const { mcp } = await services()
    const given = { MCP_API_KEY: KEY, DEFAULT_ORG_ID: ORG, BACKEND_API_KEY: BACKEND_KEY }
    const environment = Object.fromEntries(
      Object.entries(mcp?.environment ?? {}).map(([name, value]) => [name, filled(value, given)]),
    )
    // The names of the network are this machine's here; all else is as the service says it.
    const port = await freePort()
    const settings = {
      ...environment,
      CURATORE_BACKEND_URL: backend.url,
      REDIS_URL: `${redis.url}/2`,
      HOST: '127.0.0.1',
      PORT: String(port),
      PATH: process.env['PATH'] ?? '',
    }
    const folder = await mkdtemp(join(tmpdir(), 'toolway-deploy-'))
    const [, main = '', ...words] = await commandOf()
    const child = spawn(process.execPath, [join(ROOT, main), ...words], { cwd: folder, env: settings, stdio: 'pipe' })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    try {
      await until('it is ready', () => out.includes('Toolway is ready'))
      const ready = (await (await fetch(`http://127.0.0.1:${port}/health/ready`)).json()) as Record<string, unknown>
      expect(ready).toMatchObject({ status: 'ready', checks: { store: 'in memory: single instance', limits: 'redis' } })
      const ask = (path: string, headers: Record<string, string> = {}) =>
        fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${KEY}`, ...headers } })
      expect(((await (await ask('/rest/tools')).json()) as { tools: unknown[] }).tools).toHaveLength(14)
      await until('the log says so', () => linesOf(err).some(({ message }) => message === 'listening'))
      expect(err).not.toContain(KEY)
    } finally {
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      await closed
      await rm(folder, { recursive: true, force: true })
    }
    expect(child.exitCode).toBe(0)
  })
})
