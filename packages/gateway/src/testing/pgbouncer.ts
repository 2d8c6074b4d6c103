/**
 * Test pooler: a real PgBouncer in transaction mode in front of a test server, with no setting that is made for Toolway, so that
 * it refuses startup parameters which it does not know, and gives each transaction another session.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'

interface Connection {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly password?: string
  readonly ssl: false
}

export interface PgBouncer extends AsyncDisposable {
  readonly port: number
  /** The same database through the pooler. */
  of(connection: Connection): Connection
  /** Ends it, with every connection through it. */
  stop(): Promise<void>
}

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534

export const hasPgBouncer = (): boolean => spawnSync('pgbouncer', ['--version']).status === 0

/** `sessions`: how many the pooler has with the server, for one database and user. */
export async function startPgBouncer(server: Connection, sessions = 5): Promise<PgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-pgbouncer-'))
  await chmod(folder, 0o755)
  const port = await freePort()
  const users = join(folder, 'users.txt')
  const file = join(folder, 'pgbouncer.ini')
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  // The socket of an embedded server may be for its owner alone, who is not PgBouncer's account.
  const relay = server.host.startsWith('/') ? await openRelay(`${server.host}/.s.PGSQL.${server.port}`) : undefined
  const target = relay === undefined ? `host=${server.host} port=${server.port}` : `host=127.0.0.1 port=${relay.port}`
  await writeFile(users, `"${server.user}" "${server.password ?? ''}"\n`)
  await writeFile(
    file,
    `[databases]
* = ${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 1000
log_connections = 0
log_disconnections = 0
`,
  )
  const child = spawn('pgbouncer', [file], { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder, ...account })
  let said = ''
  child.stderr.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-2_000)))
  const closed = once(child, 'close')
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${said}`)
    await sleep(20)
  }
  const stop = async () => {
    child.kill('SIGINT')
    // A second one does not wait for clients.
    child.kill('SIGTERM')
    await closed
  }
  return {
    port,
    of: ({ password: _, ...connection }) => ({ ...connection, host: '127.0.0.1', port }),
    stop,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) await stop()
      await relay?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const open = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return open
}

async function openRelay(path: string) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const target = connect(path)
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy()).once('close', () => (sockets.delete(one), other.destroy()))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
