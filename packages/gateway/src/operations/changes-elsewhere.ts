/**
 * The answer to a change waits until every process of the port acts on it: a client's next request may come to any of them. Gateways
 * on other machines hear of the change from the database, and nothing waits for them.
 *
 * The wait is bounded. A process that is late is named in the log, and the answer goes out: the change itself is committed.
 */
import type { OperationBase } from './serve.ts'
import type { Log } from '../lib/log.ts'
import type { ProcessPlace } from '../lib/process-place.ts'

const CHANGE = 'change'
/** Milliseconds for this process, and for the answers of the others, which have two seconds (`ProcessPlace`). */
const PATIENCE = { own: 2_000, others: 3_000 }

export interface ChangesElsewhereParts {
  /** Resolves once this process acts on each change that was committed before; of that organization where one is named. */
  caughtUp(organizationId: string | undefined): Promise<void>
  /** Undefined where there is one process. */
  readonly place: ProcessPlace | undefined
  readonly log: Pick<Log, 'warn'>
}

/** Undefined where nothing is waited for. */
export function createChangesElsewhere({ place, caughtUp, log }: ChangesElsewhereParts): OperationBase['untilApplied'] {
  if (place === undefined) return undefined
  place.answer(CHANGE, async (facts) => {
    await caughtUp((facts as { readonly organization?: string }).organization)
    return true
  })
  return async (organization) => {
    const [own, others] = await Promise.all([
      within(
        PATIENCE.own,
        caughtUp(organization).then(() => 0),
      ),
      within(PATIENCE.others, place.reach(CHANGE, { organization })),
    ])
    const processes = own + others
    if (processes > 0)
      log.warn({ processes, organization }, 'a change is not in force yet in every process of this port')
  }
}

/** How many are late; one where that is not known in time. */
function within(patience: number, work: Promise<number>): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const timer = setTimeout(resolve, patience, 1)
  work.then(resolve, () => resolve(1))
  return promise.finally(() => clearTimeout(timer))
}
