/**
 * Three questions of whoever runs the gateway: does the process live, can it serve now, has it started.
 *
 * Live says nothing of anything outside the process, so that a database that is away gets no gateway restarted. All are answered
 * from memory: a probe that waited for what it asks about would fail with it, at all gateways at once (ADR 0111).
 */
export interface Health {
  /** Set once everything is composed. */
  started: boolean
  draining: boolean
}

export interface Readiness {
  /** Degraded gateways serve, so they are as good as ready to a balancer. */
  readonly status: 'ready' | 'degraded' | 'not ready'
  readonly problem: string | undefined
  readonly checks: Readonly<Record<string, string>>
  /** How long ago a check that is not made for each request was made. Milliseconds. */
  readonly ages: Readonly<Record<string, number>>
}

export interface HealthParts {
  readonly health: Health
  /** The database; undefined where there is none, which is then one instance. */
  readonly store: StoreHealth | undefined
  /** The problem with a policy file whose last valid content is in force. The gateway goes on serving. */
  readonly policy?: () => string | undefined
  /** Where requests are counted. Limits go on while Redis is away, so this is told and stops nobody. */
  limits(): string
  /** Where what requests share is kept: the database or memory, and Redis where it is set. */
  readonly state: string
  /** Where changes by other gateways are heard. A gateway that falls back from Redis goes on serving. */
  readonly changes?: (() => string) | undefined
  /** The reason why audit entries cannot be stored. They wait on disk meanwhile, so the gateway goes on serving. */
  readonly records?: () => string | undefined
}

export interface StoreHealth {
  /** Whether the database responded when it was last asked, and how many milliseconds ago that was. */
  known(): { readonly responds: boolean; readonly age: number }
  /** Milliseconds for which it has not been of use. */
  awayFor(): number
  /** Milliseconds for which memory serves without it. */
  readonly grace: number
}

/** The database is asked each second, and has two to answer: what is older was not looked at. Milliseconds. */
const STALE_MS = 5_000

const MEMORY_ONLY = 'in memory: single instance'
/** Where the file is, and what stands in it, is for the log and for who has a key. */
const LAST_POLICY = 'the policy file is invalid; the previous policy remains in force'

export function createReadiness(parts: HealthParts): () => Readiness {
  const { health, store, policy, limits, state, records, changes } = parts
  return () => {
    const known = store?.known()
    const away = known === undefined ? undefined : problemOf(known)
    const lasts = store !== undefined && store.awayFor() <= store.grace
    const stops = !health.started
      ? 'it is starting'
      : health.draining
        ? 'it is shutting down'
        : lasts
          ? undefined
          : away
    const unstored = records?.()
    const serves = away === undefined ? unstored : `serving from memory: ${away}`
    const storeCheck = store === undefined ? { store: MEMORY_ONLY } : { database: away ?? 'ok' }
    const policed = policy === undefined ? {} : { policy: policy() === undefined ? 'ok' : LAST_POLICY }
    const recorded = records === undefined ? {} : { records: unstored ?? 'ok' }
    const changesCheck = changes === undefined ? {} : { changes: changes() }
    const checks = { ...storeCheck, ...policed, ...recorded, ...changesCheck, state, limits: limits() }
    const status = stops !== undefined ? 'not ready' : serves !== undefined ? 'degraded' : 'ready'
    const ages: Record<string, number> = known === undefined ? {} : { database: Math.round(known.age) }
    return { status, problem: stops ?? serves, checks, ages }
  }
}

function problemOf({ responds, age }: ReturnType<StoreHealth['known']>): string | undefined {
  if (!responds) return 'the database does not respond'
  return age > STALE_MS ? `the state of the database is unknown for ${Math.round(age / 1000)} s` : undefined
}
