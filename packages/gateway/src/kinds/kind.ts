/**
 * The behaviour of a kind of connection: how it is described in a request, what of it is kept and shown, how its upstream is opened
 * and how an address is probed for it. Its name, settings and facts are in `contract/kinds`. The kinds are listed in `kinds.ts`.
 */
import type { ConnectionSecrets, ConnectionSettings, Connector, OwnMember } from '@toolway/contract'
import type { Connection, ConnectionChange, NewConnection, Probed } from '@toolway/contract/admin'
import type { Exceptions } from '../upstreams/http/exceptions.ts'
import type { PrivateOrigins } from '../upstreams/http/permits.ts'
import type { ReadApart } from '../upstreams/openapi/document/read-apart.ts'
import type { Reach, Upstream } from '../upstreams/upstream.ts'
import type { UpstreamContext } from '../upstreams/upstreams.ts'

/** The body of a request that describes a connection. */
export type ConnectionRequest = NewConnection | ConnectionChange

/** A connection as it is kept, with its secrets opened. */
export interface OpenedConnection<Settings = ConnectionSettings> {
  readonly settings: Settings
  readonly secrets: ConnectionSecrets
}

/** The described form of a kind; `kind` names the form. */
interface AnyWire {
  readonly kind: string
}

export interface Described<Wire extends AnyWire> {
  readonly wire: Wire
  /** Held secrets would go to another program than the one that they were given for. Addresses are judged in `addresses.ts`. */
  readonly moved: boolean
  /** At least one held secret was not said anew. */
  readonly keeps: boolean
}

export interface CommonWords {
  readonly revision: ConnectionSettings['revision']
  readonly timeout: number
  readonly checks?: ConnectionSettings['checks'] | undefined
}

/** An address or arguments as they may be shown: secrets in them are masked. */
export interface Shown {
  readonly url?: string
  readonly args?: readonly string[]
}

export interface ConnectionParts {
  readonly settings: ConnectionSettings
  readonly secrets: ConnectionSecrets
}

/** The members of a connection, as the admin interface shows it, that depend on its kind. */
export type KindView = Pick<
  Connection,
  'url' | 'private' | 'command' | 'args' | 'programs' | 'network' | 'allow_hosts' | 'allow_paths' | 'auth' | OwnMember
>

export interface Opening<Settings> extends OpenedConnection<Settings> {
  readonly reach: Reach
  /** The slug of its organization. */
  readonly organization: string
  /** Whether an administrator believes what its server, or its own connector, says of effects. */
  readonly trusted: boolean
  readonly exceptions: Exceptions
  /** The OpenAPI document of the connection, read. Throws `openapi.*`. */
  readonly document: () => Promise<ReadApart>
}

/** Dependencies of a probe. Nothing is stored, and no credential is sent. */
export interface Probing {
  readonly egress: {
    readonly alias: string
    readonly privateOrigins: PrivateOrigins
    readonly exceptions: Exceptions
  }
  readonly signal: AbortSignal
  /** The organization that looks. */
  readonly share: string
  /** Milliseconds for one look. */
  readonly patience: number
  /** Ask an MCP server what it offers, without a credential. Rejects with the fault. */
  greet(): Promise<{ readonly server: { readonly [name: string]: unknown } }>
  /** How a server that asks for a credential lets one in. */
  wayIn(): Promise<Omit<Found, 'found'>>
}

/** An address that is one for a kind. */
export interface Found extends Pick<Probed, 'found' | 'auth'> {
  /** Names that the server reports for itself, the best first. They are untrusted and not checked. */
  readonly names: readonly unknown[]
}

export interface Kind<Settings extends ConnectionSettings = ConnectionSettings, Wire extends AnyWire = AnyWire> {
  readonly connector: Connector
  /** The name of its described form. */
  readonly wire: Wire['kind']
  /** The members of a request that concern this kind; those of other kinds are refused. */
  readonly takes: readonly (keyof NewConnection | keyof ConnectionChange)[]
  /** The members of a new connection that mean this kind where none is named. */
  readonly meantBy: readonly (keyof NewConnection)[]
  /** Values of `runtime_type`, a source system's word, that mean this kind. */
  readonly runtimes?: { readonly form: RegExp; readonly words: string }
  /** Whether a value of `connector_type`, a source system's word, names one of this kind. */
  readonly isType?: (type: string) => boolean
  /** Where one is added, if not by the operation that adds connections: the problem of a request that tries. */
  readonly addedElsewhere?: string
  /** The described form of a request, over the connection that is held. Throws `body.shape`. */
  describe(request: ConnectionRequest, connection: OpenedConnection<Settings> | undefined): Described<Wire>
  /** The settings and secrets to be kept. Throws `params.shape`. */
  parts(common: CommonWords, wire: Wire, shown: Shown | undefined): ConnectionParts
  shown(wire: Wire): Shown
  /** What callers see; `mayChange`: one who may change connections. */
  view(settings: Settings, mayChange: boolean): Partial<KindView>
  open(opening: Opening<Settings>, context: UpstreamContext): Upstream
  /** The OAuth scopes that an account is asked for, where the kind knows its tools; undefined leaves it to the authorization server. */
  scopes?(settings: Settings): Promise<readonly string[]> | undefined
  /** Look whether an address is one for this kind; undefined where it is not. Throws the fault that tells why. */
  probe?(url: string, probing: Probing): Promise<Found | undefined>
}
