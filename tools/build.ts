/**
 * Builds the packages for `npx toolway` and `npx @toolway/bridge`. `npm run build` bundles the gateway into packages/gateway/dist
 * and the stdio bridge into packages/bridge/dist, `uru-mcp` into packages/uru-mcp/dist, and writes the published package beside each, in dist/package, where `npm pack`
 * and `npm publish` are run. The gateway's package also contains the bridge and the console, so that a gateway needs nothing
 * else. It publishes nothing itself, and removes earlier builds first.
 */
import { cp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { bundle } from './build/bundle.ts'
import { bundleBridge } from './build/bundle-bridge.ts'
import { bundleUru } from './build/bundle-uru.ts'
import { layPackage } from './build/package.ts'
import { ensureConsole } from './console.mjs'

const root = resolve(import.meta.dirname, '..')
const gateway = join(root, 'packages/gateway')
const bridge = join(root, 'packages/bridge')
const uru = join(root, 'packages/uru-mcp')
const site = join(root, 'packages/console/dist')
const BRIDGE_FILE = 'toolway-bridge.mjs'
const URU_FILE = 'uru-mcp.mjs'

async function build(folder: string, bridgeFolder: string, uruFolder: string): Promise<void> {
  const began = Date.now()
  const unbuilt = await ensureConsole(root, process.execPath)
  if (unbuilt !== undefined) throw new Error(unbuilt.sentence)
  await Promise.all([folder, bridgeFolder, uruFolder].map((old) => rm(old, { recursive: true, force: true })))
  await bundleBridge({ root, source: join(bridge, 'src/main.ts'), file: join(bridgeFolder, BRIDGE_FILE) })
  const uruModules = await bundleUru({ root, source: join(uru, 'src/main.ts'), file: join(uruFolder, URU_FILE) })
  const elsewhere = { [join(bridge, 'bin', BRIDGE_FILE)]: BRIDGE_FILE, [join(uru, 'bin', URU_FILE)]: URU_FILE }
  const bundled = await bundle({ root, source: join(gateway, 'src'), folder, elsewhere })
  await cp(join(bridgeFolder, BRIDGE_FILE), join(folder, BRIDGE_FILE))
  await cp(join(uruFolder, URU_FILE), join(folder, URU_FILE))
  await lay({ workspace: gateway, folder, bundled: [...bundled, ...uruModules, ...(await modulesOf(site))] }, began)
  await lay({ workspace: bridge, folder: bridgeFolder, bundled: [] }, began)
  await lay({ workspace: uru, folder: uruFolder, bundled: uruModules }, began)
}

/** Reads the modules of the console's bundle, as written by its own build; relative to `root`. */
const modulesOf = async (built: string) => JSON.parse(await readFile(join(built, 'modules.json'), 'utf8')) as string[]

/** The package that is published, in a folder of the bundle that it has in its own `dist`. */
async function lay(parts: { workspace: string; folder: string; bundled: readonly string[] }, began: number) {
  const published = join(parts.folder, 'package')
  for (const name of await readdir(parts.folder))
    if (name !== 'package') await cp(join(parts.folder, name), join(published, 'dist', name), { recursive: true })
  await layPackage({ root, ...parts, folder: published })
  const megabytes = (await sizeOf(published)) / 1e6
  const seconds = (Date.now() - began) / 1000
  console.log(`Built ${published}: ${megabytes.toFixed(1)} MB in ${seconds.toFixed(1)} s.`)
}

async function sizeOf(folder: string): Promise<number> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const places = process.argv.slice(2)
const [folder = join(gateway, 'dist'), bridgeFolder = join(bridge, 'dist'), uruFolder = join(uru, 'dist')] = places
await build(resolve(folder), resolve(bridgeFolder), resolve(uruFolder))
