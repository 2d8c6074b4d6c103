/**
 * Selects the credential for a call (ledger U-24): the caller's own before the organization's, the named account, else the
 * default. An account that no longer works is not silently replaced by another one.
 */
import { Fault, type UserId } from '@toolway/contract'
import type { AccountOf, CredentialAsking } from '../../../snapshot/ports/credentials.ts'
import type { ConnectionFacts } from './connection-facts.ts'
import type { HeldCredential } from './credential-memory.ts'

/** Those of the caller and those of the organization, as far as the connection uses them. */
export interface Choice {
  readonly own: readonly HeldCredential[]
  readonly shared: readonly HeldCredential[]
}

export const NOTHING: readonly HeldCredential[] = Object.freeze([])

/** Returns the user whose own credentials a call may use. */
export const ownerOf = ({ auth }: ConnectionFacts, { userId }: { userId: UserId | undefined }): UserId | undefined =>
  auth.owners.includes('member') ? userId : undefined

/** Milliseconds for which a token counts as new. */
export const FRESH = 10_000

/** One that can renew itself and is refused so soon after it was had is not refused for its age: another would not help. */
export const isFresh = ({ renewable, renewedAt, renewAt }: HeldCredential, now: number): boolean =>
  renewable && now - renewedAt < FRESH && now < renewAt

/** All that a caller may name: the default first, and of two of one name the caller's own. */
export const namesOf = ({ own, shared }: Choice): readonly string[] => [
  ...new Set([...own, ...shared].map(({ open }) => open.account)),
]

/** The same, with what a caller may know of each. */
export const accountsIn = (choice: Choice): readonly AccountOf[] =>
  namesOf(choice).flatMap((name) => {
    const credential = [...choice.own, ...choice.shared].find(({ open }) => open.account === name)
    if (credential === undefined) return []
    const { id, account, owner, name: called } = credential.open
    return [{ id, account, name: called, owner, problem: credential.problem }]
  })

/** Throws `credential.account` and `credential.ambiguous`; undefined where there is none at all. */
export function chooseCredential(
  { egress }: ConnectionFacts,
  choice: Choice,
  { account }: Pick<CredentialAsking, 'account'>,
): HeldCredential | undefined {
  if (account !== undefined) return chooseNamed(egress.alias, choice, account)
  const list = choice.own.length > 0 ? choice.own : choice.shared
  const found = list.length === 1 ? list[0] : list.find(({ isDefault }) => isDefault)
  if (found === undefined && list.length > 1)
    throw new Fault('credential.ambiguous', { connection: egress.alias, accounts: namesOf(choice).join(', ') })
  return found
}

function chooseNamed(connection: string, choice: Choice, account: string): HeldCredential | undefined {
  const isNamed = ({ open }: HeldCredential) => open.account === account
  const found = choice.own.find(isNamed) ?? choice.shared.find(isNamed)
  const names = namesOf(choice)
  if (found === undefined && names.length > 0)
    throw new Fault('credential.account', { connection, account, accounts: names.join(', ') })
  return found
}
