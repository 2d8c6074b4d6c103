/**
 * Builds the documentation that the gateway serves at /docs, unless it is up to date. The site generator is in a folder of its own with
 * a lock file of its own, and is installed there when it is needed. `npm start` builds it beside a gateway that listens, at the lowest
 * priority (ADR 0107): the gateway shows how far it is, and serves it without a restart.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildOnce, isBuilt } from './build-once.mjs'
import { ensureInstalled } from './install.mjs'

const GENERATOR = 'docs/.vitepress'

/** @type {import('./build-once.mjs').Build} */
const BUILD = {
  name: 'the documentation',
  sources: [
    'docs/README.md',
    'docs/index.md',
    'docs/performance.md',
    'docs/guides',
    'docs/pictures',
    'docs/reference',
    'docs/security',
    `${GENERATOR}/config.mjs`,
    `${GENERATOR}/theme`,
    `${GENERATOR}/package-lock.json`,
  ],
  output: `${GENERATOR}/docs-site/index.html`,
  stamp: `${GENERATOR}/docs-site.sha256`,
  progress: `${GENERATOR}/docs-site.progress`,
  // A gateway may read the site while the next one is written.
  place: { from: `${GENERATOR}/docs-site.next`, to: `${GENERATOR}/docs-site` },
  prepare: (root) => ensureInstalled(join(root, GENERATOR), { production: false }),
  words: (root) => [
    join(root, GENERATOR, 'node_modules/vitepress/bin/vitepress.js'),
    ...['build', join(root, 'docs'), '--outDir', join(root, GENERATOR, 'docs-site.next')],
  ],
}
const LOWEST_PRIORITY = 19
const BESIDE = '--beside'

/**
 * @param {string} root
 * @param {string} node the Node to build with
 * @returns {Promise<{ sentence: string, code: number } | undefined>} undefined when it is there
 */
export const ensureDocs = (root, node) => buildOnce(root, node, BUILD)

/**
 * Builds it in a process of its own once a gateway says that it listens, and gives up when that gateway ends: the next start goes on.
 * Nothing of it reaches the terminal, and it never fails the gateway.
 * @param {string} root
 * @param {string} node the Node to build with
 * @param {import('node:child_process').ChildProcess} gateway started with a channel for messages
 */
export function buildDocsBeside(root, node, gateway) {
  gateway.once('message', () => {
    if (!existsSync(join(root, GENERATOR)) || isThere(root)) return
    const building = spawn(node, [join(root, 'tools/docs.mjs'), BESIDE], { cwd: root, stdio: 'ignore' })
    building.on('error', () => undefined)
    gateway.once('exit', () => building.kill())
  })
}

/** A source that goes while it is read is no reason for the gateway to end. */
function isThere(root) {
  try {
    return isBuilt(root, BUILD)
  } catch {
    return false
  }
}

if (import.meta.main) {
  if (process.argv.includes(BESIDE)) setPriority(LOWEST_PRIORITY)
  const fault = await ensureDocs(fileURLToPath(new URL('..', import.meta.url)), process.execPath)
  if (fault) console.error(fault.sentence)
  process.exitCode = fault?.code ?? 0
}
