/**
 * A hostile stdio server: each tool tries to break out of its sandbox in one way and says what it got. A fixture; the harm that it can
 * do where it succeeds is bounded and is done to files and processes of the test only.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync, writeSync, openSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const MIB = 1024 * 1024
type Attempt = (target: string) => string | Promise<string>

/** Connects without and through the proxy that it was given. */
const reach = (host: string, port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 3_000 })
    const say = (text: string) => {
      socket.destroy()
      resolve(text)
    }
    socket.on('connect', () => say('connected'))
    socket.on('timeout', () => say('timeout'))
    socket.on('error', ({ code }: NodeJS.ErrnoException) => say(code ?? 'error'))
  })

const throughProxy = (target: string): Promise<string> =>
  new Promise((resolve) => {
    const proxy = process.env['HTTPS_PROXY']
    if (proxy === undefined) return resolve('no proxy')
    const { hostname, port } = new URL(proxy)
    const socket = connect({ host: hostname, port: Number(port), timeout: 10_000 })
    socket.on('connect', () => socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`))
    socket.on('data', (bytes) => {
      socket.destroy()
      resolve(String(bytes).split('\r\n')[0] ?? '')
    })
    for (const end of ['error', 'timeout', 'close']) socket.on(end, () => resolve(end))
  })

const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  read: (file) => readFileSync(file, 'utf8'),
  list: (folder) => readdirSync(folder).join(' '),
  write: (file) => {
    writeFileSync(file, 'hostile')
    return 'written'
  },
  /** Looks for a text in whatever the process table shows of others. */
  processes: (secret) => {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    const seen = pids.filter((pid) =>
      ['environ', 'cmdline'].some((name) => {
        try {
          return readFileSync(`/proc/${pid}/${name}`, 'latin1').includes(secret)
        } catch {
          return false
        }
      }),
    )
    return seen.length === 0 ? `nothing among ${pids.length}` : `found in ${seen.length}`
  },
  connect: async (target) => {
    const url = new URL(`tcp://${target}`)
    return `${await reach(url.hostname, Number(url.port))}, ${await throughProxy(target)}`
  },
  status: () => readFileSync('/proc/self/status', 'utf8'),
  /** One call of the kernel by its number; the answer is errno, or 0. */
  call: (words) => execFileSync('/usr/bin/perl', ['-e', `print syscall(${words}) == -1 ? $!+0 : 0`]).toString(),
  fork: async (most) => {
    const started: Promise<number>[] = []
    for (let count = 0; count < Number(most); count++) {
      const one = spawn('/bin/sleep', ['120'], { stdio: 'ignore' })
      started.push(new Promise((resolve) => one.on('spawn', () => resolve(1)).on('error', () => resolve(0))))
    }
    return String((await Promise.all(started)).reduce((sum, one) => sum + one, 0))
  },
  escape: (marker) => {
    spawn('/bin/sh', ['-c', `setsid sh -c 'sleep 120; : ${marker}' & exit 0`], {
      stdio: 'ignore',
      detached: true,
    }).unref()
    return 'escaped'
  },
  memory: async (mebibytes) => {
    const held: Buffer[] = []
    for (let count = 0; count < Number(mebibytes); count += 64) {
      held.push(Buffer.alloc(64 * MIB, 1))
      await new Promise((resolve) => setImmediate(resolve))
    }
    return `${held.length * 64} MiB`
  },
  file: (words) => {
    const [path = '', mebibytes = '0'] = words.split(' ')
    const fd = openSync(path, 'w')
    const block = Buffer.alloc(4 * MIB, 1)
    for (let count = 0; count < Number(mebibytes); count += 4) writeSync(fd, block)
    return 'written'
  },
  files: async (words) => {
    const [folder = '', count = '0'] = words.split(' ')
    mkdirSync(folder, { recursive: true })
    for (let at = 0; at < Number(count); at++) {
      writeFileSync(join(folder, String(at)), Buffer.alloc(4 * MIB, 1))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return 'written'
  },
}
const inputSchema = { type: 'object' as const }

serveStdio(() => {
  const server = new Server({ name: 'hostile', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(ATTEMPTS).map((name) => ({ name, inputSchema })),
  }))
  server.setRequestHandler('tools/call', async ({ params }) => {
    const text = await Promise.resolve()
      .then(() => ATTEMPTS[params.name]?.(String(params.arguments?.['target'] ?? '')) ?? 'no such tool')
      .catch((thrown: NodeJS.ErrnoException) => `failed: ${thrown.code ?? thrown.message}`)
    return { content: [{ type: 'text', text }] }
  })
  return server
})
