/** A vendor of the provider table, with the authorization server for a connection's place, as whoever connects an account needs it. */
import {
  authOf,
  authorityAt,
  authorityOf,
  findProvider,
  PlaceProblem,
  type Authority,
  type ConnectionSettings,
} from '@toolway/contract'
import type { Vendor, VendorPlace } from '../flows/target.ts'

/** Undefined where no vendor has that name. Throws `PlaceProblem` where its accounts are not for the address. */
export function vendorOf(name: string, { address, tenant }: VendorPlace = {}): Vendor | undefined {
  const found = findProvider(name)
  if (found === undefined) return undefined
  const authority = address === undefined ? authorityOf(found.key, { tenant }) : authorityAt(found.key, address, tenant)
  return { title: found.title, authority }
}

/** Where the accounts of a connection are connected; undefined where it uses no vendor's, or they are not for its address. */
export function vendorAuthorityOf({ settings }: { readonly settings: ConnectionSettings }): Authority | undefined {
  const { provider, tenant } = authOf(settings) ?? {}
  if (provider === undefined || provider === 'mcp') return undefined
  try {
    return vendorOf(provider, { address: 'url' in settings ? settings.url : undefined, tenant })?.authority
  } catch (thrown) {
    if (thrown instanceof PlaceProblem) return undefined
    throw thrown
  }
}
