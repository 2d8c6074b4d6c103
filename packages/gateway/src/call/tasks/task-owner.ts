/** The owner of a task: one client of a user, not all clients of the user. */
import { OWN_CLIENTS, type Principal } from '../../identity/principal.ts'

/**
 * A task of one client is neither visible to nor cancellable by another client of the same user, which may have been allowed
 * less. A key that calls on behalf of a user is a client of that user, too.
 */
export function taskOwner({ id, kind, client, keyId }: Pick<Principal, 'id' | 'kind' | 'client' | 'keyId'>): string {
  if (client !== undefined && !OWN_CLIENTS.has(client)) return `${id} ${client}`
  return kind === 'user' && keyId !== undefined ? `${id} ${keyId}` : id
}
