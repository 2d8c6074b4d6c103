/** A provider says that somebody has signed out there: their sign-ins by that provider end here, at every gateway. */
import { Fault } from '@toolway/contract'
import type { BaseWithDatabase } from '../../base/base.ts'
import type { EndedSignIns } from '../../identity/ended-sign-ins.ts'
import type { IdentityProvider } from '../../identity/federated/identity-provider.ts'
import { endProviderSession } from '../../identity/sign-ins.ts'
import { spendState } from '../../identity/spent-states.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import type { ProviderRow } from './identity-providers.rows.ts'

/**
 * The cause of a refusal. `person`: the provider has proven them. `visitor`: a browser on its way there and back. `stranger`: anybody at
 * all, whose refusals are not shown beside the provider.
 */
export type RefusalCause = 'person' | 'visitor' | 'stranger'

export interface SignOutParts extends Pick<BaseWithDatabase, 'db' | 'vault'> {
  readonly ended: EndedSignIns
  providerOf(row: ProviderRow): Promise<IdentityProvider>
  noteProblem(row: ProviderRow, actor: Actor, cause: RefusalCause, thrown: unknown): Promise<never>
}

/** Longer than a token is good for. */
const REMEMBERED_MS = 30 * 60 * 1000

/** Throws `login.provider` for a token that is not good, or comes again; the refusal is on record. */
export const createSignOut =
  (parts: SignOutParts) =>
  async (row: ProviderRow, actor: Actor, token: string): Promise<void> => {
    const ids = await signOut(parts, row, actor, token).catch((thrown: unknown) =>
      parts.noteProblem(row, actor, 'stranger', thrown),
    )
    for (const { id } of ids) parts.ended.add(id)
  }

async function signOut({ db, vault, providerOf }: SignOutParts, row: ProviderRow, actor: Actor, token: string) {
  const provider = await providerOf(row)
  if (provider.readLogout === undefined) throw new Fault('login.provider', { problem: 'its logout token is not valid' })
  const { subject, session, tokenId } = await provider.readLogout(token)
  const hash = vault.hash(`logout token ${row.id} ${tokenId}`)
  return db.system(async (sql) => {
    if (!(await spendState(sql, hash, new Date(Date.now() + REMEMBERED_MS))))
      throw new Fault('login.provider', { problem: 'this response was already used' })
    const ended = await endProviderSession(sql, { id: row.id, subject, session })
    for (const { id, user_id: user, bound_to: organization } of ended)
      await recordChange(sql, { ...actor, id: `provider:${row.slug}`, type: 'system' }, organization ?? undefined, {
        ...{ action: 'sign_out', kind: 'sign_in', resource: 'sign_in', id },
        detail: { by: 'identity provider', provider: row.slug, user },
      })
    return ended
  })
}
