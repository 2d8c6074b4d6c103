/**
 * Installs the packages unless they match the lock file. The hash of the lock file is stored beside the packages after each
 * successful install, so that the usual check costs one small read. It never changes package.json or the lock file, and prints
 * everything on stderr, because stdout belongs to the program that runs next.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Brings the packages when they are missing or are not those of the lock file.
 * @param {string} root
 * @param {{ production: boolean }} wants production: packages for development may be missing
 * @returns {Promise<{ sentence: string, code: number } | undefined>} undefined when they are here
 */
export async function ensureInstalled(root, wants) {
  if (isInstalled(root, wants)) return undefined
  // Loaded only now: most runs have nothing to install, and a start should be quick.
  const { holdInstallLock } = await import('./install-lock.mjs')
  const { npmCi } = await import('./npm-ci.mjs')
  const lock = await holdInstallLock(join(root, '.cache', 'install.lock'))
  try {
    if (isInstalled(root, wants)) return undefined // whoever held the lock before us did the work
    const fault = await npmCi(root, readPackages(join(root, 'package-lock.json')))
    if (!fault) writeStamp(root)
    return fault
  } finally {
    lock.release()
  }
}

function isInstalled(root, wants) {
  if (readText(stampPath(root)) === stampOf(root)) return true
  const missing = missingPackages(root)
  if (missing.length === 0) writeStamp(root) // an install made by hand is as good as ours
  return wants.production ? missing.every((wanted) => wanted.dev) : missing.length === 0
}

/** Returns packages of the lock file that are absent from npm's own list of node_modules, or present in another version. */
function missingPackages(root) {
  const here = readPackages(join(root, 'node_modules', '.package-lock.json'))
  const isHere = (path, wanted) =>
    here[path]?.version === wanted.version &&
    here[path]?.integrity === wanted.integrity &&
    here[path]?.resolved === (wanted.link ? wanted.resolved : here[path]?.resolved)
  return Object.entries(readPackages(join(root, 'package-lock.json')))
    .filter(([path, wanted]) => path !== '' && !isHere(path, wanted))
    .filter(([path, wanted]) => here[path] || !isOptional(wanted)) // of optional ones only another version is wrong
    .map(([, wanted]) => wanted)
}

const isOptional = (wanted) => wanted.optional || wanted.devOptional

function readPackages(path) {
  const text = readText(path)
  return text === undefined ? {} : JSON.parse(text).packages
}

/** A copy of the folder on another kind of machine has the right lock and the wrong binaries. */
function stampOf(root) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  return `${lock} ${process.platform}-${process.arch}\n`
}

const stampPath = (root) => join(root, 'node_modules', '.toolway-lock')

function writeStamp(root) {
  mkdirSync(dirname(stampPath(root)), { recursive: true })
  writeFileSync(stampPath(root), stampOf(root))
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}
