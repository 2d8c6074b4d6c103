/** Dependencies of operations that begin a flow to connect an account. */
import type { ConnectionId, OrganizationId, Provider } from '@toolway/contract'
import type { SystemSql } from '../../db/db.ts'
import type { CallStateParts } from '../connections/index.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Brokered } from '../../oauth/outgoing/credentials/brokered-credentials.ts'
import type { ConnectRequestLinks } from '../../oauth/outgoing/flows/connect-links.ts'
import type { KeepKey } from '../../oauth/outgoing/credentials/keep-key.ts'
import type { Flows } from '../../oauth/outgoing/flows/flows.ts'
import type { Targets } from '../../oauth/outgoing/flows/target.ts'

export interface AdminConnect {
  readonly links: Pick<ConnectRequestLinks, 'make'>
  readonly flows: Pick<Flows, 'begin'>
  readonly targets: Targets
  /** A key that a person gives, tried at its server before it is kept. */
  readonly keepKey: KeepKey
  readonly providers: readonly Provider[]
  /** Whether the gateway's own settings have a client for it. */
  hasGlobal(provider: string): boolean
  /** The apps from which the state of a connection that uses a vendor's accounts is derived. */
  readonly apps: Pick<CallStateParts, 'vendorAuthority' | 'hasGlobalApp'>
  /** The broker of a connection whose server keeps the accounts of users. */
  brokeredBy(organizationId: OrganizationId, connectionId: ConnectionId): Brokered | undefined
  /** Whether that is asked for the first time. */
  spend(sql: SystemSql, hash: Buffer, until: Date): Promise<boolean>
  /** Returns the caller of an operation that is open to anyone; undefined for unknown callers. */
  whoAsks(authorization: string | undefined, cookies: string | undefined): Promise<Principal | undefined>
}
