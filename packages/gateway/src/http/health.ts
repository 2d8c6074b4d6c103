/**
 * Three questions of whoever runs the gateway: does the process live, can it serve now, has it started.
 *
 * Live says nothing of anything outside the process, so that a database that is away gets no gateway restarted.
 */
export interface Health {
  /** Set once everything is composed. */
  started: boolean
  draining: boolean
}

export interface Readiness {
  readonly ready: boolean
  readonly problem: string | undefined
  readonly checks: Readonly<Record<string, string>>
}

export interface HealthParts {
  readonly health: Health
  /** Resolves when the database answers; undefined where there is none, which is then one instance. */
  readonly store: (() => Promise<void>) | undefined
  /** What is wrong with a policy file whose last content is in force. That stops nobody either. */
  readonly policy?: () => string | undefined
  /** Where requests are counted. Limits go on while Redis is away, so this is told and stops nobody. */
  limits(): string
}

/** Probes come every few seconds from several sides; the database is asked once a second at most. */
const FRESH = 1_000

const MEMORY_ONLY = 'memory only: one instance'
/** Where the file is, and what stands in it, is for the log and for who has a key. */
const LAST_POLICY = 'the policy file cannot be used; the last policy is in force'

export function createReadiness({ health, store, policy, limits }: HealthParts): () => Promise<Readiness> {
  let last: { at: number; answer: Promise<string | undefined> } | undefined
  const database = (ping: () => Promise<void>) => {
    if (last === undefined || Date.now() - last.at > FRESH) {
      last = {
        at: Date.now(),
        answer: ping().then(
          () => undefined,
          () => 'the database does not answer',
        ),
      }
    }
    return last.answer
  }
  return async () => {
    const away = store === undefined ? undefined : await database(store)
    const problem = !health.started ? 'it is starting' : health.draining ? 'it is shutting down' : away
    const kept = store === undefined ? { store: MEMORY_ONLY } : { database: away ?? 'ok' }
    const policed = policy === undefined ? {} : { policy: policy() === undefined ? 'ok' : LAST_POLICY }
    const checks = { ...kept, ...policed, state: 'single', limits: limits() }
    return { ready: problem === undefined, problem, checks }
  }
}
