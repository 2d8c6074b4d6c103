#!/usr/bin/env node
/**
 * The `toolway` command: which Node runs it? Plain JavaScript that any Node since 18 can read: where the running Node is
 * new enough the gateway starts in this very process, else in the Node that came with the packages. Of the command line it
 * reads one word: `bridge` is a program of its own, which clients start often, and nothing else is loaded for it.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findNode, NODE_IS_MISSING } from './find-node.mjs'
import { runChild } from './run-child.mjs'

const home = dirname(dirname(fileURLToPath(import.meta.url)))
const source = join(home, 'src', 'main.ts')
const main = existsSync(source) ? source : join(home, 'dist', 'main.mjs')
const node = findNode(home)

if (process.argv[2] === 'bridge') {
  const [inCheckout, bundled] = [join(home, '../bridge/bin/toolway-bridge.mjs'), join(home, 'dist/toolway-bridge.mjs')]
  process.argv.splice(2, 1)
  await import(pathToFileURL(existsSync(source) ? inCheckout : bundled).href)
} else if (node === process.execPath) {
  await import(pathToFileURL(main).href)
} else if (node) {
  process.exitCode = await runChild(node, [main, ...process.argv.slice(2)])
} else {
  console.error(NODE_IS_MISSING)
  process.exitCode = 1
}
