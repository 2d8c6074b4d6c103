/** Whose a task is: of whoever it was given to, which is one client of a person's and not all of them. */
import { OWN_CLIENTS, type Principal } from '../../identity/principal.ts'

/**
 * What one client was let do, another one of the same person neither sees nor ends, as it may have been allowed less. A key that
 * calls on behalf of somebody is a client of theirs, too.
 */
export function taskOwner({ id, kind, client, keyId }: Pick<Principal, 'id' | 'kind' | 'client' | 'keyId'>): string {
  if (client !== undefined && !OWN_CLIENTS.has(client)) return `${id} ${client}`
  return kind === 'user' && keyId !== undefined ? `${id} ${keyId}` : id
}
