/**
 * Builds the documentation that the gateway serves at /docs, unless it is up to date. What builds it is in a folder of its own with a
 * lock file of its own, and is installed there when it is needed. It prints everything on stderr.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runChild } from '../packages/gateway/bin/run-child.mjs'
import { ensureInstalled } from './install.mjs'
import { stampOf } from './source-stamp.mjs'

const BUILDER = 'docs/.vitepress'
const SITE = `${BUILDER}/docs-site`
const STAMP = `${BUILDER}/docs-site.sha256`
const SOURCES = [
  'docs/README.md',
  'docs/architecture.md',
  'docs/performance.md',
  'docs/guides',
  'docs/reference',
  'docs/security',
  'docs/pictures',
  `${BUILDER}/config.mjs`,
  `${BUILDER}/theme`,
  `${BUILDER}/package-lock.json`,
]

/**
 * @param {string} root
 * @param {string} node the Node to build with
 * @returns {Promise<{ sentence: string, code: number } | undefined>} undefined when it is there
 */
export async function ensureDocs(root, node) {
  const wanted = stampOf(root, SOURCES)
  const stamp = join(root, STAMP)
  if (existsSync(join(root, SITE, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted)
    return undefined
  const fault = await ensureInstalled(join(root, BUILDER), { production: false })
  if (fault) return fault
  console.error('Building the documentation: once, and again when it changes.')
  const began = Date.now()
  rmSync(stamp, { force: true })
  let said = ''
  const code = await runChild(
    node,
    [join(root, BUILDER, 'node_modules/vitepress/bin/vitepress.js'), 'build', join(root, 'docs')],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_ENV: 'production' } },
    (child) => {
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
    },
  )
  if (code !== 0) return { sentence: `${said}\nThe documentation could not be built.`, code }
  writeFileSync(stamp, wanted)
  console.error(`Built it in ${((Date.now() - began) / 1000).toFixed(1)} s.`)
  return undefined
}

if (import.meta.main) {
  const fault = await ensureDocs(fileURLToPath(new URL('..', import.meta.url)), process.execPath)
  if (fault) console.error(fault.sentence)
  process.exitCode = fault?.code ?? 0
}
