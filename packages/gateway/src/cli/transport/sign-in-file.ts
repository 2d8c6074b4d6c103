/**
 * The tokens of a person's command line: in a file that only they read, renewed by one command at a time.
 *
 * A refresh token is good once, so that two commands that renewed at the same time would end the sign-in: a lock file beside
 * it lets one do it, and the others take what it got.
 */
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

const Kept = z.object({
  /** Of the gateway, without a slash at its end. */
  url: z.string(),
  /** Whether it is the gateway of this very data directory. */
  own: z.boolean().default(true),
  email: z.string(),
  access_token: z.string(),
  refresh_token: z.string(),
  /** Milliseconds since 1970. */
  expires_at: z.number(),
})
export type KeptSignIn = z.output<typeof Kept>

export const SIGN_IN_FILE = 'sign-in.json'

/** Undefined when nobody is signed in, or the file is not ours. */
export async function readSignIn(file: string): Promise<KeptSignIn | undefined> {
  try {
    return Kept.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}

/** Whole or not at all: a command that is killed leaves the file as it was. */
export async function keepSignIn(file: string, stored: KeptSignIn): Promise<void> {
  const next = `${file}.new`
  await rm(next, { force: true })
  await writeFile(next, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  await rename(next, file)
}

export const forgetSignIn = (file: string): Promise<void> => rm(file, { force: true })

const EARLY = 30_000
const STALE_MS = 30_000
const POLL_MS = 50

export const isFresh = ({ expires_at: until }: KeptSignIn): boolean => until - EARLY > Date.now()

/** The sign-in with an access token that is good, renewed by `renew` where it has to be; undefined when nobody is signed in. */
export async function freshSignIn(
  file: string,
  renew: (stored: KeptSignIn) => Promise<KeptSignIn>,
): Promise<KeptSignIn | undefined> {
  const signIn = await readSignIn(file)
  if (signIn === undefined || isFresh(signIn)) return signIn
  await using _lock = await takeLock(`${file}.lock`)
  // Another command may have renewed it in the meantime.
  const now = await readSignIn(file)
  if (now === undefined || isFresh(now)) return now
  const renewed = await renew(now)
  await keepSignIn(file, renewed)
  return renewed
}

/** Waits its turn; the lock of a command that was killed is taken away after half a minute. */
export async function takeLock(path: string): Promise<AsyncDisposable> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  for (;;) {
    const taken = await open(path, 'wx', 0o600).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== 'EEXIST') throw thrown
    })
    if (taken !== undefined) {
      await taken.close()
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) }
    }
    const since = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (since > STALE_MS) await rm(path, { force: true })
    await sleep(POLL_MS)
  }
}
