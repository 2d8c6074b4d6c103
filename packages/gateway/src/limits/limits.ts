/**
 * Rate limits of the gateway: by address, by key, by organization, by connection, and as rules say (ledger U-15). The first empty
 * bucket refuses, with the seconds until it would not.
 *
 * It knows names and numbers and no request: the caller says what counts. Nothing is taken from the wider bucket when the
 * narrower one refuses, nor the other way round. `docs/guides/limits.md` lists the requests that count against each bucket.
 */
import { Fault, type FaultCode } from '@toolway/contract'
import { createBuckets, type Buckets } from './buckets.ts'
import { createSharedBuckets, type SharedTokenStore } from './shared-buckets.ts'

/** Requests per minute; 0 is no limit. */
export interface LimitRates {
  readonly address: number
  readonly organization: number
  /** Of the admin interface of one organization, which a console asks several things at once for each screen. */
  readonly administration: number
  readonly key: number
  readonly connection: number
}

export interface LimitsParts {
  readonly rates: LimitRates
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
  /** The count that several gateways share, where they do. */
  readonly shared?: { readonly in: 'redis' | 'database'; readonly count: SharedTokenStore } | undefined
  onRefuse(bucket: Bucket): void
}

export type Bucket = 'address' | 'organization' | 'administration' | 'key' | 'connection' | 'unknown' | 'rule'

/** The rate that a rule allows: so many calls in so many seconds, for all callers that share the budget of that name. */
export interface RuleRate {
  readonly name: string
  readonly calls: number
  readonly seconds: number
  /** For whoever is refused. */
  readonly reason: string
}

/**
 * Each throws, or rejects with, the fault of the bucket that is empty. A promise only when the shared count must be asked,
 * so that nobody waits who need not.
 */
export interface Limits {
  /** `count` for what costs more than others. */
  address(address: string, count?: number): Promise<void> | undefined
  /** One request of a principal to an organization, which may have settled its own `perMinute`. */
  request(principal: string, organization: string, perMinute: number | undefined): Promise<void> | undefined
  /** One operation of the admin interface. It has room of its own: whoever must stop a flood is not stopped by it. */
  administer(principal: string, organization: string | undefined): Promise<void> | undefined
  /** One request with a token of SCIM. It has room of its own and takes none of its address's, which others may share. */
  provision(token: string, address: string): Promise<void> | undefined
  connection(id: string, alias: string): Promise<void> | undefined
  /** One request for an endpoint that does not exist; all of them share one bucket. */
  unknown(): Promise<void> | undefined
  /** One call under all of these rules, or under none: nothing is taken from any of them where one refuses. */
  rules(rates: readonly RuleRate[]): Promise<void> | undefined
  /** Where is counted: for whoever runs the gateway. */
  readonly state:
    | 'memory'
    | 'redis'
    | 'database'
    | 'memory, because redis does not respond'
    | 'memory, because the database does not respond'
}

/** Names of each kind that are remembered. An address that others push out is one that was not heard of for a while. */
const MOST = 20_000

export const createLimits = (parts: LimitsParts): Limits => new CountedLimits(parts)

type PlainBucket = Exclude<Bucket, 'rule'>

class CountedLimits implements Limits {
  readonly #parts: LimitsParts
  readonly #buckets: Readonly<Record<Bucket, Buckets>>

  constructor(parts: LimitsParts) {
    const { now, shared } = parts
    const bucketsOf = (kind: Bucket): Buckets => {
      const localBuckets = createBuckets({ now, most: MOST })
      return shared === undefined
        ? localBuckets
        : createSharedBuckets({ store: shared.count, localBuckets, now, most: MOST, kind })
    }
    this.#parts = parts
    this.#buckets = {
      address: bucketsOf('address'),
      organization: bucketsOf('organization'),
      administration: bucketsOf('administration'),
      key: bucketsOf('key'),
      connection: bucketsOf('connection'),
      unknown: bucketsOf('unknown'),
      rule: bucketsOf('rule'),
    }
  }

  address(address: string, count?: number) {
    return this.#take('address', address, this.#parts.rates.address, count)
  }

  request(principal: string, organization: string, perMinute = this.#parts.rates.organization) {
    const takeOfOrganization = () => this.#take('organization', organization, perMinute)
    return this.#parts.rates.key === 0 ? takeOfOrganization() : this.#both(principal, takeOfOrganization)
  }

  administer(principal: string, organization: string | undefined) {
    const { rates } = this.#parts
    if (organization === undefined) return this.#take('key', principal, rates.key)
    return this.#both(principal, () => this.#take('administration', organization, rates.administration))
  }

  provision(token: string, address: string) {
    const giveBack = () => {
      this.#buckets.address.give(address, 1)
      return undefined
    }
    const { rates } = this.#parts
    const taking = this.#take('administration', `SCIM ${token}`, rates.administration)
    return taking === undefined ? giveBack() : taking.then(giveBack)
  }

  connection(id: string, alias: string) {
    return this.#take('connection', id, this.#parts.rates.connection, 1, alias)
  }

  unknown() {
    return this.#take('unknown', 'unknown', this.#parts.rates.organization)
  }

  rules(rates: readonly RuleRate[]) {
    const [only, ...others] = rates
    if (only === undefined) return undefined
    return others.length === 0 ? this.#underRule(only) : this.#underRules(rates)
  }

  get state(): Limits['state'] {
    const { shared } = this.#parts
    if (shared === undefined) return 'memory'
    if (shared.count.isAvailable) return shared.in
    return shared.in === 'redis'
      ? 'memory, because redis does not respond'
      : 'memory, because the database does not respond'
  }

  /** Undefined when there was room. */
  #take(bucket: PlainBucket, name: string, perMinute: number, count = 1, alias?: string): Promise<void> | undefined {
    if (perMinute === 0) return undefined
    const wait = this.#buckets[bucket].take(name, perMinute, count)
    if (wait === 0) return undefined
    if (typeof wait === 'number') throw this.#refused(bucket, perMinute, wait, alias)
    return wait.then((later) => {
      if (later > 0) throw this.#refused(bucket, perMinute, later, alias)
    })
  }

  #refused(bucket: PlainBucket, perMinute: number, wait: number, alias = ''): Fault {
    this.#parts.onRefuse(bucket)
    const facts = { limit: perMinute, seconds: secondsOf(wait) }
    return bucket === 'connection'
      ? new Fault('limit.connection', { ...facts, connection: alias })
      : new Fault(FAULTS[bucket], facts)
  }

  /** From the key's bucket and from the organization's, or from neither. */
  #both(principal: string, takeSecond: () => Promise<void> | undefined): Promise<void> | undefined {
    const giveBack = (thrown: unknown) => {
      this.#buckets.key.give(principal, 1)
      throw thrown
    }
    const takeOrGiveBack = () => {
      try {
        return takeSecond()?.catch(giveBack)
      } catch (thrown) {
        return giveBack(thrown)
      }
    }
    const first = this.#take('key', principal, this.#parts.rates.key)
    return first === undefined ? takeOrGiveBack() : first.then(takeOrGiveBack)
  }

  #underRule({ name, calls, seconds, reason }: RuleRate): Promise<void> | undefined {
    const refuse = (wait: number): Fault => {
      this.#parts.onRefuse('rule')
      return new Fault('limit.rule', { limit: calls, period: seconds, reason, seconds: secondsOf(wait) })
    }
    const wait = this.#buckets.rule.take(name, calls, 1, seconds * 1_000)
    if (wait === 0) return undefined
    if (typeof wait === 'number') throw refuse(wait)
    return wait.then((later) => {
      if (later > 0) throw refuse(later)
    })
  }

  /** One after the other; what was taken before one refused is given back. */
  async #underRules(rates: readonly RuleRate[]): Promise<void> {
    const taken: string[] = []
    try {
      for (const rate of rates) {
        await this.#underRule(rate)
        taken.push(rate.name)
      }
    } catch (thrown) {
      for (const name of taken) this.#buckets.rule.give(name, 1)
      throw thrown
    }
  }
}

/** The first whole second after which there is room. */
const secondsOf = (wait: number): number => Math.max(1, Math.ceil(wait / 1_000))

const FAULTS = {
  address: 'limit.address',
  organization: 'limit.organization',
  administration: 'limit.administration',
  key: 'limit.key',
  unknown: 'limit.unknown',
} as const satisfies Partial<Record<Bucket, FaultCode>>
