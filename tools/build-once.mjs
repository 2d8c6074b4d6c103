/**
 * Builds something unless it is up to date: the hash of its sources is stored beside the output, so that the usual check costs reading
 * some files. One process builds at a time. It prints everything on stderr.
 */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
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
 * @property {string} [progress] a file for programs that wait for the build: when it began, or why it failed; gone once it is there
 * @property {Readonly<{ from: string, to: string }>} [place] a folder that is written, and the one that takes its place in one step
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
    return await noting(root, build, async () => (await build.prepare?.(root)) ?? (await run(root, node, build)))
  } finally {
    lock.release()
  }
}

const TOUCH_MS = 5_000
/** SIGHUP, SIGINT, SIGKILL and SIGTERM as a shell counts them: whoever stopped the build knows. */
const STOPPED = new Set([129, 130, 137, 143])

async function noting(root, { progress }, work) {
  if (progress === undefined) return work()
  const path = join(root, progress)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify({ began: Date.now() }))
  const touching = setInterval(() => existsSync(path) && utimesSync(path, new Date(), new Date()), TOUCH_MS)
  const fault = await work().finally(() => clearInterval(touching))
  if (fault === undefined || STOPPED.has(fault.code)) rmSync(path, { force: true })
  else writeFileSync(path, JSON.stringify({ failed: fault.sentence.trim().split('\n').at(-1) }))
  return fault
}

async function run(root, node, { name, sources, stamp, words, place }) {
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
  if (place !== undefined) replaceFolder(join(root, place.from), join(root, place.to))
  mkdirSync(dirname(join(root, stamp)), { recursive: true })
  writeFileSync(join(root, stamp), wanted)
  console.error(`Built it in ${((Date.now() - began) / 1000).toFixed(1)} s.`)
  return undefined
}

/** A reader of the old folder finds all of it until the new one is complete. */
function replaceFolder(from, to) {
  const old = `${to}.old`
  rmSync(old, { recursive: true, force: true })
  if (existsSync(to)) renameSync(to, old)
  renameSync(from, to)
  rmSync(old, { recursive: true, force: true })
}

/**
 * @param {string} root
 * @param {Build} build
 */
export function isBuilt(root, { sources, output, stamp }) {
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
