#!/usr/bin/env node
/** The `toolway-toolkit` command: in a checkout the sources, where the running Node reads TypeScript; else the bundle. */
import { existsSync } from 'node:fs'

const source = new URL('../src/main.ts', import.meta.url)
const bundle = new URL('../dist/main.mjs', import.meta.url)
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const readsTypeScript = major > 24 || (major === 24 && minor >= 15)

if (existsSync(source) && readsTypeScript) await import(source.href)
else if (existsSync(bundle)) await import(bundle.href)
else {
  console.error(
    `The sources of toolway-toolkit need Node 24.15 or newer and this is ${process.version}: run \`npm run build\` once.`,
  )
  process.exitCode = 1
}
