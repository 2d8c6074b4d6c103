/**
 * When keys, credentials and sign-ins were last used: gathered in memory and written once a minute, so that no call waits for it.
 *
 * What a sudden end loses is a minute of it. A write that fails is tried with the next one.
 */
import type { CredentialId, FamilyId, KeyId } from '@toolway/contract'

export interface KeepUsesParts<Id extends KeyId | CredentialId | FamilyId> {
  store(ids: readonly Id[]): Promise<unknown>
  readonly log: { warn(facts: object, message: string): void }
  /** Milliseconds. */
  readonly every?: number
}

export interface KeepUses<Id extends KeyId | CredentialId | FamilyId> {
  note(id: Id): void
  flush(): Promise<void>
  close(): Promise<void>
}

const MINUTE = 60_000
const MOST = 100_000

export function createKeepUses<Id extends KeyId | CredentialId | FamilyId>({
  store,
  log,
  every = MINUTE,
}: KeepUsesParts<Id>): KeepUses<Id> {
  let used = new Set<Id>()
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    if (used.size === 0) return
    const ids = used
    used = new Set()
    try {
      await store([...ids])
    } catch (thrown) {
      for (const id of ids) noteUse(id)
      log.warn({ err: thrown, ids: ids.size }, 'times of last use could not be stored; retrying')
    }
  }

  const noteUse = (id: Id): void => {
    if (used.size < MOST) used.add(id)
  }
  const flush = () => (writing = writing.then(write))
  const rounds = setInterval(() => void flush(), every)
  rounds.unref()

  return {
    note: noteUse,
    flush,
    async close() {
      clearInterval(rounds)
      await flush()
    },
  }
}
