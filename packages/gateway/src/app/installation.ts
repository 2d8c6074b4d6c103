/**
 * The organizations of an installation in memory, who may come in, and what operations and calls find there: of a gateway, and of a
 * command beside it. What is only built later is handed over as a function.
 */
import type { BaseWithDatabase } from '../base/base.ts'
import { createDocuments } from '../call/openapi/documents.ts'
import { createChanges } from '../catalog/changes.ts'
import type { LoadedConfig } from '../config.ts'
import { startAccounts } from '../features/accounts/index.ts'
import { startApprovals } from '../features/approvals/index.ts'
import {
  createContacts,
  createFollowLoads,
  createLookClaims,
  startCatalogs,
  type Catalogs,
} from '../features/catalog/index.ts'
import { startIdentity } from '../features/keys/index.ts'
import { refusePassword, startIdentityProviders } from '../features/identity-providers/index.ts'
import { startPeople } from '../features/people/index.ts'
import { createSecondFactors } from '../features/second-factor/index.ts'
import { startRules } from '../features/rules/index.ts'
import { addressOf } from '../http/addresses.ts'
import type { OpenStreams } from '../http/streams/open-streams.ts'
import { createWebSession } from '../http/sign-in/web-session.ts'
import { createWhoAsks } from '../http/sign-in/who-asks.ts'
import type { KeepSnapshots } from '../snapshot/keep-snapshots.ts'
import { startSecretReferences, type SecretReferencesParts } from '../snapshot/secret-references.ts'
import { refreshPeople } from '../snapshot/refresh-people.ts'
import { startSnapshots } from '../snapshot/start-snapshots.ts'
import type { ChildWords } from '../upstreams/children/child-words.ts'
import { startUpstreams } from '../upstreams/start-upstreams.ts'

export interface InstallationParts extends Pick<SecretReferencesParts, 'lookup'> {
  readonly path: string
  readonly lang: string | undefined
  readonly origins?: LoadedConfig['origins'] | undefined
  publicUrl(): string
  /** Absent beside a gateway: that one keeps the connections, and nobody listens here. */
  readonly gateway?: {
    readonly words: ChildWords
    readonly keepsFiles: boolean
    readonly open: () => Pick<OpenStreams, 'recheck'>
  }
}

export type Installation = ReturnType<typeof createInstallation>

export function createInstallation(base: BaseWithDatabase, parts: InstallationParts) {
  const { db, vault, log, counters } = base
  const { publicUrl, gateway } = parts
  const contacts = createContacts(base)
  const changes = createChanges()
  const again: Catalogs['catalogs']['again'] = (id) => offers.catalogs.again(id)
  const upstreams = startUpstreams(base, { ...parts, contacts, counters, again, words: gateway?.words })
  const recheck = (concerned?: ReadonlySet<string>) => gateway?.open().recheck(concerned)
  const later = { snapshots: () => snapshots }
  const callers = startIdentity(base, { ...later, publicUrl, placeOf: (path) => addressOf(path)?.place, recheck })
  const { identity, accounts } = callers
  const web = createWebSession({ identify: identity.identify, vault, publicUrl })

  const claims = gateway === undefined ? undefined : createLookClaims({ db, log })
  const offers: Catalogs = startCatalogs(base, { ...later, upstreams, contacts, changes, claims })
  const { catalogs, healthy } = offers
  const { reveal, ofConnections: references } = startSecretReferences(base, { ...later, lookup: parts.lookup })
  const { links, credentials, connect } = startAccounts(base, {
    ...{ ...later, reveal, accounts, publicUrl, whoAsks: createWhoAsks(web, identity) },
    onKept({ connectionId }) {
      if (gateway !== undefined && connectionId !== undefined) catalogs.again(connectionId)
    },
  })
  const rules = startRules(base, () => snapshots.signal())
  const watching = gateway === undefined ? [] : [catalogs, healthy]
  const follow = createFollowLoads({ ...later, changes, watching, recheck })
  const snapshots: KeepSnapshots = startSnapshots(base, {
    ...{ upstreams, references, policyOf: rules.policyOf, documents: createDocuments({ db }) },
    credentials: credentials.ownCredentials,
    keepsFiles: gateway?.keepsFiles ?? false,
    onLoad(loaded, gone) {
      rules.forget(gone)
      follow(loaded, gone)
    },
  })
  const { callCredentials } = credentials
  const secondFactors = createSecondFactors({ vault, publicUrl, now: Date.now })
  const approvals = startApprovals(base, { accounts, snapshots, credentials: callCredentials, publicUrl })
  const people = startPeople(base, { ...callers, secondFactors, snapshots, publicUrl, refusePassword })
  const providers = startIdentityProviders(base, {
    ...{ signIn: people.signIn, findOrganization: snapshots.find, reveal, credentials: credentials.admin },
    ended: callers.ended,
    settle: async (id, organizations) => {
      const refreshed = organizations.map((organization) => refreshPeople(snapshots, organization, [id]))
      await Promise.all([accounts.load([id]), ...refreshed])
    },
  })
  return {
    ...{ upstreams, changes, callers, web, offers, reveal, links, credentials, connect, rules, snapshots, approvals },
    ...{ people, providers, publicUrl },
    async load() {
      await Promise.all([callers.loadPeople(), rules.platform.load()])
      await snapshots.reload()
    },
  }
}
