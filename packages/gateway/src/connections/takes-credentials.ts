/**
 * Whether the server of a connection may want to know for whom it is asked: a program that has a variable for it, or a server over HTTP
 * where the connection does not prove itself already by a header of its own.
 */
import {
  authOf,
  kindOf,
  mayHaveAccounts,
  runsHere,
  type ConnectionSecrets,
  type ConnectionSettings,
} from '@toolway/contract'

export function takesCredentials(
  settings: ConnectionSettings,
  { headers, url }: Pick<ConnectionSecrets, 'headers' | 'url'>,
): boolean {
  if (kindOf(settings.connector).brokersAccounts === true) return true
  if (runsHere(settings)) return authOf(settings) !== undefined
  if (!mayHaveAccounts(settings) || settings.auth.kind === 'none') return false
  if (!/^https?:/i.test(url ?? settings.url)) return false
  return Object.keys(headers).every((name) => name.toLowerCase() !== 'authorization')
}
