/**
 * Keep a key that a person gives for a connection: tried at the server first, because one that was mistyped is found out now and not
 * in the middle of a conversation.
 */
import { Fault, type CredentialId } from '@toolway/contract'
import type { Db } from '../../../db/db.ts'
import { recordChange, type Actor } from '../../../records/change.ts'
import { keyCredential, type CredentialKeeping } from '../ports.ts'
import type { Tried } from '../flows/auth-probe.ts'
import type { Target } from '../flows/target.ts'

export interface KeepKeyParts {
  readonly db: Pick<Db, 'organization'>
  readonly keeping: Pick<CredentialKeeping, 'keep'>
  /** Try these headers at the server: the fault, if it does not let them in, and whose account it is, where it tells that. */
  tryAuth(target: Target, headers: Readonly<Record<string, string>>): Promise<Tried>
}

export interface GivenKey {
  readonly target: Target
  readonly account: string | undefined
  readonly replaces?: string | undefined
  readonly key: string
  readonly actor: Actor
  readonly session?: string | undefined
}

/** Throws `flow.unfit` for what is no key of this connection, and what the server says to it. */
export type KeepKey = (key: GivenKey) => Promise<CredentialId>

export function createKeepKey({ db, keeping, tryAuth }: KeepKeyParts): KeepKey {
  return async ({ target, account, replaces, key: text, actor, session }) => {
    const { auth, connection, connectRequest, server } = target
    const key = text.trim()
    const alias = target.egress.alias
    if (auth?.kind !== 'key' || connection === undefined)
      throw new Fault('flow.unfit', { connection: alias, problem: 'it does not accept a key' })
    // As a header can hold it (RFC 9110, section 5.5).
    if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key))
      throw new Fault('flow.unfit', {
        connection: alias,
        problem: 'a key must be one line of letters, digits and symbols',
      })
    const { refused, name } = await tryAuth(target, { [auth.header.toLowerCase()]: auth.prefix + key })
    if (refused !== undefined) throw refused
    const { organizationId, userId } = connectRequest
    const place = { organizationId, connectionId: connection.id, userId, account, replaces, actor }
    // A program has no address at which a key could be tried.
    const id = await keeping.keep(keyCredential(place, { key, server, tried: target.url !== undefined, name }))
    await db.organization(organizationId, (sql) =>
      recordChange(sql, actor, organizationId, {
        action: 'credential.connect',
        resource: 'credential',
        id,
        detail: {
          connection: connection.id,
          kind: 'key',
          owner: userId ?? 'organization',
          ...(session === undefined ? {} : { session }),
        },
      }),
    )
    return id
  }
}
