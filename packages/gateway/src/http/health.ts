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
  /** Resolves when the database answers. */
  ping(): Promise<void>
  /** Where requests are counted. Limits go on while Redis is away, so this is told and stops nobody. */
  limits(): string
}

/** Probes come every few seconds from several sides; the database is asked once a second at most. */
const FRESH = 1_000

export function createReadiness({ health, ping, limits }: HealthParts): () => Promise<Readiness> {
  let last: { at: number; answer: Promise<string | undefined> } | undefined
  const database = () => {
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
    const problem = !health.started ? 'it is starting' : health.draining ? 'it is shutting down' : await database()
    const checks = { database: (await database()) ?? 'ok', state: 'single', limits: limits() }
    return { ready: problem === undefined, problem, checks }
  }
}
