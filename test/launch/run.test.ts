import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Stands in for npm: notes that it ran, then writes what npm would leave, or fails as npm does. */
const npm = `
  const { appendFileSync, mkdirSync, copyFileSync, existsSync } = require('node:fs')
  appendFileSync('npm-runs', process.argv.slice(2).join(' ') + '\\n')
  if (existsSync('npm-fails')) {
    console.error('npm error code ENOSPC')
    process.exit(228)
  }
  setTimeout(() => {
    mkdirSync('node_modules', { recursive: true })
    copyFileSync('package-lock.json', 'node_modules/.package-lock.json')
  }, 300)
`

/** Stands in for what is run: says what it was given, and ends by itself or on a signal. */
const target = `
  const words = process.argv.slice(2)
  console.log(words.join(' '))
  if (words[0] === 'wait') {
    const alive = setInterval(() => {}, 1000)
    let signals = 0
    process.on('SIGTERM', () => {
      signals += 1
      setTimeout(() => { console.log('signals: ' + signals); clearInterval(alive); process.exitCode = 7 }, 200)
    })
    console.log('ready')
  } else if (words[0] === 'fail') process.exitCode = 3
`

/** Stands in for a gateway: says that it listens, and leaves when the site is there or cannot be had. */
const LISTENS = `
  const { existsSync, readFileSync } = await import('node:fs')
  const there = (name) => existsSync('docs/.vitepress/' + name)
  const site = () => there('docs-site.sha256') && readFileSync('docs/.vitepress/docs-site.sha256', 'utf8')
  const before = site()
  if (before === false) console.log('no site yet')
  console.log('ready')
  process.send('listening')
  const failed = () => there('docs-site.progress') && readFileSync('docs/.vitepress/docs-site.progress', 'utf8').includes('failed')
  let began = process.argv[3] !== 'changed'
  const asking = setInterval(() => {
    began ||= there('docs-site.progress') || site() !== before
    if (!began) return
    if (!failed() && (!there('docs-site.sha256') || there('docs-site.progress'))) return
    if (!failed()) console.log(readFileSync('docs/.vitepress/docs-site/index.html', 'utf8'))
    clearInterval(asking)
  }, 50)
`

/** Stands in for the site generator, and notes its priority. */
const SITE_BUILDER = `
  const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs')
  const folder = process.argv[process.argv.indexOf('--outDir') + 1]
  appendFileSync('docs-runs', require('node:os').getPriority() + '\\n')
  setTimeout(() => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(folder + '/index.html', 'the site')
  }, 200)
`

const lockOf = (version: string) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { name: 'a-workspace' },
      'node_modules/left': { version, integrity: `sha512-${version}` },
      'node_modules/tested': { version, integrity: `sha512-${version}`, dev: true },
      'node_modules/for-another-system': { version, integrity: `sha512-${version}`, optional: true, os: ['plan9'] },
    },
  })

async function openCheckout() {
  const folder = await mkdtemp(join(tmpdir(), 'checkout-'))
  const at = (path: string) => join(folder, path)
  const write = async (path: string, text: string) => {
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), text)
  }
  for (const path of ['tools', 'packages/gateway/bin']) {
    await cp(join(root, path), at(path), { recursive: true, filter: (from) => !from.includes('node_modules') })
  }
  await write('package.json', '{ "type": "module" }')
  await write('package-lock.json', lockOf('1.0.0'))
  await write('test/requirements.ts', target)
  await write('packages/gateway/src/main.ts', target)
  await write('npm/npm-cli.js', npm)
  await write('npm/package.json', '{ "type": "commonjs" }')
  const start = (...words: string[]) => startRun(folder, words)
  const npmRuns = async () => (await readFile(at('npm-runs'), 'utf8').catch(() => '')).split('\n').filter(Boolean)
  return { at, write, start, npmRuns, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

function startRun(folder: string, words: readonly string[]) {
  const env = {
    ...process.env,
    npm_execpath: join(folder, 'npm/npm-cli.js'),
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  }
  const child = spawn(process.execPath, [join(folder, 'tools/run.mjs'), ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  const heard = Promise.withResolvers<void>()
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString()
    if (said.out.includes('ready')) heard.resolve()
  })
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once('close', (code) => {
      heard.resolve()
      resolve({ code, ...said })
    })
  })
  return { child, ended, ready: heard.promise }
}

describe('npm run', () => {
  test('installs where there is nothing yet, says so on stderr, and then runs what was asked', async () => {
    await using checkout = await openCheckout()
    const { code, out, err } = await checkout.start('requirements', '--json', 'a b').ended
    expect({ code, out }).toEqual({ code: 0, out: '--json a b\n' })
    expect(err).toContain('Installing the 2 packages of package-lock.json with npm ci')
    expect(await checkout.npmRuns()).toEqual([expect.stringMatching(/^ci --include=dev/)])
  })

  test('installs once, and again when the lock file has changed', async () => {
    await using checkout = await openCheckout()
    await checkout.start('requirements').ended
    const second = await checkout.start('requirements').ended
    expect(second.err).toBe('')
    expect(await checkout.npmRuns()).toHaveLength(1)
    await checkout.write('package-lock.json', lockOf('1.0.1'))
    await checkout.start('requirements').ended
    expect(await checkout.npmRuns()).toHaveLength(2)
  })

  test('takes an install that was made by hand as it is', async () => {
    await using checkout = await openCheckout()
    await checkout.write('node_modules/.package-lock.json', lockOf('1.0.0'))
    const { code } = await checkout.start('requirements').ended
    expect(code).toBe(0)
    expect(await checkout.npmRuns()).toEqual([])
  })

  test('starts the gateway on an install without development packages, and brings them for the rest', async () => {
    await using checkout = await openCheckout()
    const lock = JSON.parse(lockOf('1.0.0')) as { packages: Record<string, unknown> }
    delete lock.packages['node_modules/tested']
    await checkout.write('node_modules/.package-lock.json', JSON.stringify(lock))
    const started = await checkout.start('start', '--port', '1').ended
    expect(started).toEqual({ code: 0, out: 'start --port 1\n', err: '' })
    expect(await checkout.npmRuns()).toEqual([])
    await checkout.start('requirements').ended
    expect(await checkout.npmRuns()).toHaveLength(1)
  })

  test('lets one of two runs install while the other waits', async () => {
    await using checkout = await openCheckout()
    const both = await Promise.all([checkout.start('requirements').ended, checkout.start('requirements').ended])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect(await checkout.npmRuns()).toHaveLength(1)
  })

  test('takes over the lock of a run that is gone', async () => {
    await using checkout = await openCheckout()
    const gone = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => gone.once('close', resolve))
    await checkout.write('.cache/install.lock', JSON.stringify({ pid: gone.pid, host: hostname() }))
    const { code } = await checkout.start('requirements').ended
    expect(code).toBe(0)
  })

  test('shows what npm said last and how to mend it when the installation fails', async () => {
    await using checkout = await openCheckout()
    await checkout.write('npm-fails', '')
    const { code, out, err } = await checkout.start('requirements').ended
    expect({ code, out }).toEqual({ code: 228, out: '' })
    expect(err).toContain('npm error code ENOSPC')
    expect(err).toContain('The disk is full')
    await rm(checkout.at('npm-fails'))
    expect((await checkout.start('requirements').ended).code).toBe(0)
  })

  test('keeps the exit code of what it ran', async () => {
    await using checkout = await openCheckout()
    expect((await checkout.start('requirements', 'fail').ended).code).toBe(3)
  })

  test('passes a signal on once however often it comes, and leaves when the child has left', async () => {
    await using checkout = await openCheckout()
    const run = checkout.start('requirements', 'wait')
    await run.ready
    run.child.kill('SIGTERM')
    run.child.kill('SIGTERM')
    const { code, out } = await run.ended
    expect(out).toContain('signals: 1')
    expect(code).toBe(7)
  })

  test('ends what it ran when npm and the shell that npm runs it in are gone', async () => {
    await using checkout = await openCheckout()
    await checkout.start('requirements').ended
    const shell = spawn('sh', ['-c', `"${process.execPath}" tools/run.mjs requirements wait; true`], {
      cwd: checkout.at('.'),
      env: { ...process.env, npm_lifecycle_event: 'requirements' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let out = ''
    for await (const chunk of shell.stdout) {
      // The loop ends when the last process that holds the stream has ended.
      out += String(chunk)
      if (out.endsWith('ready\n')) shell.kill('SIGTERM')
    }
    expect(out).toContain('signals: 1')
  })

  test('builds the documentation after the gateway listens, not before, and only when its sources have changed', async () => {
    await using checkout = await openCheckout()
    await checkout.write('node_modules/.package-lock.json', lockOf('1.0.0'))
    await checkout.write('packages/gateway/src/main.ts', LISTENS)
    await checkout.write('docs/README.md', '# Documentation')
    await checkout.write('docs/.vitepress/package-lock.json', lockOf('1.0.0'))
    await checkout.write('docs/.vitepress/node_modules/.package-lock.json', lockOf('1.0.0'))
    await checkout.write('docs/.vitepress/node_modules/vitepress/bin/vitepress.js', SITE_BUILDER)
    await checkout.write('docs/.vitepress/node_modules/vitepress/package.json', '{ "type": "commonjs" }')
    expect(await checkout.start('start').ended).toEqual({ code: 0, out: 'no site yet\nready\nthe site\n', err: '' })
    await checkout.start('start').ended
    expect(await readFile(checkout.at('docs-runs'), 'utf8')).toBe('19\n')
    await checkout.write('docs/README.md', '# Documentation, changed')
    const { out } = await checkout.start('start', 'changed').ended
    expect(out).toBe('ready\nthe site\n')
    expect(await readFile(checkout.at('docs-runs'), 'utf8')).toBe('19\n19\n')
  })

  test('starts the gateway all the same where the documentation cannot be built, and leaves word why', async () => {
    await using checkout = await openCheckout()
    await checkout.write('node_modules/.package-lock.json', lockOf('1.0.0'))
    await checkout.write('packages/gateway/src/main.ts', LISTENS)
    await checkout.write('docs/.vitepress/package-lock.json', lockOf('1.0.0'))
    await checkout.write('docs/.vitepress/node_modules/.package-lock.json', lockOf('0.9.0'))
    await checkout.write('docs/.vitepress/npm-fails', '')
    const { code, out, err } = await checkout.start('start').ended
    expect({ code, out, err }).toEqual({ code: 0, out: 'no site yet\nready\n', err: '' })
    const note = await readFile(checkout.at('docs/.vitepress/docs-site.progress'), 'utf8')
    expect(note).toContain('failed')
  })

  test('says what can be run when it is asked for something else', async () => {
    await using checkout = await openCheckout()
    const { code, err } = await checkout.start('constructor').ended
    expect(code).toBe(1)
    expect(err).toContain('npm run start | toolway | test | check')
  })
})
