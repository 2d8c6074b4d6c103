/** The target of a connect request: the current connection, its server, and the owner of the credential. It reads memory only. */
import {
  authOf,
  kindOf,
  mayHaveAccounts,
  programLine,
  runsHere,
  ConnectionSecrets,
  Fault,
  permits,
  PlaceProblem,
  type Authority,
  type ConnectionAuth,
  type ConnectionId,
  type ConnectionSettings,
  type Role,
} from '@toolway/contract'
import { admittedIn } from '../../../snapshot/role.ts'
import { settingsSealContext, type Snapshot } from '../../../snapshot/snapshot.ts'
import type { ConnectionRow } from '../../../connections/connections.ts'
import type { Accounts } from '../../../identity/accounts.ts'
import type { Principal } from '../../../identity/principal.ts'
import { privateHostOf } from '../../../upstreams/http/permits.ts'
import type { Egress, Wish } from '../ports.ts'

/** A wish for one connection, or for an account with a vendor that all connections to it use. */
export type ConnectRequest =
  | (Wish & { readonly provider?: undefined })
  | (Omit<Wish, 'connectionId'> & { readonly connectionId?: undefined; readonly provider: string })

/** A vendor as its row of the provider table says it, and the authorization server where its accounts are connected. */
export interface Vendor {
  readonly title: string
  readonly authority: Authority
}

/** What a connection says of the place. */
export interface VendorPlace {
  /** Its true address; undefined for a program, and for accounts without a connection. */
  readonly address?: string | undefined
  readonly tenant?: string | undefined
}

export interface TargetParts {
  find(organization: { id: string }): Snapshot | undefined
  unseal(sealed: Uint8Array, row: string): string
  /** Throws `PlaceProblem` where accounts of the vendor are not for that place. */
  vendor(name: string, place?: VendorPlace): Vendor | undefined
  readonly accounts: Pick<Accounts, 'find'>
}

export interface Target {
  readonly connectRequest: ConnectRequest
  readonly snapshot: Snapshot
  readonly connection: ConnectionRow | undefined
  /** In sentences. */
  readonly title: string
  /** How its credentials are had; undefined for a vendor without a connection. */
  readonly auth: ConnectionAuth | undefined
  readonly vendor: Vendor | undefined
  /** The address that it is bound to, as it may be shown, and the true one. */
  readonly server: string | undefined
  readonly url: string | undefined
  /** Headers that the connection sends with every request. */
  readonly headers: Readonly<Record<string, string>>
  readonly egress: Egress
}

export interface Targets {
  /** Throws `thing.unknown` and `flow.unfit`. */
  open(connectRequest: ConnectRequest): Target
  /** Whether accounts can be connected to it at all. */
  takesAccounts(connection: ConnectionRow): boolean
  /**
   * Checks that the principal may connect the credential: as its owner, or for a shared one as an administrator of the
   * organization's connections.
   */
  may(principal: Principal, target: Target): 'yes' | 'foreign' | 'forbidden'
}

export function createTargets({ find, unseal, vendor: vendorOf, accounts }: TargetParts): Targets {
  const secretsOf = ({ id, sealed }: ConnectionRow): ConnectionSecrets =>
    ConnectionSecrets.parse(sealed === null ? {} : JSON.parse(unseal(sealed, settingsSealContext(id))))

  function problemOf(connection: ConnectionRow): string | undefined {
    const { settings, enabled } = connection
    const auth = authOf(settings)
    if (auth === undefined || (mayHaveAccounts(settings) && !/^https?:/.test(settings.url)))
      return 'it is reached in a way that does not use accounts'
    if (!enabled) return 'it is turned off'
    if (auth.kind === 'none') return 'it is set to use its own headers only'
    const headers = Object.keys(secretsOf(connection).headers)
    if (headers.some((name) => name.toLowerCase() === 'authorization'))
      return 'it has an Authorization header of its own'
    return undefined
  }

  function ofConnection(connectRequest: ConnectRequest & { connectionId: ConnectionId }, snapshot: Snapshot): Target {
    const connection = snapshot.connections.find(({ id }) => id === connectRequest.connectionId)
    if (connection === undefined) throw new Fault('thing.unknown', { thing: 'connection' })
    const { settings, alias, title } = connection
    if (kindOf(settings.connector).brokersAccounts === true) return ofBroker(connectRequest, connection, snapshot)
    const problem = problemOf(connection)
    const auth = authOf(settings)
    if (problem !== undefined || auth === undefined) throw unfit(alias, problem ?? '')
    const owner = connectRequest.userId === undefined ? 'organization' : 'member'
    if (!auth.owners.includes(owner))
      throw unfit(
        alias,
        owner === 'member'
          ? 'it has one account, which belongs to the organization'
          : 'each member has their own account',
      )
    const at = addressIn(settings, secretsOf(connection))
    // A key goes to whichever address it is given for.
    const vendor = vendorAt(connection, auth, auth.kind === 'key' ? undefined : at.target.url)
    const { privateOrigins } = at
    const egress = { alias, connectionId: connection.id, privateOrigins, exceptions: snapshot.exceptions }
    return { connectRequest, snapshot, connection, title, auth, vendor, ...at.target, egress }
  }

  /** Throws `flow.unfit`, also where the vendor's accounts are not for the connection's address. */
  function vendorAt(
    { alias }: ConnectionRow,
    { provider, tenant }: ConnectionAuth,
    address: string | undefined,
  ): Vendor | undefined {
    if (provider === undefined || provider === 'mcp') return undefined
    try {
      const vendor = vendorOf(provider, { address, tenant })
      if (vendor === undefined) throw unfit(alias, `the provider ${provider} is unknown`)
      return vendor
    } catch (thrown) {
      throw thrown instanceof PlaceProblem ? unfit(alias, `its address ${thrown.message}`) : thrown
    }
  }

  return {
    open(connectRequest) {
      const snapshot = find({ id: connectRequest.organizationId })
      if (snapshot === undefined) throw new Fault('thing.unknown', { thing: 'connection' })
      return connectRequest.connectionId === undefined
        ? ofVendor(connectRequest, snapshot, vendorOf(connectRequest.provider))
        : ofConnection(connectRequest, snapshot)
    },
    takesAccounts: (connection) => problemOf(connection) === undefined,
    may(principal, { connectRequest: { userId, organizationId }, snapshot }) {
      if ((principal.organizationId ?? organizationId) !== organizationId) return 'foreign'
      const role: Role | undefined = admittedIn(accounts, principal, snapshot)
      if (userId === undefined) return role === undefined ? 'foreign' : mayShare(role)
      if (principal.userId !== userId || role === undefined) return 'foreign'
      // A credential of a member goes with the membership; who only administers the platform has none to go with.
      return snapshot.members.has(userId) ? 'yes' : 'forbidden'
    },
  }
}

const unfit = (connection: string, problem: string) => new Fault('flow.unfit', { connection, problem })

function ofVendor(connectRequest: ConnectRequest, snapshot: Snapshot, vendor: Vendor | undefined): Target {
  if (vendor === undefined) throw new Fault('thing.unknown', { thing: 'provider' })
  const egress = { alias: vendor.title, privateOrigins: [], exceptions: snapshot.exceptions }
  const nothing = { connection: undefined, auth: undefined, server: undefined, url: undefined, headers: {} }
  return { connectRequest, snapshot, title: vendor.title, vendor, egress, ...nothing }
}

/** The accounts are not kept here: the server's own page connects one. */
function ofBroker(connectRequest: ConnectRequest, connection: ConnectionRow, snapshot: Snapshot): Target {
  if (!connection.enabled) throw unfit(connection.alias, 'it is turned off')
  const egress = { alias: connection.alias, privateOrigins: [], exceptions: snapshot.exceptions }
  const nothing = { auth: undefined, vendor: undefined, server: undefined, url: undefined, headers: {} }
  return { connectRequest, snapshot, connection, title: connection.title, egress, ...nothing }
}

/** A program has no address: nothing is asked of it, and no key is tried there. */
function addressIn(settings: ConnectionSettings, secrets: ConnectionSecrets) {
  if (!mayHaveAccounts(settings)) {
    const server = runsHere(settings) ? programLine(settings) : undefined
    return { privateOrigins: [], target: { server, url: undefined, headers: {} } }
  }
  const { url = settings.url, headers } = secrets
  return { privateOrigins: privateHostOf(settings.private, url), target: { server: settings.url, url, headers } }
}

const mayShare = (role: Role) => (permits(role, 'connector_update') ? 'yes' : 'forbidden')
