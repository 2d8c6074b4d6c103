/**
 * What does `npx toolway` get? `npm run build` bundles the gateway into packages/gateway/dist and lays the package that is
 * published beside it, in dist/package, where `npm pack` and `npm publish` are run. Nothing that starts from this checkout
 * looks at either. It publishes nothing itself, and what was built before is removed first.
 */
import { cp, readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { bundle } from './build/bundle.ts'
import { layPackage } from './build/package.ts'

const root = resolve(import.meta.dirname, '..')
const gateway = join(root, 'packages/gateway')

async function build(folder: string): Promise<void> {
  const began = Date.now()
  await rm(folder, { recursive: true, force: true })
  const bundled = await bundle({ root, source: join(gateway, 'src'), folder })
  const published = join(folder, 'package')
  for (const name of await readdir(folder))
    await cp(join(folder, name), join(published, 'dist', name), { recursive: true })
  await layPackage({ root, gateway, folder: published, bundled })
  const megabytes = (await sizeOf(published)) / 1e6
  const seconds = (Date.now() - began) / 1000
  console.log(`Built ${published}: ${megabytes.toFixed(1)} MB in ${seconds.toFixed(1)} s.`)
}

async function sizeOf(folder: string): Promise<number> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

await build(resolve(process.argv[2] ?? join(gateway, 'dist')))
