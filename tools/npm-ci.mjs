/**
 * Installs the packages with one `npm ci`, with its progress counted in packages; when it fails, prints npm's own last lines and
 * one sentence with the remedy. It prompts for nothing and decides nothing about versions: the lock file did.
 */
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runChild } from '../packages/gateway/bin/run-child.mjs'

const LAST_LINES = 25
const TELL_EVERY_MS = process.stderr.isTTY ? 1_000 : 10_000

/**
 * Runs `npm ci` in the root folder.
 * @param {string} root
 * @param {Record<string, { os?: string[], cpu?: string[], link?: boolean }>} packages the lock file's, by path
 * @returns {Promise<{ sentence: string, code: number } | undefined>} undefined when all is installed
 */
export async function npmCi(root, packages) {
  const wanted = Object.keys(packages).filter((path) => path.includes('node_modules/') && isForHere(packages[path]))
  console.error(
    `Installing the ${wanted.length} packages of package-lock.json with npm ci; this takes a minute or less.`,
  )
  const began = Date.now()
  const telling = setInterval(() => tellProgress(root, wanted, began), TELL_EVERY_MS)
  const { code, output } = await runNpm(root).finally(() => clearInterval(telling))
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  if (code === 0) {
    console.error(`Installed in ${secondsSince(began)} s.`)
    return undefined
  }
  console.error(output.split('\n').filter(Boolean).slice(-LAST_LINES).join('\n'))
  return { sentence: mendOf(output, code), code }
}

async function runNpm(root) {
  // npm tells the scripts it runs where it lies itself; without that, PATH has to know it.
  const known = process.env.npm_execpath
  const npm = known && basename(known) === 'npm-cli.js' ? [process.execPath, known] : ['npm']
  const words = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  let output = ''
  const collect = (child) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-64_000)))
    }
  }
  const options = {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: npm.length === 1 && process.platform === 'win32',
  }
  try {
    const code = await runChild(npm[0], [...npm.slice(1), ...words], options, collect)
    return { code, output }
  } catch (error) {
    return { code: 1, output: `npm could not be started: ${error.message}` }
  }
}

function tellProgress(root, wanted, began) {
  const here = wanted.filter((path) => existsSync(join(root, path, 'package.json'))).length
  const line = `  ${secondsSince(began)} s: ${here} of ${wanted.length} packages are here`
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
}

function isForHere({ os, cpu, link }) {
  const fits = (list, value) => !list || [list].flat().includes(value)
  return !link && fits(os, process.platform) && fits(cpu, process.arch)
}

/** By what npm prints: what to do. The first that matches is the one to tell. */
const mends = [
  [
    /\b(EUSAGE|in sync|Missing: .* from lock file)\b/,
    'package.json and package-lock.json disagree: run npm install with Node 24 once and keep the lock file it writes.',
  ],
  [/\bENOSPC\b/, 'The disk is full: free about 1 GB and run the same command again.'],
  [
    /\b(EACCES|EPERM|EROFS)\b/,
    'This user may not write here: make the folder and its node_modules yours and run the same command again.',
  ],
  [
    /\b(E401|E403|ENEEDAUTH)\b/,
    'The package registry refused: check the registry and token in your .npmrc and run the same command again.',
  ],
  [
    /\b(EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|CERT_\w+|SELF_SIGNED\w+)\b/,
    'npm cannot reach its package registry: check the network and proxy (npm config get registry), then run the same command again.',
  ],
  [/could not be started/, 'npm is missing: install Node with its npm and run the same command again.'],
]

/** How a shell counts an end by SIGHUP, SIGINT and SIGTERM; npm's own codes may lie above 128 as well. */
const INTERRUPTED = [129, 130, 143]

function mendOf(output, code) {
  if (INTERRUPTED.includes(code)) return 'Interrupted; the next run begins the installation again.'
  const known = mends.find(([pattern]) => pattern.test(output))
  return known?.[1] ?? 'Mend what npm names above and run the same command again; what was half installed is replaced.'
}

const secondsSince = (began) => Math.round((Date.now() - began) / 1000)
