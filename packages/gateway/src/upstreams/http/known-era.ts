/**
 * The era of a remote server: pinned, or detected once and remembered.
 *
 * Detection follows specification 2026-07-28, versioning: `server/discover` first; a server that does not answer it as a modern
 * one does is tried with `initialize`. HTTP 5xx, a cut connection and silence decide nothing: both are tried, and the first success
 * counts. A legacy server that names another version of itself is asked again.
 */
import { Fault } from '@toolway/contract'
import { isLegacyRevision, MODERN, type LegacyRevision, type Revision } from '@toolway/protocol'
import { pause } from '../../lib/pause.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import type { Carrier } from '../carrier.ts'
import { statusRefusedOf } from '../status-refused.ts'
import type { Ask, OpenedCredential, Reach, ServerInfo } from '../upstream.ts'

/** How long a server may be silent on `server/discover` before `initialize` is tried beside it, in milliseconds. */
const PROBE_PATIENCE = 10_000
interface KnownEraParts {
  readonly reach: Pick<Reach, 'timeout' | 'pinned' | 'revision'>
  readonly carrier: Pick<Carrier, 'isModern'>
  readonly closing: AbortSignal
  /** Greets in the legacy way, in the session that calls use then. */
  greet(whose: Ask | OpenedCredential | undefined): Promise<ServerInfo>
  /** The session of the gateway's own greeting is not used. */
  forgetGreeting(): void
  onRevision(revision: Revision): void
}

export class KnownEra {
  readonly #parts: KnownEraParts
  readonly #patience
  readonly #detecting = createSingleFlight<string | undefined, Revision>()
  #known
  /** That the legacy server named at the last introduction. */
  #version: string | undefined

  constructor(parts: KnownEraParts) {
    this.#parts = parts
    this.#patience = parts.reach.timeout * 1000
    this.#known = parts.reach.revision
  }

  get revision(): Revision | undefined {
    return this.#known
  }

  get legacy(): LegacyRevision | undefined {
    return this.#known !== undefined && isLegacyRevision(this.#known) ? this.#known : undefined
  }

  doubt(): void {
    this.#known = undefined
  }

  /** A server of another version may speak the modern era now. */
  isUpgraded({ server }: ServerInfo): boolean {
    const before = this.#version
    this.#version = String(server['version'])
    return before !== undefined && before !== this.#version && !this.#parts.reach.pinned
  }

  #settle(revision: Revision): Revision {
    this.#known = revision
    this.#parts.onRevision(revision)
    return revision
  }

  /** Found out with the credential of whoever wants to know: nobody is told no because another one may not come in. */
  of(whose: Ask | OpenedCredential | undefined): Promise<Revision> | Revision {
    if (this.#known !== undefined) return this.#known
    const credential = whose !== undefined && 'caller' in whose ? whose.credential : whose
    return this.#detecting(credential?.id, () => this.detect(whose, credential))
  }

  async detect(whose: Ask | OpenedCredential | undefined, credential: OpenedCredential | undefined): Promise<Revision> {
    const probe = this.#parts.carrier.isModern(AbortSignal.timeout(this.#patience), credential)
    const verdict = await verdictOf(probe, Math.min(PROBE_PATIENCE, this.#patience / 2))
    if (verdict === 'modern') return this.#settle(MODERN)
    const greet = async () => (await this.#parts.greet(credential === undefined ? undefined : whose)).revision
    const greeting = greet()
    if (verdict === 'legacy') return this.#settle(await greeting)
    const first = Promise.any([probe.then((isModern) => (isModern ? MODERN : greeting)), greeting])
    const revision = await first.catch((thrown: unknown) => {
      throw thrown instanceof AggregateError ? thrown.errors[0] : thrown
    })
    if (revision === MODERN) this.#parts.forgetGreeting()
    // A server that was only starting answers both greetings, in any order.
    else void probe.then((isModern) => isModern && !this.#parts.closing.aborted && this.#preferModern()).catch(() => {})
    return this.#settle(revision)
  }

  #preferModern(): void {
    this.#parts.forgetGreeting()
    this.#settle(MODERN)
  }
}

/** The era that `server/discover` shows, after so many milliseconds at most. Throws faults that the other greeting would not mend. */
async function verdictOf(probe: Promise<boolean>, patience: number): Promise<'modern' | 'legacy' | 'unknown'> {
  const decided = new AbortController()
  try {
    return await Promise.race([
      probe.then((isModern) => (isModern ? ('modern' as const) : ('legacy' as const))),
      pause(patience, decided.signal).then(() => 'unknown' as const),
    ])
  } catch (thrown) {
    if (!isNoVerdict(thrown)) throw thrown
    return 'unknown'
  } finally {
    decided.abort()
  }
}

/** Some servers fail, hang up or are silent at a method that they do not know; so does a server that is not well. */
const isNoVerdict = (thrown: unknown): boolean =>
  thrown instanceof Fault &&
  (thrown.code === 'upstream.lost' ||
    thrown.code === 'upstream.timeout' ||
    (statusRefusedOf(thrown)?.status ?? 0) >= 500)
