/**
 * Builds something unless it is up to date: the hash of its sources is stored beside the output, so that the usual check costs reading
 * some files. One process builds at a time. It prints everything on stderr.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { runChild } from '../packages/gateway/bin/run-child.mjs'

/**
 * @typedef {object} Build
 * @property {string} name in sentences: "the console"
 * @property {readonly string[]} sources files and folders, relative to the root; tests in them do not count
 * @property {string} output a file that is there once it is built, relative to the root
 * @property {string} stamp where the hash is stored, relative to the root
 * @property {(root: string) => readonly string[]} words what Node runs
 * @property {(root: string) => Promise<Fault | undefined>} [prepare] before it is built
 *
 * @typedef {{ sentence: string, code: number }} Fault
 */

/**
 * @param {string} root
 * @param {string} node the Node to build with
 * @param {Build} build
 * @returns {Promise<Fault | undefined>} undefined when it is there
 */
export async function buildOnce(root, node, build) {
  if (isBuilt(root, build)) return undefined
  const { holdInstallLock } = await import('./install-lock.mjs')
  const lock = await holdInstallLock(
    join(root, '.cache', `${build.name.replaceAll(' ', '-')}.lock`),
    `building ${build.name}`,
  )
  try {
    if (isBuilt(root, build)) return undefined // whoever held the lock before us did the work
    return (await build.prepare?.(root)) ?? (await run(root, node, build))
  } finally {
    lock.release()
  }
}

async function run(root, node, { name, sources, stamp, words }) {
  console.error(`Building ${name}: once, and again when its sources change.`)
  const began = Date.now()
  const wanted = stampOf(root, sources)
  rmSync(join(root, stamp), { force: true })
  let said = ''
  const code = await runChild(
    node,
    words(root),
    // The caller may be a test, whose NODE_ENV must not change the build.
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_ENV: 'production' } },
    (child) => {
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
    },
  )
  if (code !== 0) return { sentence: `${said}\nBuilding ${name} failed.`, code }
  mkdirSync(dirname(join(root, stamp)), { recursive: true })
  writeFileSync(join(root, stamp), wanted)
  console.error(`Built it in ${((Date.now() - began) / 1000).toFixed(1)} s.`)
  return undefined
}

function isBuilt(root, { sources, output, stamp }) {
  const path = join(root, stamp)
  if (!existsSync(join(root, output)) || !existsSync(path)) return false
  return readFileSync(path, 'utf8') === stampOf(root, sources)
}

function stampOf(root, sources) {
  const hash = createHash('sha256')
  for (const source of sources)
    for (const file of filesOf(join(root, source)))
      hash
        .update(`${relative(root, file).split(sep).join('/')}\0`)
        .update(readFileSync(file))
        .update('\0')
  return `${hash.digest('hex')}\n`
}

function filesOf(path) {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  const entries = readdirSync(path, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
}
