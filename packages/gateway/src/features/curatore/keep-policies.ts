/**
 * The policy files, looked at twice a second: one that changed is in force within a second, and one that cannot be read leaves the
 * last policy where it was, with an error on the log and in /health/ready (ledger S1-POL-03).
 *
 * It asks for the file's state instead of waiting to be told: folders that a container mounts are exchanged as a whole.
 */
import { stat } from 'node:fs/promises'
import type { Log } from '../../lib/log.ts'
import { readPolicyFile, type CuratorePolicy } from '../../policy-file.ts'
import type { Profile } from './curatore.ts'

export interface KeptProfile extends Profile {
  readonly policy: CuratorePolicy
}

export interface KeepPolicies {
  /** As they are in force. */
  profiles(): readonly KeptProfile[]
  /** The error in a file whose previous policy is in force; undefined where there is none. */
  problem(): string | undefined
  /** Look at them from now on. */
  watch(): void
  /** Look at the files now, whatever their state is. */
  reload(): Promise<void>
  close(): void
}

export interface KeepPoliciesParts {
  readonly profiles: readonly Profile[]
  readonly log: Log
  /** Something else is in force now; may throw, and then it is not. */
  onChange(profiles: readonly KeptProfile[]): Promise<void>
  /** Milliseconds between two looks. */
  readonly every?: number
}

const EVERY = 500

interface Kept {
  readonly profile: KeptProfile
  /** Stands for the file as it was when it was looked at last. */
  mark: string
  problem: string | undefined
}

/** Throws ConfigFault where one of them cannot be read: then there is no last policy. */
export async function createKeepPolicies(parts: KeepPoliciesParts): Promise<KeepPolicies> {
  const { log, onChange, every = EVERY } = parts
  const kept: Kept[] = []
  for (const profile of parts.profiles) {
    const mark = await markOf(profile.path)
    kept.push({ profile: { ...profile, policy: readPolicyFile(profile.path) }, mark, problem: undefined })
  }
  let looking: Promise<void> = Promise.resolve()
  let closed = false
  let timer: NodeJS.Timeout | undefined

  /** One look after the other. */
  function look(always: boolean): Promise<void> {
    looking = looking.then(async () => {
      for (const at of kept.keys()) await lookAt(at, always)
    })
    return looking
  }

  async function lookAt(at: number, always: boolean): Promise<void> {
    const one = kept[at]
    if (one === undefined || closed) return
    const mark = await markOf(one.profile.path)
    if (mark === one.mark && !always) return
    one.mark = mark
    const before = one.profile
    try {
      const policy = readPolicyFile(before.path)
      kept[at] = { profile: { ...before, policy }, mark, problem: undefined }
      await onChange(kept.map(({ profile }) => profile))
      log.info(
        { toolset: before.toolset, version: policy.version, clamps: policy.rules.length },
        'the policy file was read',
      )
    } catch (thrown) {
      const problem = (thrown as Error).message
      kept[at] = { profile: before, mark, problem }
      log.error(
        { toolset: before.toolset, problem },
        'the policy file is invalid; the previous policy remains in force',
      )
    }
  }

  return {
    profiles: () => kept.map(({ profile }) => profile),
    problem: () => kept.find(({ problem }) => problem !== undefined)?.problem,
    watch() {
      timer ??= setInterval(() => void look(false), every).unref()
    },
    reload: () => look(true),
    close() {
      closed = true
      clearInterval(timer)
    },
  }
}

/** A missing file has a mark of its own. */
const markOf = (path: string): Promise<string> =>
  stat(path, { bigint: true }).then(
    ({ ino, size, mtimeNs }) => `${ino} ${size} ${mtimeNs}`,
    (thrown: NodeJS.ErrnoException) => thrown.code ?? 'away',
  )
