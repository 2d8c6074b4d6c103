/** Accounts at vendors: how they are connected, opened for calls, renewed and ended. */
import type { BaseWithDatabase } from '../../base/base.ts'
import { appsOf } from '../../config.ts'
import type { Accounts } from '../../identity/accounts.ts'
import { createConnectLinks } from '../../oauth/outgoing/flows/connect-links.ts'
import type { NewCredential, RevealSecret } from '../../oauth/outgoing/ports.ts'
import { startOutgoing } from '../../oauth/outgoing/start-outgoing.ts'
import { createGlobalApps } from '../../oauth/outgoing/vendors/global-apps.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import { startConnect, type StartConnectParts } from './connect.start.ts'
import { startCredentials, type Credentials } from './credentials.start.ts'

export interface StartAccountsParts extends Pick<StartConnectParts, 'whoAsks' | 'publicUrl'> {
  readonly reveal: RevealSecret
  readonly accounts: Accounts
  readonly snapshots: () => Pick<KeepSnapshots, 'find' | 'findAny'>
  onKept(credential: NewCredential): void
}

export function startAccounts(base: BaseWithDatabase, { whoAsks, onKept, ...parts }: StartAccountsParts) {
  const oauth = startOutgoing(base)
  const globalApps = createGlobalApps(appsOf(base.config))
  const links = createConnectLinks({ vault: base.vault, publicUrl: parts.publicUrl, now: Date.now })
  const credentials: Credentials = startCredentials(base, { ...parts, oauth, links, global: globalApps.of, onKept })
  const { keeping } = credentials
  const connect = startConnect(base, { ...parts, oauth, links, globalApps, keeping, whoAsks })
  return { links, credentials, connect }
}
