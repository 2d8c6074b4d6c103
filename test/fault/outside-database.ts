/** A PostgreSQL server of the user's own, with a network in front of it that can be cut, frozen and mended. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../packages/gateway/src/db/embedded-postgres.ts'

export interface OutsideDatabase extends AsyncDisposable {
  /** The value for DATABASE_URL: it leads through the network proxy. */
  readonly url: string
  /** The same as another role. */
  urlFor(role: string): string
  /** As its administrator, past the network. */
  query(text: string): Promise<pg.QueryResult<Record<string, unknown>>>
  /** Connections are refused, and those that are open break. */
  cut(): void
  /** Nothing passes any more, and nobody is told. */
  freeze(): void
  /** All processes of the server stand still (SIGSTOP), until `resume`. */
  stopProcesses(): Promise<void>
  resume(): void
  mend(): void
}

export async function startOutsideDatabase(): Promise<OutsideDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'toolway-outside-'))
  const server = await startEmbeddedPostgres({ directory })
  const { host, user, database } = server.connection
  const admin = new pg.Pool({ ...server.connection, user: 'postgres', max: 2 })
  admin.on('error', () => {})
  const { rows } = await admin.query<{ port: string }>('show port')
  const network = await startNetwork(`${host}/.s.PGSQL.${rows[0]?.port ?? 5432}`)
  const kept = await admin.query<{ data_directory: string }>('show data_directory')
  const processes = standstillOf(kept.rows[0]?.data_directory ?? directory)
  const at = (account: string) => `postgres://${account}@127.0.0.1:${network.port}/${database}`
  return {
    ...network,
    url: at(user),
    urlFor: at,
    query: (text) => admin.query(text),
    ...processes,
    async [Symbol.asyncDispose]() {
      processes.resume()
      network.cut()
      await network.close()
      await admin.end()
      await server.stop()
      await rm(directory, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Stops and continues the server's processes, by their ids. */
function standstillOf(directory: string) {
  const stopped = new Set<number>()
  const childrenOf = async (parent: number) => {
    const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
    const stats = await Promise.all(names.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')))
    return names
      .map(Number)
      .filter((_, at) => / \w (\d+) /.exec(stats[at]?.split(')').at(-1) ?? '')?.[1] === String(parent))
  }
  return {
    async stopProcesses() {
      const postmaster = Number.parseInt(await readFile(join(directory, 'postmaster.pid'), 'utf8'), 10)
      // The one that would start others first.
      stop(postmaster)
      for (const pid of await childrenOf(postmaster)) stop(pid)
    },
    resume() {
      for (const pid of stopped) signal(pid, 'SIGCONT')
      stopped.clear()
    },
  }
  function stop(pid: number): void {
    signal(pid, 'SIGSTOP')
    stopped.add(pid)
  }
}

/** A process of a connection that was given up ends by itself. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown
  }
}

/** TCP in front of the server's socket. */
async function startNetwork(socketPath: string) {
  const pairs = new Set<readonly [Socket, Socket]>()
  let state: 'open' | 'cut' | 'frozen' = 'open'
  const listener = createServer((near) => {
    if (state === 'cut') return void near.destroy()
    const far = connect(socketPath)
    const pair = [near, far] as const
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const side of pair) side.on('error', end).on('close', end)
    near.on('data', (bytes) => far.write(bytes))
    far.on('data', (bytes) => near.write(bytes))
    if (state === 'frozen') for (const side of pair) side.pause()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address() as AddressInfo
  return {
    port,
    cut() {
      state = 'cut'
      for (const [near, far] of pairs) {
        near.destroy()
        far.destroy()
      }
    },
    freeze() {
      state = 'frozen'
      for (const [near, far] of pairs) {
        near.pause()
        far.pause()
      }
    },
    mend() {
      state = 'open'
      for (const [near, far] of pairs) {
        near.resume()
        far.resume()
      }
    },
    close: () => new Promise<void>((resolve) => listener.close(() => resolve())),
  }
}
