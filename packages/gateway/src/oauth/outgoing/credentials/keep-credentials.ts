/**
 * Keeping what a person has brought home, and ending it again. It is bound to the address that the person set out for: where the
 * connection has another one by now, nothing is kept.
 */
import { Fault, type ConnectionId, type OrganizationId } from '@toolway/contract'
import { lockConnection } from '../../../connections/connections.ts'
import { MOST_ACCOUNTS, putCredential, type Put } from '../../../credentials/credentials.ts'
import type { Db, OrgSql } from '../../../db/db.ts'
import { recordChange } from '../../../records/change.ts'
import { accessTokenSealContext, refreshTokenSealContext } from '../../../vault/sealed-columns.ts'
import type { Vault } from '../../../vault/vault.ts'
import { factsOf, type ConnectionFacts } from './connection-facts.ts'
import type { CredentialMemory } from './credential-memory.ts'
import { keeper, tell } from './lose-credential.ts'
import type { CredentialKeeping, Egress, NewCredential } from '../ports.ts'
import { leftOf } from './renew-credential.ts'
import { idsOf, type Ender } from './revoke-credentials.ts'

export interface KeepingParts {
  readonly db: Pick<Db, 'organization'>
  readonly vault: Pick<Vault, 'seal' | 'open' | 'hash'>
  readonly memory: Pick<CredentialMemory, 'changed'>
  readonly ender: Ender
  egressOf(organizationId: OrganizationId, connectionId: ConnectionId): Egress
  /** A connection has an account that it had not: what it offers may be another thing now. */
  onKept(credential: NewCredential): void
  readonly now: () => number
}

export function createKeeping(parts: KeepingParts): CredentialKeeping {
  const { db, vault, memory, ender, egressOf, onKept } = parts
  /** The connection as it stands in this transaction. Throws where it is not what the person set out for. */
  async function lockBoundConnection(sql: OrgSql, credential: NewCredential): Promise<ConnectionFacts | undefined> {
    if (credential.connectionId === undefined) return undefined
    const row = await lockConnection(sql, credential.connectionId)
    if (row === undefined) throw new Fault('thing.unknown', { thing: 'connection' })
    const facts = factsOf(vault, row)
    const { auth, addresses, provider } = facts
    const kind = auth.kind === 'auto' ? 'oauth' : auth.kind
    const fits =
      kind === credential.kind &&
      auth.owners.includes(credential.userId === undefined ? 'organization' : 'member') &&
      (credential.server === undefined ? credential.kind === 'key' : addresses.includes(credential.server)) &&
      (credential.authority === undefined || credential.authority.provider === provider)
    if (!fits) throw new Fault('request.stale', { thing: 'connection' })
    return facts
  }

  return {
    async keep(credential) {
      const { organizationId, connectionId, userId } = credential
      const stored = await db
        .organization(organizationId, async (sql) => {
          const facts = await lockBoundConnection(sql, credential)
          const done = await put(parts, sql, credential, facts)
          const { id, account, mended } = done
          const provider = credential.authority?.provider ?? facts?.provider ?? 'mcp'
          const concerned = { id, organizationId, connectionId: connectionId ?? null, userId: userId ?? null }
          if (mended !== undefined) await tell(sql, 'credential.back', { ...concerned, account, provider })
          await recordChange(sql, credential.actor ?? keeper(), organizationId, {
            action: done.replaced ? 'credential.replace' : 'credential.add',
            resource: 'credential',
            id,
            detail: {
              connection: connectionId ?? null,
              user: userId ?? null,
              account,
              provider,
              kind: credential.kind,
            },
          })
          return done
        })
        .finally(() => memory.changed(organizationId))
      onKept(credential)
      return stored.id
    },

    async end({ organizationId, connectionId, userId, id, actor = keeper() }) {
      // Asked of memory before: the connection may be on its way out.
      const egress = egressOf(organizationId, connectionId)
      const ended = await db.organization(organizationId, (sql) =>
        ender.endIn(sql, { connectionId, userId, id }, { actor, organizationId }),
      )
      memory.changed(organizationId)
      return { ended: idsOf(ended), problems: await ender.revoke(ended, () => egress) }
    },
  }
}

/** Throws `account.many` and `account.connected`. */
async function put(
  { vault, now }: Pick<KeepingParts, 'vault' | 'now'>,
  sql: OrgSql,
  credential: NewCredential,
  facts: ConnectionFacts | undefined,
): Promise<Put> {
  const { organizationId, connectionId, userId, account, replaces, kind, authority, client, tokens } = credential
  const done = await putCredential(sql, {
    organizationId,
    connectionId,
    userId,
    account,
    replaces,
    tried: credential.tried ?? false,
    kind,
    authority,
    provider: authority?.provider ?? facts?.provider ?? 'mcp',
    only: facts?.auth.accounts === 'one',
    server: facts?.server,
    onlyIssuer: facts?.issuer,
    clientId: client?.clientId,
    appId: client?.appId,
    providerUserId: tokens.account.id,
    providerUsername: tokens.account.name,
    tokenType: tokens.tokenType,
    left: leftOf(tokens, now()),
    scopes: tokens.scopes ?? credential.scopes,
    providerData: tokens.more,
    seal: (id) => ({
      access: vault.seal(tokens.access, accessTokenSealContext(id)),
      refresh: tokens.refresh === undefined ? undefined : vault.seal(tokens.refresh, refreshTokenSealContext(id)),
    }),
  })
  if (!('refused' in done)) return done
  if (done.refused === 'many') throw new Fault('account.many', { limit: MOST_ACCOUNTS })
  // The new token is not revoked: at many servers that would end all that this person has granted, the account that works with it.
  throw new Fault('account.connected', { account: done.account })
}
