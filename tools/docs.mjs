/**
 * Builds the documentation that the gateway serves at /docs, unless it is up to date. The site generator is in a folder of its own with
 * a lock file of its own, and is installed there when it is needed.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildOnce } from './build-once.mjs'
import { ensureInstalled } from './install.mjs'

const GENERATOR = 'docs/.vitepress'

/** @type {import('./build-once.mjs').Build} */
const BUILD = {
  name: 'the documentation',
  sources: [
    'docs/README.md',
    'docs/architecture.md',
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
  prepare: (root) => ensureInstalled(join(root, GENERATOR), { production: false }),
  words: (root) => [join(root, GENERATOR, 'node_modules/vitepress/bin/vitepress.js'), ...['build', join(root, 'docs')]],
}

/**
 * @param {string} root
 * @param {string} node the Node to build with
 * @returns {Promise<{ sentence: string, code: number } | undefined>} undefined when it is there
 */
export const ensureDocs = (root, node) => buildOnce(root, node, BUILD)

if (import.meta.main) {
  const fault = await ensureDocs(fileURLToPath(new URL('..', import.meta.url)), process.execPath)
  if (fault) console.error(fault.sentence)
  process.exitCode = fault?.code ?? 0
}
