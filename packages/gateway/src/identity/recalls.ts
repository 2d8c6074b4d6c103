/**
 * Who may read `/metrics`: every caller that is not bound to one endpoint. Whether memory alone knows that is asked first, since
 * metrics have to be read while the database is in trouble.
 */
import { Fault } from '@toolway/contract'
import type { Identity } from './identify.ts'

/** Throws a fault unless the header carries a key or token that is good at every address. */
export async function identifyAnywhere({ identify }: Pick<Identity, 'identify'>, authorization: string | undefined) {
  const { endpoint } = await identify(authorization)
  // A token for one MCP endpoint is good there and nowhere else.
  if (endpoint !== undefined) throw new Fault('token.unknown')
}

/** Never throws. */
export function recalls({ recall }: Pick<Identity, 'recall'>, authorization: string | undefined): boolean {
  try {
    const principal = recall(authorization)
    return principal !== undefined && principal.endpoint === undefined
  } catch {
    return false
  }
}
