/**
 * Sessions that this machine has opened elsewhere, so that a toolkit which was ended in the middle of a transfer finds them
 * again. A small file in the user's own state folder; without it every process begins anew.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { z } from 'zod'

const Sessions = z.record(z.string(), z.object({ id: z.string().max(200), at: z.number() }))
const MOST = 100
/** Milliseconds. */
const KEPT_MS = 24 * 3_600_000

export interface SessionMemory {
  find(of: readonly string[]): Promise<string | undefined>
  keep(of: readonly string[], id: string): Promise<void>
  forget(of: readonly string[], id: string): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

export function stateFolder(environment: Environment): string {
  const named = environment['XDG_STATE_HOME'] ?? environment['LOCALAPPDATA']
  const base = named !== undefined && isAbsolute(named) ? named : join(homedir(), '.local', 'state')
  return join(base, 'toolway-toolkit')
}

/** @param of names what it belongs to: address, key and user. Only their hash is written. */
const nameOf = (of: readonly string[]): string => createHash('sha256').update(JSON.stringify(of)).digest('hex')

export function createSessionMemory(folder: string): SessionMemory {
  const path = join(folder, 'sessions.json')

  async function read() {
    const text = await readFile(path, 'utf8').catch(() => '{}')
    try {
      const sessions = Sessions.parse(JSON.parse(text))
      return Object.fromEntries(Object.entries(sessions).filter(([, { at }]) => Date.now() - at < KEPT_MS))
    } catch {
      return {}
    }
  }

  /** Whether it can be written or not: the session works either way. */
  async function change(act: (sessions: z.output<typeof Sessions>) => void): Promise<void> {
    try {
      const sessions = await read()
      act(sessions)
      const newest = Object.entries(sessions).sort(([, value], [, other]) => other.at - value.at)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const beside = `${path}.${randomBytes(6).toString('hex')}`
      await writeFile(beside, JSON.stringify(Object.fromEntries(newest.slice(0, MOST))), { mode: 0o600, flag: 'wx' })
      await rename(beside, path)
    } catch {
      // A read-only home.
    }
  }

  return {
    find: async (of) => (await read())[nameOf(of)]?.id,
    keep: (of, id) => change((sessions) => (sessions[nameOf(of)] = { id, at: Date.now() })),
    forget: (of, id) =>
      change((sessions) => {
        if (sessions[nameOf(of)]?.id === id) delete sessions[nameOf(of)]
      }),
  }
}
