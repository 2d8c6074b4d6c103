/** A vendor of the provider table, at its own address, as whoever connects an account to it needs it. */
import { authorityOf, findProvider } from '@toolway/contract'
import type { Vendor } from '../oauth/outgoing/flows/target.ts'

export function vendorOf(name: string): Vendor | undefined {
  const found = findProvider(name)
  return found === undefined ? undefined : { title: found.title, authority: authorityOf(found.key) }
}
