/**
 * The usual servers, each through a gateway with the default sandbox. `TEST_USUAL_SERVERS=install` fetches them, once, into the folder of
 * TEST_USUAL_SERVERS_FOLDER or one that is removed afterwards; without the variable this says so and proves nothing.
 */
// @module-tag long
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isPathHint } from '@toolway/contract'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { callTool, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { toolNames } from '../e2e/peers/open-gateway.ts'
import { startRegistryMirror, type RegistryMirror } from './registry-mirror.ts'
import { USUAL_SERVERS, type Places, type UsualServer } from './usual-servers.ts'

const Nothing = z.object({})
const wanted = process.env['TEST_USUAL_SERVERS'] === 'install'
if (!wanted) console.warn('TEST_USUAL_SERVERS=install is not set: the usual servers are not tried here.')
const only = new RegExp(process.env['TEST_USUAL_SERVERS_ONLY'] ?? '')
const servers = USUAL_SERVERS.filter(({ program }) => only.test(program))
const UV = 'uv==0.13.9'

const BROWSER = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((file) => existsSync(file))

describe.runIf(wanted)('a usual server, in the default sandbox', () => {
  const parts = new AsyncDisposableStack()
  const rows: string[] = []
  let mirror: RegistryMirror
  let at: Places & { path: string }
  beforeAll(async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolway-usual-')))
    parts.defer(() => rm(folder, { recursive: true, force: true }))
    const kept = process.env['TEST_USUAL_SERVERS_FOLDER'] ?? join(folder, 'kept')
    mirror = parts.use(await startRegistryMirror(join(kept, 'registry')))
    const uv = join(kept, 'uv')
    if (!existsSync(join(uv, 'bin/uvx'))) {
      execFileSync('python3', ['-m', 'venv', uv])
      execFileSync(join(uv, 'bin/pip'), ['install', '--quiet', UV])
    }
    const bin = join(kept, 'go')
    for (const { program } of servers.filter(({ by }) => by === 'go'))
      if (!existsSync(join(bin, nameOf(program))))
        execFileSync('go', ['install', program], { env: { ...process.env, GOBIN: bin, CGO_ENABLED: '0' } })
    const shared = join(folder, 'shared')
    await mkdir(join(shared, 'repository'), { recursive: true })
    await writeFile(join(shared, 'poem.txt'), 'A line about rivers.\n')
    await writeFile(join(shared, 'kubeconfig'), JSON.stringify(KUBECONFIG))
    makeRepository(join(shared, 'repository'))
    await chmod(shared, 0o777)
    at = { folder: shared, browser: BROWSER ?? '', ownPort: 0, path: [join(uv, 'bin'), bin].join(delimiter) }
  })
  afterAll(async () => {
    await mkdir('.reports', { recursive: true })
    await writeFile('.reports/usual-servers.md', `${[...HEAD, ...rows].join('\n')}\n`)
    await parts.disposeAsync()
  })

  const gatewayWith = (server: UsualServer): Promise<TestGateway> =>
    startTestGateway({
      settings: {
        TOOLWAY_NPM_REGISTRY: mirror.npm,
        TOOLWAY_PYTHON_INDEX: mirror.python,
        TOOLWAY_SANDBOX: 'required',
        PATH: [process.env['PATH'], at.path].join(delimiter),
      },
      connections: [{ alias: 'one', timeout: 120, wire: wireOf(server, at) }],
    })

  test.each(servers)('$program starts and lists its tools, and its calls work', async (server) => {
    await using gateway = await gatewayWith(server)
    const { status, reason, tools } = await fetched(gateway, server.lacks)
    const { program, needs, lacks, folder, calls = [] } = server
    const works =
      lacks === undefined
        ? `${tools} tools${calls.length === 0 ? '' : `; ${calls.map(({ tool }) => tool).join(', ')}`}`
        : 'starts; no list without that network'
    rows.push(`| ${program} | ${server.by} | ${needs} | ${folder === undefined ? 'none' : 'a folder'} | ${works} |`)
    if (lacks !== undefined) return expect(reason).toMatch(lacks)
    // While it works, these hints may only be about hosts that it does without.
    expect({ status, lacksPath: isPathHint(reason ?? '') }, reason ?? '').toEqual({
      status: 'connected',
      lacksPath: false,
    })
    expect(tools).toBeGreaterThan(0)
    const url = gateway.connectionUrl('one')
    const peer: RawPeer = { url, key: gateway.key, era: 'modern' }
    const names = await toolNames(gateway, url)
    for (const { tool, given, says, refused = false } of calls) {
      expect(names).toContain(tool)
      const { answer } = await callTool(peer, tool, given({ ...at, ownPort: Number(new URL(gateway.address).port) }))
      const text = (answer.result?.content ?? []).map((one) => one.text).join('\n')
      expect(answer.error, tool).toBeUndefined()
      expect(text, tool).toMatch(says)
      expect(answer.result?.isError ?? false, `${tool}: ${text}`).toBe(refused)
    }
  })

  test.each(servers.filter(({ folder, args }) => folder === true && args !== undefined))(
    '$program without its folder is told which path to allow',
    async ({ folder: _, ...server }) => {
      await using gateway = await gatewayWith(server)
      const { reason } = await fetched(gateway, server.lacks)
      expect(reason).toContain(`toolway connection allow one --allow-path ${at.folder}`)
    },
  )

  test('uvx starts what it fetched without a network afterwards', async () => {
    const server = USUAL_SERVERS.find(({ program }) => program.startsWith('mcp-server-time@')) as UsualServer
    await using gateway = await gatewayWith(server)
    expect(await gateway.settled('one')).toMatchObject({ status: 'connected' })
    const before = mirror.asked.length
    await gateway.restart(() =>
      gateway.db.system((sql) => sql(Nothing)`update connections set settings = settings || '{"network":"none"}'`),
    )
    const peer: RawPeer = { url: gateway.connectionUrl('one'), key: gateway.key, era: 'modern' }
    const { answer } = await callTool(peer, 'get_current_time', { timezone: 'Europe/Paris' })
    expect(answer.result?.content?.[0]?.text).toMatch(/Europe\/Paris/)
    expect(mirror.asked.length).toBe(before)
  })
})

const HEAD = ['| server | by | needs the network of | needs paths | works |', '|---|---|---|---|---|']

/** A first start may take longer than a start may: what was fetched by then is there at the next one. */
async function fetched(gateway: TestGateway, lacks: RegExp | undefined) {
  const isLate = (reason: string | null) =>
    /did not respond within/.test(reason ?? '') && lacks?.test(reason ?? '') !== true
  for (let tries = 0; ; tries++) {
    const found = await gateway.settled('one')
    if (tries === 2 || !isLate(found.reason)) return found
    await gateway.restart(() => gateway.db.system((sql) => sql(Nothing)`update connections set status = 'new'`))
  }
}

/** What `go install` calls a program: the last part of its path. */
const nameOf = (program: string): string => /([^/]+)@/.exec(program)?.[1] ?? program

function wireOf({ program, by, before = [], args, environment, folder }: UsualServer, at: Places) {
  const own = args?.(at) ?? []
  const start =
    by === 'go'
      ? { command: nameOf(program), args: own }
      : { command: by, args: [...(by === 'npx' ? ['-y'] : []), ...before, program, ...own] }
  return {
    kind: 'process' as const,
    ...start,
    environment: environment?.(at) ?? {},
    ...(folder === undefined ? {} : { access: { allow_paths: [at.folder] } }),
  }
}

const KUBECONFIG = {
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'one' },
  clusters: [{ name: 'one', cluster: { server: 'https://kubernetes.example' } }],
  contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
  users: [{ name: 'one', user: {} }],
}

function makeRepository(folder: string): void {
  const git = (...words: string[]) => execFileSync('git', ['-C', folder, ...words])
  git('init', '--quiet', '--initial-branch=main')
  git(
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.com',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'first commit',
  )
}
