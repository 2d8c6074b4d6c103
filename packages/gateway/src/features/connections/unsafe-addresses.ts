/**
 * Connections whose addresses are not those that their secrets or accounts are for, as `doctor` lists them: they were stored before the
 * gateway refused such a connection, and are not used until somebody changes them. Nothing is asked of any server.
 */
import { ConnectionSecrets } from '@toolway/contract'
import type { ConnectionRow } from '../../connections/connections.ts'
import { addressesOf, isBound } from '../../kinds/addresses.ts'
import { accountPlaceOf } from '../../kinds/account-hosts.ts'
import { connectionSealContext } from '../../vault/sealed-columns.ts'
import type { Vault } from '../../vault/vault.ts'

/** The alias, and what is wrong and mends it, in sentences. What cannot be opened is told elsewhere. */
export function unsafeAddresses(
  vault: Pick<Vault, 'open'>,
  connections: readonly ConnectionRow[],
): readonly { readonly alias: string; readonly detail: string }[] {
  return connections.flatMap((row) => {
    const { alias, settings } = row
    const secrets = openedSecrets(vault, row)
    if (secrets === undefined) return []
    const { problem } = accountPlaceOf(settings, secrets)
    const unbound = addressesOf({ settings, secrets }).filter(
      (address) =>
        address.secrets && Object.keys(secrets.headers).length > 0 && !isBound({ settings, secrets }, address),
    )
    return [
      ...(problem === undefined ? [] : [`its accounts are not used, because its address ${problem}.`]),
      ...unbound.map(
        ({ name, origin }) =>
          `its headers were not set for the address "${name}" (${origin}). Save the connection again with this address and all of its headers.`,
      ),
    ].map((detail) => ({ alias, detail }))
  })
}

/** Undefined where they cannot be opened. */
export function openedSecrets(
  { open }: Pick<Vault, 'open'>,
  { id, sealed }: ConnectionRow,
): ConnectionSecrets | undefined {
  try {
    return ConnectionSecrets.parse(sealed === null ? {} : JSON.parse(open(sealed, connectionSealContext(id))))
  } catch {
    return undefined
  }
}
