/** What operations need where credentials are made or end: the end is part of their transaction, the rest comes after it. */
import type { OrganizationId } from '@toolway/contract'
import type { CredentialKeeping } from '../../oauth/outgoing/ports.ts'
import type { Ended, Ender } from '../../oauth/outgoing/credentials/revoke-credentials.ts'

export interface AdminCredentials extends Pick<CredentialKeeping, 'keep' | 'end'> {
  /** Take them out, in the transaction of what ends them. */
  readonly endIn: Ender['endIn']
  /**
   * Once that is done: nobody uses them any more, and their authorization servers are asked to take them back. What went wrong there,
   * in sentences; it never throws, and nobody needs to wait for it.
   */
  ended(organizationId: OrganizationId | undefined, ended: readonly Ended[]): Promise<readonly string[]>
}
