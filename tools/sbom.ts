/**
 * `npm run sbom` writes software bills of materials (CycloneDX 1.5), one for each published package: everything that its bundle was
 * made of or that it brings, with versions, licences and hashes, by the lock file alone. They go to .reports/sbom, or to the folder
 * that is named. (`npm sbom` leaves out what a workspace shares with the development dependencies of the root.)
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
/** By published name: the folders that it is made of. The console is bundled into the gateway's package, and the pinned Node comes along. */
const PACKAGES = {
  toolway: ['packages/gateway', 'packages/console', 'packages/bridge', 'packages/uru-mcp', 'tools/runtime'],
  'toolway-bridge': ['packages/bridge'],
  'toolway-toolkit': ['packages/toolkit'],
  'uru-mcp': ['packages/uru-mcp'],
}

interface Locked {
  readonly name?: string
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly license?: string
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
type Lock = Readonly<Record<string, Locked>>

/** The place in the lock file that `name` leads to from `place`, as Node looks it up; undefined for what is not installed. */
function placeOf(lock: Lock, place: string, name: string): string | undefined {
  for (let folder = place; ; folder = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '') {
    const found = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    const locked = lock[found]
    if (locked !== undefined) return locked.link === true ? locked.resolved : found
    if (folder === '') return undefined
  }
}

/** All places that are reached from the given ones by dependencies that a run has. */
function reach(lock: Lock, from: readonly string[]): string[] {
  const reached = new Set(from)
  for (const place of reached) {
    const { dependencies = {}, optionalDependencies = {} } = lock[place] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const next = placeOf(lock, place, name)
      if (next !== undefined) reached.add(next)
    }
  }
  return [...reached].filter((place) => place.includes('node_modules/')).sort()
}

function componentOf(place: string, { name, version = '', license, integrity, resolved }: Locked) {
  const called = name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const purl = `pkg:npm/${called.replace(/^@/, '%40')}@${version}`
  const hash =
    integrity?.startsWith('sha512-') === true ? Buffer.from(integrity.slice(7), 'base64').toString('hex') : undefined
  return {
    ...{ type: 'library', 'bom-ref': `${purl}#${place}`, name: called, version, purl },
    ...(license === undefined
      ? {}
      : { licenses: [/[ (]/.test(license) ? { expression: license } : { license: { id: license } }] }),
    ...(hash === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: hash }] }),
    ...(resolved === undefined
      ? {}
      : { externalReferences: [{ type: 'distribution', url: `npm:${called}@${version}` }] }),
  }
}

export async function billOf(name: keyof typeof PACKAGES) {
  const { packages: lock } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock }
  const places = reach(lock, PACKAGES[name])
  const version = lock[PACKAGES[name][0] ?? '']?.version ?? ''
  return {
    ...{
      $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      version: 1,
    },
    metadata: {
      component: { type: 'application', name, version, purl: `pkg:npm/${name}@${version}`, 'bom-ref': name },
    },
    components: places.map((place) => componentOf(place, lock[place] ?? {})),
  }
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? join(root, '.reports/sbom'))
  await mkdir(folder, { recursive: true })
  for (const name of Object.keys(PACKAGES) as (keyof typeof PACKAGES)[]) {
    const bill = await billOf(name)
    await writeFile(join(folder, `${name}.cdx.json`), `${JSON.stringify(bill, undefined, 2)}\n`)
    console.log(`${name}.cdx.json: ${bill.components.length} components`)
  }
}
