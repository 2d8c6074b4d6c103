/**
 * Builds the console unless it is up to date. The hash of all its sources is stored beside the output, so that the usual check
 * costs reading some files. It prints everything on stderr.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runChild } from '../packages/gateway/bin/run-child.mjs'
import { stampOf } from './source-stamp.mjs'

const CONSOLE = 'packages/console'
/** The sources of the console. */
const SOURCES = [
  `${CONSOLE}/src`,
  `${CONSOLE}/public`,
  `${CONSOLE}/index.html`,
  `${CONSOLE}/vite.config.ts`,
  `${CONSOLE}/operations-plugin.ts`,
  `${CONSOLE}/texts-plugin.ts`,
  `${CONSOLE}/modules-plugin.ts`,
  `${CONSOLE}/package.json`,
  'packages/contract/src',
  'packages/protocol/src',
  'package-lock.json',
]

/**
 * @param {string} root
 * @param {string} node the Node to build with
 * @returns {Promise<{ sentence: string, code: number } | undefined>} undefined when it is there
 */
export async function ensureConsole(root, node) {
  // Some checkouts have none.
  if (!existsSync(join(root, CONSOLE, 'package.json')) || isBuilt(root)) return undefined
  const { holdInstallLock } = await import('./install-lock.mjs')
  const lock = await holdInstallLock(join(root, '.cache', 'console.lock'), 'building the console')
  try {
    if (isBuilt(root)) return undefined // whoever held the lock before us did the work
    console.error('Building the console: once, and again when its sources change.')
    const began = Date.now()
    const wanted = stampOf(root, SOURCES)
    rmSync(stampPath(root), { force: true })
    let said = ''
    const words = [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', `${CONSOLE}/vite.config.ts`]
    const code = await runChild(
      node,
      [...words, '--logLevel', 'warn'],
      // The caller may be a test, whose NODE_ENV must not change the build.
      { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_ENV: 'production' } },
      (child) => {
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (text) => (said += text))
      },
    )
    if (code !== 0) return { sentence: `${said}\nThe console could not be built.`, code }
    mkdirSync(dirname(stampPath(root)), { recursive: true })
    writeFileSync(stampPath(root), wanted)
    console.error(`Built it in ${((Date.now() - began) / 1000).toFixed(1)} s.`)
    return undefined
  } finally {
    lock.release()
  }
}

function isBuilt(root) {
  if (!existsSync(join(root, CONSOLE, 'dist/site/index.html')) || !existsSync(stampPath(root))) return false
  return readFileSync(stampPath(root), 'utf8') === stampOf(root, SOURCES)
}

const stampPath = (root) => join(root, CONSOLE, 'dist/sources.sha256')
