/**
 * Builds the packages for `npx toolway`, `npx toolway-bridge`, `npx uru-mcp` and `npx toolway-toolkit`. `npm run build` bundles the
 * gateway into packages/gateway/dist and each of the others into the `dist` of its own package, and writes the published package beside
 * each, in dist/package, where `npm pack` and `npm publish` are run. The gateway's package also contains the bridge and the console, so that a gateway needs nothing
 * else. It publishes nothing itself, and removes earlier builds first.
 */
import { cp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { bundle } from './build/bundle.ts'
import { bundleBridge } from './build/bundle-bridge.ts'
import { bundleUru } from './build/bundle-uru.ts'
import { layPackage, type PackageParts } from './build/package.ts'
import { ensureConsole } from './console.mjs'
import { ensureDocs } from './docs.mjs'

const root = resolve(import.meta.dirname, '..')
const gateway = join(root, 'packages/gateway')
const bridge = join(root, 'packages/bridge')
const uru = join(root, 'packages/uru-mcp')
const toolkit = join(root, 'packages/toolkit')
const site = join(root, 'packages/console/dist')
const docs = join(root, 'docs/.vitepress')
const BRIDGE_FILE = 'toolway-bridge.mjs'
const URU_FILE = 'uru-mcp.mjs'
/** Not in the gateway's package: the agent preset starts the one of npm where it is not there. */
const TOOLKIT_FILE = 'toolway-toolkit.mjs'

/** The processes and threads of the gateway. */
const GATEWAY_PROGRAMS = [
  'main.ts',
  'cli/processes/gateway-process.ts',
  'upstreams/children/worker.ts',
  'upstreams/children/sandbox/egress-relay.ts',
  'upstreams/children/sandbox/kubernetes/run-pod.ts',
  'demo/demo-server.ts',
  'identity/keys/slow-hash-worker.ts',
  'upstreams/openapi/document/reading-worker.ts',
  'upstreams/native/apart/host.ts',
]
/** Of the toolkit, which starts under any Node from 20 on. */
const TOOLKIT_PROGRAMS = ['main.ts', 'crawl/extract/extraction-thread.ts']

/** Where each bundle goes. */
type Folders = Readonly<Record<'gateway' | 'bridge' | 'uru' | 'toolkit', string>>

async function build(folders: Folders): Promise<void> {
  const began = Date.now()
  const unbuilt = (await ensureConsole(root, process.execPath)) ?? (await ensureDocs(root, process.execPath))
  if (unbuilt !== undefined) throw new Error(unbuilt.sentence)
  await Promise.all(Object.values<string>(folders).map((old) => rm(old, { recursive: true, force: true })))
  await bundleBridge({ root, source: join(bridge, 'src/main.ts'), file: join(folders.bridge, BRIDGE_FILE) })
  const uruModules = await bundleUru({ root, source: join(uru, 'src/main.ts'), file: join(folders.uru, URU_FILE) })
  const elsewhere = {
    [join(bridge, 'bin', BRIDGE_FILE)]: BRIDGE_FILE,
    [join(uru, 'bin', URU_FILE)]: URU_FILE,
    [join(toolkit, 'bin', TOOLKIT_FILE)]: TOOLKIT_FILE,
  }
  const gatewayParts = { programs: GATEWAY_PROGRAMS, target: 'node24.15', folder: folders.gateway, elsewhere }
  const bundled = await bundle({ root, source: join(gateway, 'src'), ...gatewayParts })
  const before = [join(root, 'tools/build/older-node.mjs')]
  const toolkitParts = { programs: TOOLKIT_PROGRAMS, target: 'node20', folder: folders.toolkit, before }
  const toolkitModules = await bundle({ root, source: join(toolkit, 'src'), ...toolkitParts })
  await cp(join(folders.bridge, BRIDGE_FILE), join(folders.gateway, BRIDGE_FILE))
  await cp(join(folders.uru, URU_FILE), join(folders.gateway, URU_FILE))
  const inGateway = [...bundled, ...uruModules, ...(await modulesOf(site)), ...(await modulesOf(docs))]
  await lay({ workspace: gateway, folder: folders.gateway, bundled: inGateway, runtime: true }, began)
  await lay({ workspace: bridge, folder: folders.bridge, bundled: [], name: 'toolway-bridge' }, began)
  await lay({ workspace: uru, folder: folders.uru, bundled: uruModules }, began)
  await lay({ workspace: toolkit, folder: folders.toolkit, bundled: toolkitModules }, began)
}

/** Reads the modules of the console's bundle, as written by its own build; relative to `root`. */
const modulesOf = async (built: string) => JSON.parse(await readFile(join(built, 'modules.json'), 'utf8')) as string[]

/** The package that is published, in a folder of the bundle that it has in its own `dist`. */
async function lay(parts: Omit<PackageParts, 'root'>, began: number) {
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

const [first, second, third, fourth] = process.argv.slice(2).map((place) => resolve(place))
await build({
  gateway: first ?? join(gateway, 'dist'),
  bridge: second ?? join(bridge, 'dist'),
  uru: third ?? join(uru, 'dist'),
  toolkit: fourth ?? join(toolkit, 'dist'),
})
