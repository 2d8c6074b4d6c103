/**
 * Which Node may run TypeScript as it stands? Answers with the running one when it is new enough, else with the one that
 * the lock file pins, looked for in the node_modules folders from a starting folder upwards. It starts nothing and
 * installs nothing, and is plain JavaScript because it must itself run under any Node since 18.
 */
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The first Node whose type stripping, compile cache and `import.meta.main` Toolway relies on. */
export const OLDEST_NODE = '24.15.0'

/** What to tell somebody whose machine has no Node that would do. */
export const NODE_IS_MISSING =
  `Toolway needs Node ${OLDEST_NODE.replace(/\.0$/, '')} or newer and this is ${process.version}: ` +
  'install Node 24 from https://nodejs.org (or with your version manager) and run the same command again.'

/**
 * The path of a Node that is new enough, or undefined.
 * @param {string} from the folder to begin at; its parents follow
 * @returns {string | undefined}
 */
export function findNode(from) {
  if (isNewEnough(process.versions.node)) return process.execPath
  for (let folder = from; ; folder = dirname(folder)) {
    const found = pinnedNodes(join(folder, 'node_modules')).find((path) => isNewEnough(versionOf(path)))
    if (found) return found
    if (dirname(folder) === folder) return undefined
  }
}

function pinnedNodes(modules) {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  return [join(modules, '.bin', name), join(modules, `node-${process.platform}-${process.arch}`, 'bin', name)]
}

/** Read from the package that brings the binary, because asking the binary itself would cost a start. */
function versionOf(path) {
  try {
    return JSON.parse(readFileSync(join(dirname(realpathSync(path)), '..', 'package.json'), 'utf8')).version
  } catch {
    return undefined // not there, or not a Node that came from a package: the next place is asked
  }
}

function isNewEnough(version) {
  if (typeof version !== 'string') return false
  const oldest = OLDEST_NODE.split('.').map(Number)
  const parts = version.split('.').map((part) => Number.parseInt(part, 10))
  const differs = oldest.findIndex((number, place) => parts[place] !== number)
  return differs === -1 || parts[differs] > oldest[differs]
}
