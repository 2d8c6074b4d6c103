/** Sign-in of users: passwords, and the organization's own identity provider. */
import type { OrganizationId, UserId } from '@toolway/contract'
import { createEnrolment } from './enrolment.ts'
import { createPasswordFits } from './fresh-sign-in.ts'
import { createProveAgain } from './prove-again.ts'
import type { SecondFactors } from './second-factor-port.ts'
import { createSecondSteps } from './second-step.ts'
import { createSignIn, type SignInParts } from './sign-in.ts'
import { assertionOf, providerOf, tokenLives } from '../../config.ts'
import type { Accounts } from '../../identity/accounts.ts'
import { createAttempts } from '../../identity/attempts.ts'
import { createReadAssertion } from '../../identity/federated/assertion-header.ts'
import { createIdentityProvider } from '../../identity/federated/identity-provider.ts'
import { createPasswords } from '../../identity/passwords.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import { refreshPeople } from '../../snapshot/refresh-people.ts'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import type { BaseWithDatabase } from '../../base/base.ts'

export interface StartPeopleParts extends Pick<SignInParts, 'accessTokens' | 'ended' | 'publicUrl' | 'refusePassword'> {
  readonly accounts: Accounts
  readonly secondFactors: SecondFactors
  readonly snapshots: Pick<KeepSnapshots, 'find' | 'all' | 'refresh'>
}

export type People = ReturnType<typeof startPeople>

export function startPeople({ config, db, vault }: BaseWithDatabase, parts: StartPeopleParts) {
  const { accessTokens, ended, accounts, snapshots, publicUrl, refusePassword, secondFactors } = parts
  const passwords = createPasswords({ shortest: config.TOOLWAY_PASSWORD_LENGTH })
  const attempts = createAttempts({ now: Date.now })
  const settings = providerOf(config)
  const fetch = createGuardedFetch({ alias: 'identity provider', privateOrigins: 'any' })
  const front = assertionOf(config)
  const readAssertion = front && createReadAssertion({ settings: front, fetch, now: Date.now })
  const provider = settings && createIdentityProvider({ ...settings, fetch, now: Date.now })
  const settle = async (id: UserId, organizationId?: OrganizationId) => {
    await Promise.all([
      accounts.load([id]),
      organizationId === undefined ? undefined : refreshPeople(snapshots, organizationId, [id]),
    ])
  }
  const shared = { db, hash: vault.hash, seal: vault.seal, passwords, attempts, settle }
  const stepParts = { db, vault, attempts, secondFactors, refusePassword, now: Date.now }
  const passwordFits = createPasswordFits(shared)
  const signIn = createSignIn({
    ...shared,
    secondSteps: createSecondSteps(stepParts),
    accessTokens,
    ended,
    findOrganization: snapshots.find,
    allOrganizations: snapshots.all,
    refreshLifetime: tokenLives(config).refresh,
    bindsAlways: config.TOOLWAY_TOKEN_PRESET === 'uru',
    provider,
    refusePassword,
    provision: config.TOOLWAY_OIDC_NEW === 'refuse' ? 'existing' : config.TOOLWAY_OIDC_NEW,
    publicUrl,
    now: Date.now,
  })
  return {
    ...{ signIn, enrolment: createEnrolment(shared), provider, readAssertion },
    ...{ attempts, passwordFits, proveAgain: createProveAgain({ ...stepParts, passwordFits }) },
    proofMinutes: config.TOOLWAY_PROOF_MINUTES,
    hashPassword: passwords.hash,
  }
}
