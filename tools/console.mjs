/** Builds the console unless it is up to date. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildOnce } from './build-once.mjs'

const CONSOLE = 'packages/console'

/** @type {import('./build-once.mjs').Build} */
const BUILD = {
  name: 'the console',
  sources: [
    `${CONSOLE}/src`,
    `${CONSOLE}/public`,
    `${CONSOLE}/index.html`,
    `${CONSOLE}/vite.config.ts`,
    `${CONSOLE}/operations-plugin.ts`,
    `${CONSOLE}/language.js`,
    `${CONSOLE}/texts-catalogues.ts`,
    `${CONSOLE}/texts-gateway.ts`,
    `${CONSOLE}/texts-messages.ts`,
    `${CONSOLE}/texts-plugin.ts`,
    `${CONSOLE}/modules-plugin.ts`,
    `${CONSOLE}/package.json`,
    'packages/contract/src',
    'packages/protocol/src',
    'package-lock.json',
  ],
  output: `${CONSOLE}/dist/site/index.html`,
  stamp: `${CONSOLE}/dist/sources.sha256`,
  words: (root) => [
    join(root, 'node_modules/vite/bin/vite.js'),
    ...['build', '--config', `${CONSOLE}/vite.config.ts`, '--logLevel', 'warn'],
  ],
}

/**
 * @param {string} root
 * @param {string} node the Node to build with
 * @returns {Promise<{ sentence: string, code: number } | undefined>} undefined when it is there
 */
export async function ensureConsole(root, node) {
  // Some checkouts have none.
  return existsSync(join(root, CONSOLE, 'package.json')) ? buildOnce(root, node, BUILD) : undefined
}
