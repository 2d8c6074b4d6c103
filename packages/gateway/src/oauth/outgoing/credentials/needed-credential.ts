/** The refusal of a call that lacks a credential: why, in words, and the link under which a person connects an account. */
import { Fault, type CredentialId } from '@toolway/contract'
import type { CredentialAsking } from '../../../snapshot/ports/credentials.ts'
import type { ConnectLinks } from '../ports.ts'
import { ownerOf } from './choose-credential.ts'
import type { ConnectionFacts } from './connection-facts.ts'
import type { HeldCredential } from './credential-memory.ts'

export type NeededCredential = ReturnType<typeof createNeeded>

export function createNeeded(links: Pick<ConnectLinks, 'link'>) {
  /** `stored` is the account that is to be connected anew, with these permissions at least. */
  return (
    facts: ConnectionFacts,
    asking: CredentialAsking,
    problem: string,
    stored?: Pick<HeldCredential, 'scopes'> & { readonly id?: CredentialId | undefined },
  ) => {
    const { organizationId, connectionId, account } = asking
    const { url, minutes } = links.link({
      organizationId,
      connectionId,
      userId: ownerOf(facts, asking.principal),
      account,
      replaces: stored?.id,
      scopes: stored?.scopes ?? [],
    })
    return new Fault('credential.needed', { connection: facts.egress.alias, problem, link: url, minutes })
  }
}

/** A key that is nobody's has no account of a member, however many of those there are: whoever reads this may have one. */
export function whyNone({ account, principal }: CredentialAsking): string {
  if (account !== undefined) return `nobody has connected "${account}"`
  if (principal.userId !== undefined) return 'neither you nor the organization has connected one'
  const why = principal.kind === 'key' ? ', and this key does not belong to a member' : ''
  return `the organization has connected none${why}`
}

export const sayName = ({ open }: HeldCredential): string => `the account "${open.name ?? open.account}"`
