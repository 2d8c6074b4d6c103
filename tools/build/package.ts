/**
 * Writes the published package beside the bundle: the launcher, the texts, and a manifest made of the workspace's own and of the
 * addresses of the project. Packages inside the bundle are no dependencies in the manifest, and the remaining ones are optional,
 * because with DATABASE_URL the gateway needs no database of its own. A package whose bundle needs the pinned Node brings it as
 * an optional dependency, so that it starts under any Node from 20 on.
 */
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { readNotices } from './notices.ts'

export interface PackageParts {
  readonly root: string
  /** The folder of the workspace. */
  readonly workspace: string
  /** Of the package; the bundle is in its `dist`. */
  readonly folder: string
  /** The modules in the bundle, relative to `root`. */
  readonly bundled: readonly string[]
  /** The name under which it is published; the workspace's own where unsaid. */
  readonly name?: string
  /** Whether the pinned Node comes along. */
  readonly runtime?: boolean
}

type Manifest = Record<string, unknown>

/** Words of the workspace's manifest that hold for who installs the package too. */
const KEPT = [
  'name',
  'version',
  'description',
  'keywords',
  'license',
  'bin',
  'type',
  'optionalDependencies',
  'engines',
] as const
/** The oldest Node that the launchers run under. */
const LAUNCHER = { node: '>=20' }

export async function layPackage(parts: PackageParts): Promise<void> {
  const { root, workspace, folder, bundled } = parts
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await manifestOf(parts), undefined, 2)}\n`)
  if (bundled.length > 0) await writeFile(join(folder, 'THIRD-PARTY-NOTICES'), await readNotices(root, bundled))
  await cp(join(workspace, 'bin'), join(folder, 'bin'), { recursive: true })
  await cp(join(workspace, 'README.md'), join(folder, 'README.md'))
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

const readManifest = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest

async function manifestOf({ root, workspace, name, runtime = false }: PackageParts): Promise<Manifest> {
  const [own, project] = await Promise.all([readManifest(workspace), readManifest(root)])
  const kept = Object.fromEntries(KEPT.flatMap((word) => (own[word] === undefined ? [] : [[word, own[word]]])))
  const { homepage, bugs } = project
  const repository = { ...(project['repository'] as object), directory: relative(root, workspace) }
  const manifest = { ...kept, ...(name === undefined ? {} : { name }), homepage, bugs, repository }
  if (!runtime) return manifest
  const pinned = (await readManifest(join(root, 'tools/runtime')))['optionalDependencies'] as object
  const optional = { ...(own['optionalDependencies'] as object | undefined), ...pinned }
  return { ...manifest, optionalDependencies: optional, engines: LAUNCHER }
}
