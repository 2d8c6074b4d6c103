/**
 * The servers of the tests: one script, the first word says which. They are as rude as servers are in the field: deaf,
 * stubborn, flooding, cut off in the middle of a character. None of them is MCP.
 */
import { readdirSync, readlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const say = (text: string | Uint8Array) =>
  new Promise<void>((done, failed) => process.stdout.write(text, (error) => (error ? failed(error) : done())))
const forever = () => new Promise<never>(() => setInterval(() => undefined, 60_000))

/** Sockets this process was handed beyond its three streams; only Linux tells. */
function inherited(): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return Number(fd) > 2 && target.startsWith('socket:') ? [`${fd} ${target}`] : []
    } catch {
      return [] // the descriptor of the listing itself
    }
  })
}

const servers: Record<string, (words: string[]) => unknown> = {
  async echo() {
    for await (const line of createInterface({ input: process.stdin })) await say(`${line}\n`)
  },
  async environment() {
    await say(
      `${JSON.stringify({ env: process.env, cwd: process.cwd(), args: process.argv.slice(3), sockets: inherited() })}\n`,
    )
  },
  /** As servers with a browser do it: a Unix socket in a folder of its own below TMPDIR. */
  async socket() {
    const { mkdirSync } = await import('node:fs')
    const { createServer } = await import('node:net')
    const folder = `${process.env['TMPDIR']}/browser-3f9a61c0d2b7`
    mkdirSync(folder)
    const server = createServer().on('error', (error) => void say(`${error.message}\n`))
    server.listen(`${folder}/default.sock`, () => void say(`${folder}/default.sock\n`))
  },
  /** As npm does it while it tries its registry again: silent, and the cause is in its log. The words: what it says, how it ends. */
  async fetching([word = '', end = '']) {
    const { mkdirSync, writeFileSync } = await import('node:fs')
    const logs = `${process.env['npm_config_cache']}/_logs`
    mkdirSync(logs, { recursive: true })
    const cause = `fetch GET https://npm.example/x?${process.env['TOKEN']} attempt 1 failed with SELF_SIGNED_CERT_IN_CHAIN`
    writeFileSync(`${logs}/2026-01-01T00_00_00_000Z-debug-0.log`, `0 verbose cli\n1 http ${cause}\n`)
    console.error(word)
    if (end === 'exits') process.exit(1)
    if (end === 'spoke') await say('{}\n')
    await forever()
  },
  async stubborn() {
    process.on('SIGTERM', () => undefined)
    await say(`${process.pid}\n`)
    await forever()
  },
  /** Leaves a stubborn one behind in its group and ends. */
  async careless() {
    const { spawn } = await import('node:child_process')
    const left = spawn(process.execPath, [process.argv[1] as string, 'stubborn'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    left.stdout.once('data', (pid) => void say(`${pid}`).then(() => process.exit(0)))
    await forever()
  },
  async deaf() {
    await say('deaf\n')
    await forever()
  },
  async flood([mebibytes]) {
    const line = `${'x'.repeat(64 * 1024 - 1)}\n`
    for (let written = 1; written <= Number(mebibytes) * 16; written++) {
      await say(line)
      if (written % 16 === 0) process.stderr.write(`wrote ${written / 16}\n`)
    }
  },
  async endless() {
    for (;;) await say('y'.repeat(64 * 1024))
  },
  async pieces() {
    const euro = Buffer.from('€')
    await say(Buffer.concat([Buffer.from('\n\r\nprice: '), euro.subarray(0, 1)]))
    await sleep(50)
    await say(Buffer.concat([euro.subarray(1), Buffer.from('\r\nsecond\n{"half":')]))
  },
  async complain() {
    for (let i = 1; i <= 300; i++) process.stderr.write(`line ${i}\n`)
    process.stderr.write(`token is ${process.env['TOKEN']}\n${'z'.repeat(5_000)}\nlast words`)
    await sleep(20)
  },
  exit: ([code]) => process.exit(Number(code)),
}

const [name = '', ...words] = process.argv.slice(2)
await servers[name]?.(words)
