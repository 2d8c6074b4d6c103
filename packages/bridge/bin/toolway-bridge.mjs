#!/usr/bin/env node
/**
 * The `toolway-bridge` command: which file is the bridge here? In a checkout the sources, where the running Node reads
 * TypeScript; else the bundle, which any Node since 20 runs. It decides nothing else.
 */
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const source = new URL('../src/main.ts', import.meta.url)
const bundle = new URL('../dist/toolway-bridge.mjs', import.meta.url)
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const readsTypeScript = major > 24 || (major === 24 && minor >= 15)

if (existsSync(source) && readsTypeScript) {
  // Where `npm start` keeps it, too: Node's default is a folder of all users of the machine.
  module.enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compile', import.meta.url)))
  await import(source.href)
} else if (existsSync(bundle)) await import(bundle.href)
else {
  console.error(
    `The sources of Toolway's bridge need Node 24.15 or newer and this is ${process.version}: use that, or run \`npm run build\` once, after which any Node since 20 will do.`,
  )
  process.exitCode = 1
}
