/** Sign-in at identity providers that are rows: which ones a page offers, the way to one and back, and what the person is here then. */
import { Fault, type OrganizationId, type UserId } from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import type { BaseWithDatabase } from '../../base/base.ts'
import type { EndedSignIns } from '../../identity/ended-sign-ins.ts'
import {
  createIdentityProvider,
  type IdentityProvider,
  type Proven,
} from '../../identity/federated/identity-provider.ts'
import { createSamlProvider } from '../../identity/federated/saml-provider.ts'
import { spendState } from '../../identity/spent-states.ts'
import { emailOf } from '../../identity/users.ts'
import { createBuckets, type LocalBuckets } from '../../limits/buckets.ts'
import type { AdminCredentials } from '../../oauth/outgoing/admin-credentials.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import { INSTALLATION } from '../../snapshot/installation.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import { identityProviderSealContext } from '../../vault/sealed-columns.ts'
import type { SecondStep, SignIn, Tokens } from '../people/index.ts'
import { methodsOf } from '../people/index.ts'
import { findProvenDomain, hasLeadingDomain } from './identity-domains.rows.ts'
import {
  findProviderById,
  listProviders,
  noteProviderProblem,
  noteProviderSignIn,
  settingsOf,
  type ProviderRow,
} from './identity-providers.rows.ts'
import { createSignOut, type RefusalCause } from './provider-sign-outs.ts'
import { linkPerson } from './identity-links.ts'
import type { Linking } from './link-tickets.ts'
import { mappingsFor, personOf, roleOf } from './provided-people.ts'

export interface StartIdentityProvidersParts {
  readonly signIn: Pick<SignIn, 'afterProvider'>
  /** Accounts at vendors, which end with a membership. */
  readonly credentials: Pick<AdminCredentials, 'endIn' | 'ended'>
  readonly ended: EndedSignIns
  findOrganization(name: { id?: string; slug?: string }): Snapshot | undefined
  /** Resolves when this process's memory knows of changed people, and of the members of those organizations. */
  settle(id: UserId, organizationIds: readonly OrganizationId[]): Promise<void>
  /** Puts the value in place of a reference to a secret. Throws `secret.unresolved`. */
  reveal(owner: string, text: string): Promise<string>
}

/** A provider on a sign-in page. */
export interface OfferedProvider {
  readonly id: ProviderRow['id']
  readonly title: string
}

/** The result of a trial. */
export interface TrialOutcome {
  readonly claims: Proven['claims']
  readonly role: string | undefined
  readonly groups: readonly string[]
}

export type ProviderSignIn = ReturnType<typeof startIdentityProviders>

/** Discovery documents and key sets of providers are read anew after ten minutes, so that keys can roll over. */
const RUNNING = { max: 500, ttl: 10 * 60 * 1000 }

async function build(
  { db, vault }: Pick<BaseWithDatabase, 'db' | 'vault'>,
  reveal: StartIdentityProvidersParts['reveal'],
  row: ProviderRow,
): Promise<IdentityProvider> {
  const { sealed_secret: sealed, organization_id: owner, title } = row
  const settings = settingsOf(row)
  if (settings.kind === 'saml')
    return createSamlProvider({
      ...{ title, settings },
      spend(assertionId, until) {
        const hash = vault.hash(`saml assertion ${row.id} ${assertionId}`)
        return db.system((sql) => spendState(sql, hash, until))
      },
    })
  const { issuer, client_id: clientId, scopes, group_claims: groupClaims } = settings
  const stored = sealed === null ? undefined : vault.open(sealed, identityProviderSealContext(row.id))
  return createIdentityProvider({
    ...{ issuer, clientId, scopes, groupClaims, title, supabase: false, now: Date.now },
    clientSecret: stored === undefined ? undefined : await reveal(owner, stored),
    fetch: createGuardedFetch({
      alias: 'of an identity provider',
      privateOrigins: row.private ? [new URL(issuer).origin] : [],
    }),
  })
}

/** Records a minute and provider of refusals that nobody's proof stands behind, of this process. */
const MOST_UNPROVEN = 60

/** The failure is the provider's, and shown to its administrators. */
async function noteRefusal(
  { db, unproven }: { readonly db: BaseWithDatabase['db']; readonly unproven: LocalBuckets },
  row: ProviderRow,
  { actor, cause }: { readonly actor: Actor; readonly cause: RefusalCause },
  thrown: unknown,
): Promise<never> {
  const fault = Fault.of(thrown)
  const isNoted = cause === 'person' || unproven.take(row.id, MOST_UNPROVEN, 1) === 0
  if (fault.code === 'login.provider' && isNoted) {
    const problem = String(fault.facts['problem'])
    const place = row.organization_id === INSTALLATION ? undefined : (row.organization_id as OrganizationId)
    await db.system(async (sql) => {
      if (cause !== 'stranger') await noteProviderProblem(sql, row.id, problem)
      await recordChange(sql, actor, place, {
        ...{ action: 'sign_in', kind: 'sign_in', resource: 'sign_in', id: row.slug, outcome: 'refused' },
        ...{ code: fault.code, detail: { by: 'identity provider', provider: row.slug, problem } },
      })
    })
  }
  throw fault
}

/** The role and groups of a person with these claims. It lets nobody in. */
function outcomeOf(row: ProviderRow, { claims }: Proven): TrialOutcome {
  const settings = settingsOf(row)
  const mappings = mappingsFor(claims, settings)
  return {
    claims,
    role: roleOf(mappings, settings),
    groups: [...new Set(mappings.flatMap(({ groups }) => groups))],
  }
}

/** How the person is proven, and what the sign-in is for: a provider of an organization signs in to that one alone. */
function signInOf(row: ProviderRow, proven: Proven) {
  const { session_hours: hours, second_factor: secondFactor } = settingsOf(row)
  const severalFactors = proven.severalFactors === true || secondFactor === 'assumed'
  const endsAt = new Date(Date.now() + hours * 60 * 60 * 1000)
  const { subject, session } = proven
  return {
    methods: methodsOf({ ...proven, severalFactors }),
    scope: {
      organization: row.organization_id === INSTALLATION ? undefined : row.organization_id,
      client: 'browser',
      provider: { id: row.id, endsAt, subject, session },
    },
  } as const
}

export function startIdentityProviders({ db, vault }: BaseWithDatabase, parts: StartIdentityProvidersParts) {
  const unproven = createBuckets({ now: () => performance.now(), most: 1_000 })
  const running = new LRUCache<string, Promise<IdentityProvider>>(RUNNING)

  /** Where its settings have changed it is another one. */
  function providerOf(row: ProviderRow): Promise<IdentityProvider> {
    const name = JSON.stringify([row.id, row.settings, row.sealed_secret?.toString('base64'), row.private])
    const found = running.get(name)
    if (found !== undefined) return found
    const built = build({ db, vault }, parts.reveal, row)
    running.set(name, built)
    built.catch(() => running.delete(name))
    return built
  }

  /** An organization's own page shows its providers and those of the installation; one that is not there has none of its own. */
  async function listOffered(organization: string | undefined): Promise<readonly OfferedProvider[]> {
    const id = organization === undefined ? undefined : parts.findOrganization({ slug: organization })?.organization.id
    const rows = await db.system(async (sql) => [
      ...(id === undefined ? [] : await listProviders(sql, id)),
      ...(await listProviders(sql, INSTALLATION)),
    ])
    return rows.filter(({ enabled }) => enabled).map((row) => ({ id: row.id, title: row.title }))
  }

  /** Throws `login.provider` for one that is not there, or is disabled: both sound the same. */
  async function find(id: string, isTrial: boolean): Promise<ProviderRow> {
    const row = await db.system((sql) => findProviderById(sql, id))
    if (row === undefined || !(row.enabled || isTrial) || !isStanding(row))
      throw new Fault('login.provider', { problem: 'it does not exist, or is disabled' })
    return row
  }

  const isStanding = ({ organization_id: owner }: ProviderRow): boolean =>
    owner === INSTALLATION || parts.findOrganization({ id: owner })?.organization.active === true

  /** The provider that signs people of that address in: the organization that has proven its domain decides. */
  async function findForAddress(email: string): Promise<ProviderRow | undefined> {
    const domain = emailOf(email).split('@').at(-1) ?? ''
    return db.system(async (sql) => {
      const owner = (await findProvenDomain(sql, domain))?.organization_id
      const rows = owner === undefined ? [] : await listProviders(sql, owner)
      return rows.find((row) => row.enabled && isStanding(row))
    })
  }

  const noteProblem = (row: ProviderRow, actor: Actor, cause: RefusalCause, thrown: unknown): Promise<never> =>
    noteRefusal({ db, unproven }, row, { actor, cause }, thrown)

  async function open(row: ProviderRow, actor: Actor, proven: Proven): Promise<Tokens | SecondStep> {
    const { endIn } = parts.credentials
    const seals = { hash: vault.hash, seal: vault.seal }
    const { user, ended, changed, isNew, refusal } = await db.system((sql) =>
      personOf(sql, { seals, endIn }, actor, row, proven),
    )
    for (const { organizationId, ended: all } of ended) void parts.credentials.ended(organizationId, all)
    if (isNew || changed.length > 0) await parts.settle(user.id, changed)
    if (refusal !== undefined) throw new Fault('login.provider', { problem: refusal })
    const { methods, scope } = signInOf(row, proven)
    const how = `identity provider ${row.slug}`
    const tokens = await parts.signIn.afterProvider(actor, { user, methods, how, scope })
    await db.system((sql) => noteProviderSignIn(sql, row.id))
    return tokens
  }

  return {
    ...{ find, listOffered, findForAddress, providerOf, leadsByAddress: () => db.system(hasLeadingDomain) },
    /** Throws `login.provider`; the refusal is on record, and shown beside the provider. */
    signIn: (row: ProviderRow, actor: Actor, proven: Proven): Promise<Tokens | SecondStep> =>
      open(row, actor, proven).catch((thrown: unknown) => noteProblem(row, actor, 'person', thrown)),
    signOut: createSignOut({ db, vault, ended: parts.ended, providerOf, noteProblem }),
    /** Throws `login.provider`; the refusal is on record. */
    link: (row: ProviderRow, actor: Actor, linking: Linking, { subject }: Proven): Promise<void> =>
      db
        .system((sql) => linkPerson(sql, actor, row, { ...linking, subject }))
        .catch((thrown: unknown) => noteProblem(row, actor, 'stranger', thrown)),
    noteProblem,
    outcomeOf,
  }
}
