/** The credentials of connections, as calls and the gateway’s own requests use them; `oauth/outgoing/` fills these ports. */
import type { ConnectionId, OrganizationId } from '@toolway/contract'
import type { Principal } from '../../identity/identify.ts'
import type { BrokeredUse, OpenedCredential } from '../../upstreams/upstream.ts'

/** For which call a credential is opened. */
export interface CredentialAsking {
  readonly organizationId: OrganizationId
  readonly connectionId: ConnectionId
  readonly principal: Principal
  /** The account that the caller named. */
  readonly account: string | undefined
  /** The token that the caller brought for this call. */
  readonly passThroughToken: string | undefined
}

/** A credential as one call uses it. */
export interface OpenCredential {
  readonly id: string
  /** Grows with each renewal. */
  readonly version: number
  /** The account's name among those of its owner, and at the provider where that is known. */
  readonly account: string
  readonly name: string | undefined
  readonly owner: 'member' | 'organization' | 'caller'
  readonly headers: Readonly<Record<string, string>>
  /** For a program: the variables that hold it. */
  readonly environment?: Readonly<Record<string, string>>
  /** A broker keeps it: its user there, and the account that is meant. */
  readonly brokered?: BrokeredUse
}

/** An account that a caller may use, without its secret. */
export interface AccountOf extends Pick<OpenCredential, 'id' | 'account' | 'name' | 'owner'> {
  /** Why it serves nobody until a person connects it again. */
  readonly problem: string | undefined
}

/** The credentials of an organization's connections (ledger U-24). Promises only where something has to be waited for. */
export interface CallCredentials {
  /**
   * The credential of the call: pass-through, else the caller's own, else the shared one; undefined where the connection wants
   * none. Throws `credential.*`: without one, `credential.needed` with a link for this caller and this connection.
   */
  open(asking: CredentialAsking): OpenCredential | undefined | Promise<OpenCredential | undefined>
  /**
   * The server refused it, or refused to be asked without one: what is to be used instead, renewed at most once for all who ask.
   * Throws `credential.needed` where only a person can help.
   */
  refused(
    asking: CredentialAsking,
    used: OpenCredential | undefined,
    challenge: string | undefined,
    status: number,
  ): Promise<OpenCredential>
  /** The accounts that a caller may name, the default first; empty where there is no choice. */
  accounts(asking: Pick<CredentialAsking, 'organizationId' | 'connectionId' | 'principal'>): readonly string[]
  /** The caller's own accounts of one connection and those it shares, the default first. */
  accountsOf(
    asking: Pick<CredentialAsking, 'organizationId' | 'connectionId' | 'principal'>,
  ): Promise<readonly AccountOf[]>
  /** Resolves to true when a credential that serves is there, and to false when the signal comes before. */
  credentialArrived(asking: CredentialAsking, signal: AbortSignal): Promise<boolean>
}

/** The credentials of the gateway's own requests (lists, checks, streams): the shared credential, else a member's that serves. */
export interface OwnCredentials {
  open(
    organizationId: OrganizationId,
    connectionId: ConnectionId,
  ): OpenedCredential | undefined | Promise<OpenedCredential | undefined>
  /** The server refused it: whether there is a newer one now. Never throws. */
  refused(
    organizationId: OrganizationId,
    connectionId: ConnectionId,
    used: OpenedCredential | undefined,
    challenge: string | undefined,
    status: number,
  ): Promise<boolean>
  /** Told after each change of credentials of the organization, until the returned function is called. */
  watch(organizationId: OrganizationId, onChange: () => void): () => void
  /** The versions of the credentials of a connection that serve, by id. Asks the database. */
  versions(organizationId: OrganizationId, connectionId: ConnectionId): Promise<ReadonlyMap<string, number>>
}
