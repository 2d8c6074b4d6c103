/** The pages at which people sign in, by a password or at an identity provider. */
import { randomUUID } from 'node:crypto'
import type { BaseWithDatabase } from '../../base/base.ts'
import type { ProviderSignIn } from '../../features/identity-providers/index.ts'
import type { People, Tokens } from '../../features/people/index.ts'
import { spendState } from '../../identity/spent-states.ts'
import { findUser } from '../../identity/users.ts'
import type { Clients } from '../client-address.ts'
import type { PageContext } from '../pages/page-request.ts'
import { createProviderDoor } from './provider-door.ts'
import { createSecondStepCookies, createSecondStepDoor } from './second-step-door.ts'
import { answerSignedIn, createSignInDoor } from './sign-in-door.ts'
import type { WebSession } from './web-session.ts'

export interface SignInAddressesParts {
  readonly people: People
  readonly providers: ProviderSignIn
  readonly web: WebSession
  readonly clients: Clients
  readonly publicUrl: () => string
}

export function createSignInAddresses(
  { config, db, vault }: BaseWithDatabase,
  { people, providers, web, clients, publicUrl }: SignInAddressesParts,
) {
  const steps = createSecondStepCookies(publicUrl)
  const pages = createSignInDoor({
    steps,
    ...people,
    providers,
    web,
    shortest: config.TOOLWAY_PASSWORD_LENGTH,
    clients,
    emailOf: (id) => db.system(async (sql) => (await findUser(sql, id))?.email),
    newCorrelationId: randomUUID,
  })
  const { signIn, provider } = people
  const stepParts = { signIn, publicUrl, clients, newCorrelationId: randomUUID }
  const answer = (c: PageContext, tokens: Tokens, next: string | undefined) => answerSignedIn(c, web, tokens, next)
  pages.route('/', createSecondStepDoor({ ...stepParts, answerSignedIn: answer }, steps))
  const spend = (hash: Buffer, until: Date) => db.system((sql) => spendState(sql, hash, until))
  const parts = { ...stepParts, provider, providers, steps, web, vault, spend }
  return pages.route('/', createProviderDoor(parts))
}
