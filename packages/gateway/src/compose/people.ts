/** Sign-in of users: passwords, the organization's own identity provider, and the pages for browsers. */
import { randomUUID } from 'node:crypto'
import type { OrganizationId } from '@toolway/contract'
import { createPasswordFits, createEnrolment, createSignIn, type SignInParts } from '../features/people/index.ts'
import { providerOf, tokenLives } from '../config.ts'
import type { Clients } from '../http/client-address.ts'
import { createProviderDoor } from '../http/sign-in/provider-door.ts'
import { createSignInDoor } from '../http/sign-in/sign-in-door.ts'
import type { WebSession } from '../http/sign-in/web-session.ts'
import type { Accounts } from '../identity/accounts.ts'
import { createAttempts } from '../identity/attempts.ts'
import { createIdentityProvider } from '../identity/federated/identity-provider.ts'
import { createPasswords } from '../identity/passwords.ts'
import { spendState } from '../identity/spent-states.ts'
import { findUser } from '../identity/users.ts'
import type { KeepSnapshots } from '../snapshot/keep-snapshots.ts'
import { createGuardedFetch } from '../upstreams/http/guarded-fetch.ts'
import type { BaseWithDatabase } from '../base/base.ts'

export interface ComposePeopleParts extends Pick<SignInParts, 'accessTokens' | 'ended' | 'publicUrl'> {
  readonly accounts: Accounts
  readonly snapshots: Pick<KeepSnapshots, 'find' | 'all' | 'refresh'>
}

export type People = ReturnType<typeof composePeople>

export function composePeople({ config, db, vault }: BaseWithDatabase, parts: ComposePeopleParts) {
  const { accessTokens, ended, accounts, snapshots, publicUrl } = parts
  const passwords = createPasswords({ shortest: config.TOOLWAY_PASSWORD_LENGTH })
  const attempts = createAttempts({ now: Date.now })
  const settings = providerOf(config)
  const fetch = createGuardedFetch({ alias: 'identity provider', privateOrigins: 'any' })
  const provider = settings && createIdentityProvider({ ...settings, fetch, now: Date.now })
  const settle = async (organizationId?: OrganizationId) => {
    await Promise.all([accounts.load(), organizationId === undefined ? undefined : snapshots.refresh(organizationId)])
  }
  const shared = { db, hash: vault.hash, seal: vault.seal, passwords, attempts, settle }
  const signIn = createSignIn({
    ...shared,
    accessTokens,
    ended,
    findOrganization: snapshots.find,
    allOrganizations: snapshots.all,
    refreshLifetime: tokenLives(config).refresh,
    bindsAlways: config.TOOLWAY_TOKEN_PRESET === 'uru',
    provider,
    provision: config.TOOLWAY_OIDC_NEW === 'refuse' ? 'existing' : config.TOOLWAY_OIDC_NEW,
    publicUrl,
    now: Date.now,
  })
  return {
    ...{ signIn, enrolment: createEnrolment(shared), provider },
    passwordFits: createPasswordFits(shared),
    hashPassword: passwords.hash,
  }
}

export interface ComposePagesParts {
  readonly people: People
  readonly web: WebSession
  readonly clients: Clients
  readonly publicUrl: () => string
}

export function composePages(
  { config, db, vault }: BaseWithDatabase,
  { people, web, clients, publicUrl }: ComposePagesParts,
) {
  const pages = createSignInDoor({
    ...people,
    web,
    shortest: config.TOOLWAY_PASSWORD_LENGTH,
    clients,
    emailOf: (id) => db.system(async (sql) => (await findUser(sql, id))?.email),
    newCorrelationId: randomUUID,
  })
  const { signIn, provider } = people
  if (provider?.browses !== true) return pages
  const spend = (hash: Buffer, until: Date) => db.system((sql) => spendState(sql, hash, until))
  const parts = { provider, signIn, web, vault, spend, publicUrl, clients, newCorrelationId: randomUUID }
  return pages.route('/', createProviderDoor(parts))
}
