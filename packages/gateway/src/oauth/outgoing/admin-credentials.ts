/** Interface for operations that create or end credentials: the end is part of their transaction, the rest follows it. */
import type { OrganizationId } from '@toolway/contract'
import type { CredentialKeeping } from './ports.ts'
import type { Ended, Ender } from './credentials/revoke-credentials.ts'

export interface AdminCredentials extends Pick<CredentialKeeping, 'keep' | 'end'> {
  /** Take them out, in the transaction of what ends them. */
  readonly endIn: Ender['endIn']
  /**
   * Called after that transaction: the credentials are no longer used, and their authorization servers are asked to revoke them.
   * Returns the problems as sentences. It never throws, and callers need not wait for it.
   */
  ended(organizationId: OrganizationId | undefined, ended: readonly Ended[]): Promise<readonly string[]>
}
