/**
 * How much anybody may ask of the gateway: by address, by key, by organization, by connection, and as rules say (ledger U-15). The
 * first of them that is empty refuses, with the seconds until it would not.
 *
 * It knows names and numbers and no request: whoever asks says what counts. Nothing is taken from the wider bucket when the
 * narrower one refuses, nor the other way round. What counts where is in `docs/guides/limits.md`.
 */
import { Fault, type FaultCode } from '@toolway/contract'
import { createBuckets, type Buckets } from './buckets.ts'
import { createSharedBuckets, type SharedCount } from './shared-buckets.ts'

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
  readonly shared?: SharedCount | undefined
  onRefuse(bucket: Bucket): void
}

export type Bucket = 'address' | 'organization' | 'administration' | 'key' | 'connection' | 'unknown' | 'rule'

/** What a rule allows: so many calls in so many seconds, of all who share the budget of that name. */
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
  connection(id: string, alias: string): Promise<void> | undefined
  /** One request for an endpoint that does not exist; all of them share one bucket. */
  unknown(): Promise<void> | undefined
  /** One call under all of these rules, or under none: nothing is taken from any of them where one refuses. */
  rules(rates: readonly RuleRate[]): Promise<void> | undefined
  /** Where is counted: for whoever runs the gateway. */
  readonly state: 'memory' | 'redis' | 'memory, as redis does not answer'
}

/** Names of each kind that are remembered. An address that others push out is one that was not heard of for a while. */
const MOST = 20_000

export function createLimits({ rates, now, shared, onRefuse }: LimitsParts): Limits {
  const bucketsOf = (kind: Bucket): Buckets => {
    const alone = createBuckets({ now, most: MOST })
    return shared === undefined ? alone : createSharedBuckets({ count: shared, alone, now, most: MOST, kind })
  }
  const addresses = bucketsOf('address')
  const organizations = bucketsOf('organization')
  const administrations = bucketsOf('administration')
  const keys = bucketsOf('key')
  const connections = bucketsOf('connection')
  const unknowns = bucketsOf('unknown')
  const budgets = bucketsOf('rule')

  function refused(bucket: Exclude<Bucket, 'rule'>, perMinute: number, wait: number, alias = ''): Fault {
    onRefuse(bucket)
    // The first whole second after which there is room.
    const facts = { limit: perMinute, seconds: Math.max(1, Math.ceil(wait / 1_000)) }
    return bucket === 'connection'
      ? new Fault('limit.connection', { ...facts, connection: alias })
      : new Fault(FAULTS[bucket], facts)
  }

  /** Undefined when there was room. */
  function take(
    buckets: Buckets,
    bucket: Exclude<Bucket, 'rule'>,
    name: string,
    perMinute: number,
    count = 1,
    alias?: string,
  ) {
    if (perMinute === 0) return undefined
    const wait = buckets.take(name, perMinute, count)
    if (wait === 0) return undefined
    if (typeof wait === 'number') throw refused(bucket, perMinute, wait, alias)
    return wait.then((later) => {
      if (later > 0) throw refused(bucket, perMinute, later, alias)
    })
  }

  /** From the key's bucket and from the organization's, or from neither. */
  function both(principal: string, takeSecond: () => Promise<void> | undefined): Promise<void> | undefined {
    const giveBack = (thrown: unknown) => {
      keys.give(principal, 1)
      throw thrown
    }
    const takeOrGiveBack = () => {
      try {
        return takeSecond()?.catch(giveBack)
      } catch (thrown) {
        return giveBack(thrown)
      }
    }
    const first = take(keys, 'key', principal, rates.key)
    return first === undefined ? takeOrGiveBack() : first.then(takeOrGiveBack)
  }

  function underRule({ name, calls, seconds, reason }: RuleRate): Promise<void> | undefined {
    const refuse = (wait: number): Fault => {
      onRefuse('rule')
      const facts = { limit: calls, period: seconds, reason, seconds: Math.max(1, Math.ceil(wait / 1_000)) }
      return new Fault('limit.rule', facts)
    }
    const wait = budgets.take(name, calls, 1, seconds * 1_000)
    if (wait === 0) return undefined
    if (typeof wait === 'number') throw refuse(wait)
    return wait.then((later) => {
      if (later > 0) throw refuse(later)
    })
  }

  /** One after the other; what was taken before one refused is given back. */
  async function underRules(rates: readonly RuleRate[]): Promise<void> {
    const taken: string[] = []
    try {
      for (const rate of rates) {
        await underRule(rate)
        taken.push(rate.name)
      }
    } catch (thrown) {
      for (const name of taken) budgets.give(name, 1)
      throw thrown
    }
  }

  return {
    address: (address, count) => take(addresses, 'address', address, rates.address, count),
    request(principal, organization, perMinute = rates.organization) {
      if (rates.key === 0) return take(organizations, 'organization', organization, perMinute)
      return both(principal, () => take(organizations, 'organization', organization, perMinute))
    },
    administer(principal, organization) {
      if (organization === undefined) return take(keys, 'key', principal, rates.key)
      return both(principal, () => take(administrations, 'administration', organization, rates.administration))
    },
    connection: (id, alias) => take(connections, 'connection', id, rates.connection, 1, alias),
    rules(rates) {
      const [only, ...others] = rates
      if (only === undefined) return undefined
      return others.length === 0 ? underRule(only) : underRules(rates)
    },
    unknown: () => take(unknowns, 'unknown', 'unknown', rates.organization),
    get state() {
      if (shared === undefined) return 'memory'
      return shared.there ? 'redis' : 'memory, as redis does not answer'
    },
  }
}

const FAULTS = {
  address: 'limit.address',
  organization: 'limit.organization',
  administration: 'limit.administration',
  key: 'limit.key',
  unknown: 'limit.unknown',
} as const satisfies Partial<Record<Bucket, FaultCode>>
