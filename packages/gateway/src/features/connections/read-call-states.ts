/** Reads what the states of connections are derived from (`call-state.ts`), for one caller and all connections at once. */
import { appNamesOf, authOf, ConnectionSecrets, isAtVendor, type Authority, type UserId } from '@toolway/contract'
import { isTellingName } from '@toolway/contract/secret-marks'
import { settingsSealContext } from '../../snapshot/snapshot.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import { countAccountOwners, listCallAccounts, type CallAccount } from '../../credentials/call-accounts.ts'
import { listOAuthApps, type OAuthAppRow } from '../../credentials/oauth-apps.ts'
import type { OrgSql } from '../../db/db.ts'
import type { Vault } from '../../vault/vault.ts'
import { callStateOf, type CallFacts, type CallState } from './call-state.ts'

export interface CallStateParts {
  readonly vault: Pick<Vault, 'open'>
  /** Undefined where the connection uses no vendor's accounts, or they are not for its address. */
  vendorAuthority(row: ConnectionRow): Authority | undefined
  /** Whether the gateway's own settings have a client there. */
  hasGlobalApp(authority: Authority): boolean
}

export interface CallStates {
  of(row: ConnectionRow): CallState
}

/** `userId`: whose calls; undefined for those of nobody who is a member. */
export async function readCallStates(
  sql: OrgSql,
  { vault, vendorAuthority, hasGlobalApp }: CallStateParts,
  { userId, members }: { readonly userId: UserId | undefined; readonly members: number },
): Promise<CallStates> {
  const accounts = Map.groupBy(await listCallAccounts(sql, userId), (callAccount) => callAccount.connection_id)
  const owners = new Map((await countAccountOwners(sql)).map((item) => [item.connection_id, item.people]))
  const apps = await listOAuthApps(sql)
  const hasApp = (row: ConnectionRow): boolean => {
    const kind = authOf(row.settings)?.kind
    const authority = kind === 'oauth' || kind === 'auto' ? vendorAuthority(row) : undefined
    return authority === undefined || hasGlobalApp(authority) || apps.some((app) => isFor(app, authority))
  }
  return {
    of: (row) =>
      callStateOf({
        row,
        ...ownHeadersOf(vault, row),
        accounts: accounts.get(row.id) ?? NONE,
        people: owners.get(row.id) ?? 0,
        members,
        hasApp: hasApp(row),
      }),
  }
}

const NONE: readonly CallAccount[] = []

/** As `choose-client.ts` chooses one. */
const isFor = ({ provider, issuer, active }: OAuthAppRow, authority: Authority): boolean =>
  active &&
  appNamesOf(authority.provider).includes(provider) &&
  issuer === (isAtVendor(authority) ? null : authority.issuer)

/** One that cannot be opened serves nobody, and its contact says so. */
function ownHeadersOf(
  vault: CallStateParts['vault'],
  { id, sealed }: ConnectionRow,
): Pick<CallFacts, 'hasOwnHeader' | 'hasOwnKey'> {
  if (sealed === null) return { hasOwnHeader: false }
  try {
    const { headers } = ConnectionSecrets.parse(JSON.parse(vault.open(sealed, settingsSealContext(id))))
    const names = Object.keys(headers)
    return {
      hasOwnHeader: names.some((name) => name.toLowerCase() === 'authorization'),
      hasOwnKey: names.some(isTellingName),
    }
  } catch {
    return { hasOwnHeader: false }
  }
}
