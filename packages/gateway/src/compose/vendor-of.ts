/** A vendor of the provider table, with the authorization server for a connection's place, as whoever connects an account needs it. */
import { authorityAt, authorityOf, findProvider } from '@toolway/contract'
import type { Vendor, VendorPlace } from '../oauth/outgoing/flows/target.ts'

/** Undefined where no vendor has that name. Throws `PlaceProblem` where its accounts are not for the address. */
export function vendorOf(name: string, { address, tenant }: VendorPlace = {}): Vendor | undefined {
  const found = findProvider(name)
  if (found === undefined) return undefined
  const authority = address === undefined ? authorityOf(found.key, { tenant }) : authorityAt(found.key, address, tenant)
  return { title: found.title, authority }
}
