/**
 * Chooses the account that the embedded server runs as. PostgreSQL refuses uid 0, and initdb needs an account with a name.
 * Returns a function that starts programs, and the uid and gid that own the cluster's files. It never changes an existing owner.
 *
 * A normal user runs it as itself. Root, in this order:
 * 1. in a user namespace, where root's own files appear as a normal user's. Everything stays root's with mode 0700, and no other
 * account on the machine can reach the cluster or its socket. Containers usually forbid namespaces.
 * 2. as `nobody`. The data directory then gets group `nobody` and mode 0710: `nobody` may pass through to the two folders that
 * are its own (the cluster, the socket), and neither list nor replace other files there, such as the vault key. Giving `nobody`
 * the whole directory would let every other service that runs as `nobody` swap that key.
 *
 * A cluster or a directory that has another owner keeps it: root becomes that account.
 */
import { execFile } from 'node:child_process'
import { chmod, chown, readFile, stat } from 'node:fs/promises'
import os from 'node:os'
import { promisify } from 'node:util'
import { cleanEnvironment, NoEmbeddedPostgres } from './binaries.ts'
import type { Binaries } from './binaries.ts'

/** Of files, seen from outside. */
export interface Owner {
  uid: number
  gid: number
}

export interface Account extends Owner {
  /** The command line that runs this one as the account. */
  wrap(command: readonly string[]): string[]
  /** To spread into spawn options: empty, or the uid and gid to become. */
  become: { uid: number; gid: number } | Record<never, never>
}

const nobody = 65_534
const advice = 'run Toolway as a normal user, or set DATABASE_URL'

export interface AccountParts {
  /** The data directory, which exists. */
  directory: string
  binaries: Binaries
  /** Owner of the cluster that is already there. */
  owner: Owner | undefined
}

export async function chooseAccount(parts: AccountParts): Promise<Account> {
  const { directory, owner } = parts
  const [uid, gid] = [process.getuid?.() ?? nobody, process.getgid?.() ?? nobody]
  if (uid === 0) return chooseForRoot(parts)
  if (owner && owner.uid !== uid) {
    throw new Error(`the database in ${directory} belongs to uid ${owner.uid}, but this is uid ${uid}`)
  }
  if (hasName()) return proveAccount(ownAccount({ uid, gid }), parts)
  const namespace = await namespaceAccount({ uid, gid })
  if ((await refusal(namespace, parts)) === undefined) return namespace
  throw new NoEmbeddedPostgres(`uid ${uid} has no name in /etc/passwd, which PostgreSQL requires`)
}

async function chooseForRoot(parts: AccountParts): Promise<Account> {
  const { directory, owner } = parts
  const home = await stat(directory)
  // The owner of the cluster, or before it exists, of the directory.
  const settled = owner ?? (home.uid === 0 ? undefined : { uid: home.uid, gid: home.gid })
  if (settled && settled.uid !== 0) {
    if (home.uid === 0) await letThrough(directory, settled.gid)
    return proveAccount(droppedAccount(settled), parts)
  }
  const namespace = await namespaceAccount({ uid: 0, gid: 0 })
  if ((await refusal(namespace, parts)) === undefined) return namespace
  if (settled)
    throw new Error(`the database in ${directory} belongs to root, and user namespaces are not allowed here: ${advice}`)
  await letThrough(directory, nobody)
  return proveAccount(droppedAccount({ uid: nobody, gid: nobody }), parts)
}

const ownAccount = (owner: Owner): Account => ({ ...owner, wrap: (command) => [...command], become: {} })

const droppedAccount = (become: Owner): Account => ({ ...become, become, wrap: (command) => [...command] })

async function namespaceAccount(owner: Owner): Promise<Account> {
  const inside = await namedUid()
  const unshare = ['unshare', '--user', `--map-user=${inside}`, `--map-group=${inside}`, '--']
  return { ...owner, wrap: (command) => [...unshare, ...command], become: {} }
}

/** Mode 0700 becomes 0710 for the group of the account; a directory that already lets others through stays as it is. */
async function letThrough(directory: string, gid: number): Promise<void> {
  const { mode, uid } = await stat(directory)
  if ((mode & 0o001) !== 0) return
  await chown(directory, uid, gid)
  await chmod(directory, (mode & 0o700) | 0o010)
}

async function proveAccount(account: Account, parts: AccountParts): Promise<Account> {
  const why = await refusal(account, parts)
  if (why === undefined) return account
  throw new NoEmbeddedPostgres(`the embedded PostgreSQL does not run here as uid ${account.uid} (${why})`)
}

/** Trying once tells the truth about musl, missing libraries, noexec mounts and folders out of reach alike. */
async function refusal(account: Account, { directory, binaries }: AccountParts): Promise<string | undefined> {
  const attempt = ['/bin/sh', '-c', 'cd "$1" && exec "$2" --version', 'sh', directory, binaries.postgres]
  const [program = '', ...args] = account.wrap(attempt)
  try {
    await promisify(execFile)(program, args, { ...account.become, env: cleanEnvironment, cwd: '/', timeout: 10_000 })
    return undefined
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : String(thrown)
    return text.trim().split('\n').at(-1) ?? text
  }
}

function hasName(): boolean {
  try {
    return os.userInfo().username !== ''
  } catch {
    return false
  }
}

/** Any account but root with a name serves inside the namespace: it is a mask, it owns nothing. */
async function namedUid(): Promise<number> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const uids = passwd.split('\n').map((line) => Number(line.split(':')[2] ?? Number.NaN))
  return uids.find((uid) => Number.isInteger(uid) && uid > 0) ?? nobody
}
