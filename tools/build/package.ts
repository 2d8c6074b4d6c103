/**
 * Writes the published package beside the bundle: the launcher, the texts, and a manifest made of the workspace's own. Packages
 * inside the bundle are no dependencies in the manifest, and the remaining ones are optional, because with DATABASE_URL the
 * gateway needs no database of its own.
 */
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readNotices } from './notices.ts'

export interface PackageParts {
  readonly root: string
  /** The folder of the workspace. */
  readonly workspace: string
  /** Of the package; the bundle is in its `dist`. */
  readonly folder: string
  /** The modules in the bundle, relative to `root`. */
  readonly bundled: readonly string[]
}

/** Words of the workspace's manifest that hold for who installs the package too. */
const KEPT = ['name', 'version', 'description', 'license', 'bin', 'type', 'optionalDependencies', 'engines']

export async function layPackage({ root, workspace, folder, bundled }: PackageParts): Promise<void> {
  const own = JSON.parse(await readFile(join(workspace, 'package.json'), 'utf8')) as Record<string, unknown>
  const manifest = Object.fromEntries(KEPT.map((name) => [name, own[name]]))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  if (bundled.length > 0) await writeFile(join(folder, 'THIRD-PARTY-NOTICES'), await readNotices(root, bundled))
  await cp(join(workspace, 'bin'), join(folder, 'bin'), { recursive: true })
  await cp(join(workspace, 'README.md'), join(folder, 'README.md'))
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}
