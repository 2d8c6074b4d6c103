/**
 * The credentials of calls whose accounts a broker keeps (`Upstream.broker`): which user and which account of that user a call acts for.
 * There is no token here, and no row (ledger S0-CMP-03, S0-CMP-04). All other connections have kept credentials.
 */
import { Fault } from '@toolway/contract'
import type {
  AccountOf,
  CallCredentials,
  CredentialAsking,
  OpenCredential,
} from '../../../snapshot/ports/credentials.ts'
import { pause } from '../../../lib/pause.ts'
import type { AccountBroker, BrokeredAccount } from '../../../upstreams/upstream.ts'
import type { ConnectLinks } from '../ports.ts'

/** A connection with a broker. */
export interface Brokered {
  readonly alias: string
  readonly broker: AccountBroker
}

export interface BrokeredCredentialsParts {
  /** Credentials that are kept here. */
  readonly kept: CallCredentials
  /** Undefined for a connection without one. */
  brokeredBy(asking: Pick<CredentialAsking, 'organizationId' | 'connectionId'>): Brokered | undefined
  emailOf(userId: NonNullable<CredentialAsking['principal']['userId']>): string | undefined
  readonly links: Pick<ConnectLinks, 'link'>
}

/** Between two looks whether a person has connected an account. Milliseconds. */
const LOOK_EVERY_MS = 2_000

type Who = Pick<CredentialAsking, 'organizationId' | 'connectionId' | 'principal'>

export const createBrokeredCredentials = (parts: BrokeredCredentialsParts): CallCredentials =>
  new BrokeredCredentials(parts)

class BrokeredCredentials implements CallCredentials {
  readonly #parts: BrokeredCredentialsParts

  constructor(parts: BrokeredCredentialsParts) {
    this.#parts = parts
  }

  open(asking: CredentialAsking): OpenCredential | undefined | Promise<OpenCredential | undefined> {
    const brokered = this.#parts.brokeredBy(asking)
    if (brokered === undefined) return this.#parts.kept.open(asking)
    if (asking.passThroughToken !== undefined) throw new Fault('credential.brought', { connection: brokered.alias })
    const user = this.#userFor(brokered, asking)
    const { broker } = brokered
    if (!broker.named) return credentialOf(asking, user, undefined)
    const accounts = broker.accounts(user)
    if (!(accounts instanceof Promise)) {
      const found = this.#choose(brokered, asking, accounts)
      if (found !== undefined) return credentialOf(asking, user, found)
    }
    return this.#refetchAccounts(brokered, asking, user)
  }

  async refused(
    asking: CredentialAsking,
    used: OpenCredential | undefined,
    challenge: string | undefined,
    status: number,
  ): Promise<OpenCredential> {
    const brokered = this.#parts.brokeredBy(asking)
    if (brokered === undefined) return this.#parts.kept.refused(asking, used, challenge, status)
    throw new Fault('upstream.needs-auth', { connection: brokered.alias, problem: `HTTP ${status}` })
  }

  accounts(asking: Who): readonly string[] {
    const brokered = this.#parts.brokeredBy(asking)
    if (brokered === undefined) return this.#parts.kept.accounts(asking)
    const { broker } = brokered
    const user = broker.named ? this.#userOf(brokered, asking) : undefined
    if (user === undefined) return []
    const accounts = broker.accounts(user)
    // They are fetched for the next request.
    if (accounts instanceof Promise) void accounts.catch(() => {})
    const names = accounts instanceof Promise ? [] : accounts.filter(serves).map(({ account }) => account)
    return names.length > 1 ? names : []
  }

  async accountsOf(asking: Who): Promise<readonly AccountOf[]> {
    const brokered = this.#parts.brokeredBy(asking)
    if (brokered === undefined) return this.#parts.kept.accountsOf(asking)
    const user = this.#userOf(brokered, asking)
    if (user === undefined) return []
    const owner = ownerOf(asking)
    const accounts = await brokered.broker.accounts(user)
    return accounts.map(({ id, account, app, problem }) => ({ id, account, name: app, owner, problem }))
  }

  async credentialArrived(asking: CredentialAsking, signal: AbortSignal): Promise<boolean> {
    const brokered = this.#parts.brokeredBy(asking)
    if (brokered === undefined) return this.#parts.kept.credentialArrived(asking, signal)
    const user = this.#userOf(brokered, asking)
    while (user !== undefined && !signal.aborted) {
      const accounts = await brokered.broker.accounts(user, true)
      if (accounts.some((account) => serves(account) && isMeant(account, asking.account))) return true
      await pause(LOOK_EVERY_MS, signal)
    }
    return false
  }

  /** The account was not among those that are known: a person may have connected it just now. */
  async #refetchAccounts(brokered: Brokered, asking: CredentialAsking, user: string): Promise<OpenCredential> {
    const accounts = await brokered.broker.accounts(user, true)
    const found = this.#choose(brokered, asking, accounts)
    if (found !== undefined) return credentialOf(asking, user, found)
    const { account } = asking
    const lost = accounts.find((brokeredAccount) => account === undefined || isMeant(brokeredAccount, account))
    const problem =
      lost === undefined
        ? `the user ${user} has connected none`
        : `the account "${lost.account}" has to be reconnected (${lost.problem ?? 'it is no longer valid'})`
    throw this.#needed(brokered, asking, problem)
  }

  /** Undefined where there is none that serves. Throws `credential.ambiguous` and `credential.account`. */
  #choose(
    { alias: connection }: Brokered,
    { account }: CredentialAsking,
    accounts: readonly BrokeredAccount[],
  ): BrokeredAccount | undefined {
    const good = accounts.filter(serves)
    const names = good.map((brokeredAccount) => brokeredAccount.account).join(', ')
    if (account === undefined) {
      if (good.length > 1) throw new Fault('credential.ambiguous', { connection, accounts: names })
      return good[0]
    }
    const found = good.find((brokeredAccount) => isMeant(brokeredAccount, account))
    // Only own accounts are looked among: that of another user is unknown.
    if (
      found === undefined &&
      good.length > 0 &&
      !accounts.some((brokeredAccount) => isMeant(brokeredAccount, account))
    )
      throw new Fault('credential.account', { connection, account, accounts: names })
    return found
  }

  #userOf({ broker }: Brokered, { principal: { userId } }: Pick<Who, 'principal'>): string | undefined {
    return broker.userOf(userId === undefined ? undefined : { id: userId, email: this.#parts.emailOf(userId) })
  }

  #userFor(brokered: Brokered, asking: CredentialAsking): string {
    const user = this.#userOf(brokered, asking)
    if (user === undefined)
      throw this.#needed(brokered, asking, 'its caller is not a member, and the connection has no default user')
    return user
  }

  #needed({ alias }: Brokered, asking: CredentialAsking, problem: string): Fault {
    const { organizationId, connectionId, principal, account } = asking
    const request = { organizationId, connectionId, userId: principal.userId, account: undefined, scopes: [] }
    const { url, minutes } = this.#parts.links.link(account === undefined ? request : { ...request, account })
    return new Fault('credential.needed', { connection: alias, problem, link: url, minutes })
  }
}

const serves = ({ problem }: BrokeredAccount): boolean => problem === undefined
const isMeant = ({ account, id }: BrokeredAccount, name: string | undefined): boolean =>
  name === undefined || account === name || id === name

const ownerOf = ({ principal }: Pick<Who, 'principal'>) =>
  principal.userId === undefined ? ('organization' as const) : ('member' as const)

const credentialOf = (asking: Who, user: string, account: BrokeredAccount | undefined): OpenCredential => ({
  id: account?.id ?? user,
  version: 0,
  account: account?.account ?? user,
  name: account === undefined ? undefined : user,
  owner: ownerOf(asking),
  headers: {},
  brokered: { user, account: account?.id },
})
