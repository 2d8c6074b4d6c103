/**
 * Which connections' pages of apps (`ui://`) each client has read at an endpoint: the facts by which a page's own names are resolved
 * (ADR 0122).
 *
 * A session keeps its own (`sessions.ts`), and they are stored with it. A client without a session is known by a keyed hash of what
 * tells it apart, and its facts are remembered in memory for twelve hours. Gateways of one database tell one another. Everything is bounded, and no
 * organization pushes out the facts of another.
 */
import type { ConnectionId } from '@toolway/contract'
import type { Log } from '../lib/log.ts'
import type { Session } from './sessions.ts'

/** A client that read a page. */
export interface PageReader {
  readonly organizationId: string
  readonly session: Session | undefined
  /** Tells clients without sessions apart: caller, endpoint and the client's name. */
  readonly name: string
}

/** One page that was read, as gateways tell one another. */
export interface PageRead {
  readonly organization: string
  /** Keyed hash, in hexadecimal; that of a session's name is the one by which sessions are stored. */
  readonly reader: string
  readonly connection: ConnectionId
}

export interface PageReads {
  /** A page of that connection was read. */
  note(reader: PageReader, connection: ConnectionId): void
  /** The connections of which a page was read. */
  of(reader: PageReader): ReadonlySet<ConnectionId>
  /** Resolves when another gateway tells of a page of that reader, or after half a second; undefined where nobody could tell. */
  arrival(reader: PageReader): Promise<void> | undefined
  /** Takes the notice of a gateway of the same database, this one included. */
  hear(read: PageRead): void
}

export interface PageReadsParts {
  readonly now: () => number
  /** Keyed hash, as hexadecimal; a session's text is `session` and its name. */
  hash(text: string): string
  /** Tells the gateways of the same database; undefined where this one is alone. */
  readonly tell?: ((reads: readonly PageRead[]) => Promise<unknown>) | undefined
  /** The session of that hash, if it lives here. */
  sessionOf?(hash: string): Session | undefined
  readonly log: Pick<Log, 'warn'>
  /** Readers of one organization, and of all together. */
  readonly mostOfOrganization?: number
  readonly most?: number
}

const MOST_OF_ORGANIZATION = 2_000
const MOST = 20_000
/** Connections of one reader; the one that was read first goes. */
const MOST_CONNECTIONS = 100
const KEPT = 12 * 3_600_000
/** A page that is read again after this time is told again, so that all gateways remember it for about as long. */
const TELL_AGAIN = 3_600_000
/** Longer than gateways take to tell one another. Milliseconds. */
const ARRIVAL = 500
const MOST_WAITING = 1_000
const MOST_NOTICES = 10_000
const BATCH = 100

const NONE: ReadonlySet<ConnectionId> = new Set()

export const createPageReads = (parts: PageReadsParts): PageReads => new MemoryPageReads(parts)

class MemoryPageReads implements PageReads {
  readonly #parts: PageReadsParts
  readonly #readers: RememberedReaders
  readonly #waiting = new Map<string, Set<() => void>>()
  #waiters = 0
  readonly #toTell: PageRead[] = []
  #isTelling = false

  constructor(parts: PageReadsParts) {
    this.#parts = parts
    const { most = MOST, mostOfOrganization = MOST_OF_ORGANIZATION } = parts
    this.#readers = new RememberedReaders(most, mostOfOrganization)
  }

  #hashOf({ session, name }: PageReader): string {
    return this.#parts.hash(session === undefined ? `client ${name}` : `session ${session.id}`)
  }

  note(reader: PageReader, connection: ConnectionId) {
    const { session, organizationId: organization } = reader
    if (session?.pages.has(connection) === true) return
    const hash = this.#hashOf(reader)
    if (session !== undefined) {
      addBounded(session.pages, connection)
      session.changed()
    } else if (!this.#readers.add(organization, hash, connection, this.#parts.now())) return
    this.#tell({ organization, reader: hash, connection })
  }

  of(reader: PageReader) {
    const { session, organizationId } = reader
    const heard = this.#readers.find(organizationId, this.#hashOf(reader), this.#parts.now())
    if (session === undefined) return heard
    // Another gateway told of them before the session came to this one.
    for (const connection of heard) addBounded(session.pages, connection)
    return session.pages
  }

  arrival(reader: PageReader) {
    if (this.#parts.tell === undefined || this.#waiters >= MOST_WAITING) return undefined
    const hash = this.#hashOf(reader)
    const waiting = this.#waiting.get(hash) ?? new Set()
    this.#waiting.set(hash, waiting)
    this.#waiters++
    return new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        if (!waiting.delete(done)) return
        this.#waiters--
        if (waiting.size === 0 && this.#waiting.get(hash) === waiting) this.#waiting.delete(hash)
        resolve()
      }
      const timer = setTimeout(done, ARRIVAL)
      timer.unref()
      waiting.add(done)
    })
  }

  hear({ organization, reader, connection }: PageRead) {
    const session = this.#parts.sessionOf?.(reader)
    if (session === undefined) this.#readers.add(organization, reader, connection, this.#parts.now())
    else addBounded(session.pages, connection)
    for (const done of [...(this.#waiting.get(reader) ?? [])]) done()
  }

  #tell(read: PageRead): void {
    const { tell } = this.#parts
    if (tell === undefined) return
    if (this.#toTell.length >= MOST_NOTICES) this.#toTell.shift()
    this.#toTell.push(read)
    if (!this.#isTelling) void this.#tellAll(tell)
  }

  async #tellAll(tell: NonNullable<PageReadsParts['tell']>): Promise<void> {
    this.#isTelling = true
    while (this.#toTell.length > 0) {
      try {
        await tell(this.#toTell.splice(0, BATCH))
      } catch (thrown) {
        this.#parts.log.warn({ err: thrown }, 'other gateways could not be told which pages of apps were read')
      }
    }
    this.#isTelling = false
  }
}

/** The time at which each connection of a reader was told last. */
type Remembered = Map<ConnectionId, number>

/** Readers by organization, each in the order of their last use. */
class RememberedReaders {
  readonly #most: number
  readonly #mostOfOrganization: number
  readonly #organizations = new Map<string, Map<string, Remembered>>()
  #size = 0

  constructor(most: number, mostOfOrganization: number) {
    this.#most = most
    this.#mostOfOrganization = mostOfOrganization
  }

  /** Whether it is new, or so old that other gateways are to be told again. */
  add(organization: string, reader: string, connection: ConnectionId, now: number): boolean {
    const own = this.#use(organization, reader) ?? this.#make(organization, reader)
    const before = own.get(connection)
    if (before !== undefined && now - before < TELL_AGAIN) return false
    own.delete(connection)
    own.set(connection, now)
    const [oldest] = own.keys()
    if (own.size > MOST_CONNECTIONS && oldest !== undefined) own.delete(oldest)
    return true
  }

  find(organization: string, reader: string, now: number): ReadonlySet<ConnectionId> {
    const own = this.#use(organization, reader)
    if (own === undefined) return NONE
    for (const [connection, at] of own) if (now - at >= KEPT) own.delete(connection)
    if (own.size === 0) this.#drop(organization, reader)
    return new Set(own.keys())
  }

  /** The facts of a reader, who is the one used last from now on. */
  #use(organization: string, reader: string): Remembered | undefined {
    const readers = this.#organizations.get(organization)
    const own = readers?.get(reader)
    if (readers === undefined || own === undefined) return undefined
    readers.delete(reader)
    readers.set(reader, own)
    return own
  }

  #make(organization: string, reader: string): Remembered {
    const readers = this.#organizations.get(organization) ?? new Map<string, Remembered>()
    this.#organizations.set(organization, readers)
    if (readers.size >= this.#mostOfOrganization) this.#dropOldest(organization, readers)
    else if (this.#size >= this.#most) this.#dropOldest(...this.#largest())
    const own: Remembered = new Map()
    readers.set(reader, own)
    this.#organizations.set(organization, readers)
    this.#size++
    return own
  }

  #largest(): [string, Map<string, Remembered>] {
    let found: [string, Map<string, Remembered>] = ['', new Map<string, Remembered>()]
    for (const each of this.#organizations) if (each[1].size > found[1].size) found = each
    return found
  }

  #dropOldest(organization: string, readers: ReadonlyMap<string, Remembered>): void {
    const [oldest] = readers.keys()
    if (oldest !== undefined) this.#drop(organization, oldest)
  }

  #drop(organization: string, reader: string): void {
    const readers = this.#organizations.get(organization)
    if (readers?.delete(reader) !== true) return
    this.#size--
    if (readers.size === 0) this.#organizations.delete(organization)
  }
}

function addBounded(pages: Set<ConnectionId>, connection: ConnectionId): void {
  const [oldest] = pages
  if (!pages.has(connection) && pages.size >= MOST_CONNECTIONS && oldest !== undefined) pages.delete(oldest)
  pages.add(connection)
}
