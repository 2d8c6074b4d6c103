/**
 * The Compose files: the specification's own loader accepts them, what they start is confined, and the balancer of the file with two
 * frontends and three backends leads each path to the role that serves it.
 */
// @module-tag long
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'
import { findCounterpart } from '../../tools/counterparts.ts'
import { until } from '../e2e/peers/until.ts'

const FOLDER = join(import.meta.dirname, '../../deploy/compose')
const read = (name: string) => readFile(join(FOLDER, name), 'utf8')

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly (string | { readonly source: string })[]
  readonly volumes?: readonly (string | { readonly source?: string; readonly target: string })[]
  readonly ports?: readonly unknown[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
}
interface Project {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file?: string }>>
}

const LOADER = findCounterpart('compose')
if (LOADER === undefined)
  console.warn('compose.test.ts runs without the loader: `npm run counterparts -- compose` builds it.')

/** Where two files are merged, the loader writes the environment as a list of `NAME=value`. */
const environmentOf = ({ environment = {} }: { environment?: unknown }) => ({
  environment: (Array.isArray(environment)
    ? Object.fromEntries(
        (environment as string[]).map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
      )
    : environment) as Record<string, string>,
})

/** The files as Compose merges them; by the loader of the specification where it was built. */
async function load(...names: string[]): Promise<Project> {
  if (LOADER !== undefined) {
    const run = await promisify(execFile)(LOADER, ['-format', 'json', ...names], { cwd: FOLDER })
    const { services, secrets } = JSON.parse(run.stdout) as Project
    const told = Object.entries(services).map(([name, service]) => [name, { ...service, ...environmentOf(service) }])
    return { services: Object.fromEntries(told) as Project['services'], secrets }
  }
  const options = { merge: true, logLevel: 'silent' } as const
  const parts = await Promise.all(names.map(async (name) => parse(await read(name), options) as Project))
  const services: Record<string, Service> = {}
  for (const part of parts)
    for (const [name, service] of Object.entries(part.services))
      services[name] = {
        ...services[name],
        ...service,
        environment: { ...services[name]?.environment, ...service.environment },
      }
  return { services, secrets: Object.assign({}, ...parts.map(({ secrets }) => secrets)) as Project['secrets'] }
}

const rolesOf = ({ services }: Project, role: string) =>
  Object.keys(services).filter((name) => services[name]?.environment?.['TOOLWAY_ROLES'] === role)

describe.each([[['compose.yaml']], [['compose.yaml', 'roles.yaml']]])('%j', (names) => {
  test('starts nothing that may write to its root file system, has capabilities or gains privileges', async () => {
    const { services } = await load(...names)
    for (const [name, service] of Object.entries(services))
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
  })

  test('gives secrets as files and publishes the way in alone', async () => {
    const project = await load(...names)
    for (const [name, { environment = {} }] of Object.entries(project.services)) {
      const secret = Object.entries(environment).filter(([key]) => /PASSWORD|SECRET|KEY|URL/.test(key))
      const open = secret.filter(([key]) => !key.endsWith('_FILE') && key !== 'TOOLWAY_PUBLIC_URL')
      expect(open, name).toEqual([])
      for (const [, file] of secret.filter(([key]) => key.endsWith('_FILE'))) expect(file).toMatch(/^\/run\/secrets\//)
    }
    expect(Object.values(project.secrets).every(({ file }) => file?.includes('secrets/') === true)).toBe(true)
    const made = await read('make-secrets.sh')
    for (const name of Object.keys(project.secrets)) expect(made).toContain(`keep ${name} `)
    const published = Object.entries(project.services).filter(([, { ports }]) => (ports ?? []).length > 0)
    expect(published).toHaveLength(1)
  })
})

test('roles.yaml starts two frontends and three backends, each with a volume of its own', async () => {
  const project = await load('compose.yaml', 'roles.yaml')
  expect(rolesOf(project, 'web')).toEqual(['frontend-1', 'frontend-2'])
  expect(rolesOf(project, 'api,mcp').sort()).toEqual(['backend-2', 'backend-3', 'toolway'])
  const gateways = [...rolesOf(project, 'web'), ...rolesOf(project, 'api,mcp')]
  const volumes = gateways.map((name) => JSON.stringify(project.services[name]?.volumes))
  expect(new Set(volumes).size).toBe(5)
  const balancer = await read('balancer.conf')
  for (const name of gateways) expect(balancer).toContain(`server ${name}:8787;`)
})

test('make-secrets.sh makes each secret once, in a closed folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-secrets-'))
  const script = join(folder, 'make-secrets.sh')
  await writeFile(script, await read('make-secrets.sh'))
  const make = () => promisify(execFile)('sh', [script])
  await make()
  const url = await readFile(join(folder, 'secrets/database-url'), 'utf8')
  expect(url).toMatch(/^postgres:\/\/toolway:[0-9a-f]{64}@postgres:5432\/toolway$/)
  await make()
  expect(await readFile(join(folder, 'secrets/database-url'), 'utf8')).toBe(url)
  await rm(folder, { recursive: true })
})

/** Paths of each role, as the guide to several gateways lists them. */
const PATHS = {
  frontends: ['/', '/o/acme/connections', '/sign-in', '/assets/a.js'],
  backends: [
    ...[
      '/api/v1/openapi.json',
      '/authorize',
      '/token',
      '/register',
      '/revoke',
      '/consent',
      '/connect/x',
      '/approvals/x',
    ],
    ...[
      '/.well-known/oauth-authorization-server',
      '/files/u/x',
      '/files/d/x',
      '/mcp',
      '/o/acme/t/main/mcp',
      '/list/apps',
    ],
    ...['/execute/x', '/namespaces', '/tools/sync/version', '/platform/x', '/rest/tools', '/health/ready'],
  ],
} as const

/** A server that says which group it belongs to. */
async function openGroup(name: string) {
  const server = createServer((_, response) => response.end(name)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: async () => void server.close() }
}

const nginx = spawnSync('nginx', ['-v']).status === 0
if (!nginx) console.warn('compose.test.ts runs without nginx: the paths of the balancer are not tried here.')

test.runIf(nginx)('the balancer leads each path to the role that serves it', async () => {
  await using frontends = await openGroup('frontends')
  await using backends = await openGroup('backends')
  const [folder, port] = [await mkdtemp(join(tmpdir(), 'toolway-balancer-')), await freePort()]
  const conf = (await read('balancer.conf'))
    .replaceAll(/server frontend-\d:8787/g, `server 127.0.0.1:${frontends.port}`)
    .replaceAll(/server (?:toolway|backend-\d):8787/g, `server 127.0.0.1:${backends.port}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const whole = [
    'daemon off;',
    `pid ${folder}/pid;`,
    'error_log stderr;',
    'events {}',
    'http {',
    ...paths,
    'access_log off;',
    conf,
    '}',
  ]
  await writeFile(join(folder, 'nginx.conf'), whole.join('\n'))
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], { stdio: 'ignore' })
  try {
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    await until('nginx answers', () =>
      ask('/').then(
        () => true,
        () => false,
      ),
    )
    for (const [group, list] of Object.entries(PATHS))
      for (const path of list) expect(await ask(path), path).toBe(group)
  } finally {
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    await closed
    await rm(folder, { recursive: true })
  }
})
