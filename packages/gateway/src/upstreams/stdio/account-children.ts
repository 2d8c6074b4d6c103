/**
 * The children of a program that is given the token or key of an account in its environment (ledger S3-EXT-09): one child for each
 * account, started when the account is used first, and used for no other. There is no child without an account.
 *
 * The key of a child is the credential's id, which is of one owner at one connection. A renewed credential starts a new child, and the
 * old one ends with its last call. A child ends at once when its credential was removed or is lost, and when it was not used for a
 * while.
 */
import { Fault } from '@toolway/contract'
import type { Answer, Ask, Hearing, ListKind, OpenedCredential, ProcessState, Upstream } from '../upstream.ts'
import { GATEWAY } from '../upstream.ts'
import { createStdioUpstream, type StdioUpstreamParts } from './stdio-upstream.ts'

/** Accounts of one connection that have a child at the same time. */
const MOST = 50
/** Milliseconds. */
const IDLE_MS = 10 * 60_000
const LOOK_EVERY = 60_000

interface Child {
  readonly id: string
  readonly version: number
  readonly ofMember: boolean
  readonly upstream: Upstream
  uses: number
  used: number
  retired: boolean
}

interface Watcher {
  onChange(kind: ListKind, missed: boolean): void
  readonly signal: AbortSignal
}

export interface AccountChildrenParts extends Omit<StdioUpstreamParts, 'account' | 'own'> {
  readonly now?: () => number
  /** Makes the children of one account; unsaid, a program in its environment. */
  readonly open?: (credential: OpenedCredential) => Upstream
}

export const createAccountChildren = (parts: AccountChildrenParts): Upstream => new AccountChildren(parts)

class AccountChildren implements Upstream {
  readonly #parts
  readonly #now
  readonly #children = new Map<string, Child>()
  /** They take no new call. */
  readonly #retired = new Set<Child>()
  readonly #watchers = new Set<Watcher>()
  readonly #timer
  readonly #unwatch
  #closed = false

  constructor(parts: AccountChildrenParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY).unref()
    this.#unwatch = parts.reach.credential?.watch?.(() => this.#look())
  }

  introduce(signal: AbortSignal) {
    return this.#asGateway((upstream) => upstream.introduce(signal))
  }

  ask(request: Ask): Promise<Answer> {
    if (request.owner !== GATEWAY) return this.#use(request.credential, (upstream) => upstream.ask(request))
    return this.#asGateway((upstream, { ofMember }) =>
      // The lists are shown to all who may call: resources of a member's account are not listed.
      ofMember && request.method === 'resources/list' ? Promise.resolve(NO_RESOURCES) : upstream.ask(request),
    )
  }

  async listen(hearing: Hearing) {
    const child = this.#childFor(await hearing.credential?.open())
    // In use until nobody listens.
    child.uses++
    const leaveChild = () => this.#leave(child)
    if (hearing.signal.aborted) leaveChild()
    else hearing.signal.addEventListener('abort', leaveChild, { once: true })
    return child.upstream.listen(hearing)
  }

  watch(onChange: (kind: ListKind, missed: boolean) => void, signal: AbortSignal) {
    const watcher = { onChange, signal }
    this.#watchers.add(watcher)
    signal.addEventListener('abort', () => this.#watchers.delete(watcher), { once: true })
    for (const { upstream } of this.#children.values()) upstream.watch(onChange, signal)
  }

  tell(whose: Pick<Ask, 'session' | 'owner' | 'caller'>, notification: Parameters<Upstream['tell']>[1]) {
    for (const { upstream } of this.#all()) upstream.tell(whose, notification)
  }

  /** One account that is not let in says nothing of the others. */
  async check(signal: AbortSignal) {
    const checks = this.#all().map(({ upstream }) => upstream.check(signal).catch(() => false))
    return (await Promise.all(checks)).includes(true)
  }

  /** Each child finds out for itself; the first one stands for them. */
  otherEra() {
    return this.#all()[0]?.upstream.otherEra?.() ?? 'none'
  }

  doubt() {
    for (const { upstream } of this.#all()) upstream.doubt()
  }

  forget(session: string) {
    for (const { upstream } of this.#all()) upstream.forget(session)
  }

  readonly processes = (): readonly ProcessState[] =>
    this.#all().flatMap(({ upstream, ofMember, uses, used }) =>
      (upstream.processes?.() ?? []).map((state) => ({ ...state, ofOneCaller: ofMember, uses, usedAt: used })),
    )

  readonly stop = async () => {
    await Promise.all(this.#all().map(async ({ upstream }) => upstream.stop?.()))
  }

  readonly endUnused = (idle: number) => {
    const unused = this.#all().filter(({ uses, used }) => uses === 0 && used <= this.#now() - idle)
    for (const child of unused) this.#end(child)
    return unused.length
  }

  async close() {
    this.#closed = true
    clearInterval(this.#timer)
    this.#unwatch?.()
    await Promise.all(this.#all().map(({ upstream }) => upstream.close()))
  }

  #all(): readonly Child[] {
    return [...this.#children.values(), ...this.#retired]
  }

  async #asGateway<T>(work: (upstream: Upstream, child: Child) => Promise<T>): Promise<T> {
    return this.#use(await this.#parts.reach.credential?.open(), work)
  }

  async #use<T>(
    credential: OpenedCredential | undefined,
    work: (upstream: Upstream, child: Child) => Promise<T>,
  ): Promise<T> {
    const child = this.#childFor(credential)
    child.uses++
    try {
      return await work(child.upstream, child)
    } finally {
      this.#leave(child)
    }
  }

  #leave(child: Child) {
    child.uses--
    child.used = this.#now()
    if (child.retired && child.uses === 0) this.#end(child)
  }

  /** Throws `upstream.needs-auth` without a credential for its environment, and `upstream.busy` where all children are in use. */
  #childFor(credential: OpenedCredential | undefined): Child {
    const { alias: connection } = this.#parts.reach
    if (this.#closed) throw new Fault('upstream.disabled', { connection })
    if (credential?.environment === undefined || credential.version === undefined)
      throw new Fault('upstream.needs-auth', { connection, problem: 'no account is connected for the program' })
    const child = this.#children.get(credential.id)
    // A call that was given its credential before a renewal is the same account's.
    if (child !== undefined && child.version >= credential.version) return child
    if (child === undefined) this.#makeRoom(connection)
    else this.#retire(child)
    return this.#add(credential, credential.version)
  }

  #add(credential: OpenedCredential, version: number): Child {
    const { open = (item: OpenedCredential) => openChild(this.#parts, item) } = this.#parts
    const { id, owner } = credential
    const upstream = open(credential)
    const child = {
      id,
      version,
      ofMember: owner !== 'organization',
      upstream,
      uses: 0,
      used: this.#now(),
      retired: false,
    }
    this.#children.set(id, child)
    for (const { onChange, signal } of this.#watchers) upstream.watch(onChange, signal)
    return child
  }

  /** It takes no new call, and ends with its last one. */
  #retire(child: Child) {
    child.retired = true
    this.#children.delete(child.id)
    if (child.uses === 0) this.#end(child)
    else this.#retired.add(child)
  }

  #end(child: Child) {
    if (this.#children.get(child.id) === child) this.#children.delete(child.id)
    this.#retired.delete(child)
    void child.upstream.close().catch(() => {})
  }

  #makeRoom(connection: string) {
    if (this.#children.size < MOST) return
    const [oldest] = [...this.#children.values()]
      .filter(({ uses }) => uses === 0)
      .toSorted((child, other) => child.used - other.used)
    if (oldest === undefined) throw new Fault('upstream.busy', { connection })
    this.#end(oldest)
  }

  /** Ends the children of credentials that are gone, retires those of renewed ones, and ends those that nobody uses. */
  #look(): void {
    const oldest = this.#now() - IDLE_MS
    for (const child of this.#all()) if (child.uses === 0 && child.used <= oldest) this.#end(child)
    const children = this.#all()
    if (children.length === 0) return
    // The database may be away; it is asked again in a minute.
    this.#parts.reach.credential?.versions?.().then(
      (serving) => this.#settle(children, serving),
      () => {},
    )
  }

  /** @param children those that were there when the database was asked: a child that came since may have a newer credential */
  #settle(children: readonly Child[], serving: ReadonlyMap<string, number>) {
    for (const child of children) {
      const version = serving.get(child.id)
      if (version === undefined) this.#end(child)
      else if (version > child.version && !child.retired) this.#retire(child)
    }
  }
}

/** A child in whose environment the credential is, by name; its failures are its own account's and not the connection's. */
function openChild(parts: AccountChildrenParts, { id, environment = {} }: OpenedCredential): Upstream {
  const { reach } = parts
  const wire = { ...reach.wire, environment: { ...reach.wire.environment, ...environment } }
  return createStdioUpstream({ ...parts, reach: { ...reach, wire }, account: id, onStateChange() {} })
}

const NO_RESOURCES: Answer = { result: { resources: [] } }
