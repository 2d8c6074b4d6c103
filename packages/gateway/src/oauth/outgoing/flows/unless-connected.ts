/** The beginning of a flow that would replace an account that works: its owner has to be asked first. */
import { Fault } from '@toolway/contract'
import type { OAuthRedirect } from './flows.ts'

/** Undefined where an account that works would be replaced: a page of ours asks about that. */
export async function unlessConnected(beginning: Promise<OAuthRedirect>): Promise<OAuthRedirect | undefined> {
  try {
    return await beginning
  } catch (thrown) {
    if (Fault.of(thrown).code === 'account.connected') return undefined
    throw thrown
  }
}
