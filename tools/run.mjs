/**
 * Runs `npm start`, `npm test` and the other scripts of this repository with the pinned Node. Plain JavaScript that any Node
 * since 20 can read: it installs the packages when they are missing or older than the lock file, finds the Node they pin, and
 * starts the script with it. It knows no setting of the product, and prints nothing on stdout itself.
 */
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNode, NODE_IS_MISSING } from '../packages/gateway/bin/find-node.mjs'
import { runChild } from '../packages/gateway/bin/run-child.mjs'
import { ensureConsole } from './console.mjs'
import { buildDocsBeside } from './docs.mjs'
import { ensureInstalled } from './install.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const gateway = 'packages/gateway/src/main.ts'

/**
 * By name: the file that Node runs, words that go before the caller's own, whether it needs only what production needs, whether it
 * needs the console built, and whether the documentation is built beside it once it listens.
 */
const targets = {
  start: { file: gateway, words: ['start'], production: true, console: true, docs: true },
  toolway: { file: gateway, production: true },
  test: { file: 'tools/test.mjs', console: true },
  check: { file: 'tools/check.mjs' },
  build: { file: 'tools/build.ts', console: true },
  sbom: { file: 'tools/sbom.ts' },
  'image:test': { file: 'tools/image-test.ts' },
  'admin-api': { file: 'tools/admin-api.ts' },
  'new:connector': { file: 'tools/new-connector.ts' },
  'connectors:live': { file: 'test/connectors/live.ts' },
  requirements: { file: 'test/requirements.ts' },
  pictures: { file: 'tools/pictures.mjs', console: true },
  docs: { file: 'tools/docs.mjs' },
  counterparts: { file: 'tools/counterparts.ts' },
  'counterparts:schemas': { file: 'tools/kubernetes-schemas.ts' },
  conformance: { file: 'test/conformance/run.ts' },
  evidence: { file: 'tools/evidence.ts' },
  wild: { file: 'test/wild/wild.ts' },
  town: { file: 'test/town/town.ts' },
  bench: { file: 'test/load/bench.ts' },
}

/** The terminal's streams, and a channel on which a gateway says that it listens. */
const WITH_CHANNEL = ['inherit', 'inherit', 'inherit', 'ipc']

async function run(name, words) {
  const target = Object.hasOwn(targets, name ?? '') ? targets[name] : undefined
  if (!target) return refuse(`Say what to run: npm run ${Object.keys(targets).join(' | ')}.`)
  const fault = await ensureInstalled(root, { production: target.production === true })
  if (fault) return refuse(fault.sentence, fault.code)
  const node = findNode(root)
  if (!node) return refuse(NODE_IS_MISSING)
  if (!existsSync(join(root, target.file))) return refuse(`There is no ${target.file} in this checkout.`)
  if (target.console) {
    const unbuilt = await ensureConsole(root, node)
    if (unbuilt) return refuse(unbuilt.sentence, unbuilt.code)
  }
  const options = { cwd: root, env: environment(), ...(target.docs ? { stdio: [...WITH_CHANNEL] } : {}) }
  return runChild(node, [target.file, ...(target.words ?? []), ...words], options, (child) => {
    if (target.docs) buildDocsBeside(root, node, child)
  })
}

function environment() {
  const bin = join(root, 'node_modules', '.bin')
  return {
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compile'),
    ...process.env,
    PATH: [bin, process.env.PATH].filter(Boolean).join(delimiter),
  }
}

function refuse(sentence, code = 1) {
  console.error(sentence)
  return code
}

process.exitCode = await run(process.argv[2], process.argv.slice(3))
