/** Credentials for servers: opened for calls and for the gateway's own requests, stored, renewed and ended. */
import { LRUCache } from 'lru-cache'
import {
  type Authority,
  type ConnectionId,
  type CredentialId,
  type OrganizationId,
  type UserId,
} from '@toolway/contract'
import type { AdminCredentials } from '../../oauth/outgoing/admin-credentials.ts'
import { findNewestOwner, listHeld, listVersions, noteUses, type HeldRow } from '../../credentials/credentials.ts'
import { listDue, listRunOut, takeExpiring, type DueRow } from '../../credentials/renewal.ts'
import type { Db, OrgSql } from '../../db/db.ts'
import { createKeepUses, type KeepUses } from '../keys/index.ts'
import { createRenewCredentials, type RenewCredentials } from './renew-credentials.job.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import type { CallCredentials, OwnCredentials } from '../../snapshot/ports/credentials.ts'
import { createBatch } from '../../lib/batch.ts'
import { createBrokeredCredentials } from '../../oauth/outgoing/credentials/brokered-credentials.ts'
import { createCallCredentials } from '../../oauth/outgoing/credentials/call-credentials.ts'
import { createClientOf } from '../../oauth/outgoing/credentials/client-of.ts'
import { createKnownFacts } from '../../oauth/outgoing/credentials/connection-facts.ts'
import {
  createCredentialMemory,
  DAMAGED,
  type CredentialMemory,
} from '../../oauth/outgoing/credentials/credential-memory.ts'
import { createKeeping } from '../../oauth/outgoing/credentials/keep-credentials.ts'
import {
  concernedBy,
  createLoseCredential,
  tell,
  type LoseCredential,
} from '../../oauth/outgoing/credentials/lose-credential.ts'
import { createOwnCredentials } from '../../oauth/outgoing/credentials/own-credentials.ts'
import type {
  ClientIdentity,
  ConnectLinks,
  CredentialKeeping,
  NewCredential,
  OutgoingOAuth,
  RevealSecret,
} from '../../oauth/outgoing/ports.ts'
import { createRenewal } from '../../oauth/outgoing/credentials/renew-credential.ts'
import { createEnder, type Ended } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import type { Accounts } from '../../identity/accounts.ts'
import { brokeredBy } from './brokered-by.ts'
import { NO_EXCEPTIONS } from '../../upstreams/http/exceptions.ts'
import type { BaseWithDatabase } from '../../base/base.ts'

export interface StartCredentialsParts {
  readonly oauth: OutgoingOAuth
  readonly reveal: RevealSecret
  readonly links: ConnectLinks
  readonly snapshots: () => Pick<KeepSnapshots, 'find' | 'findAny'>
  readonly accounts: Pick<Accounts, 'find'>
  /** The client of the gateway's own settings at an authorization server. */
  global(authority: Authority): Omit<ClientIdentity, 'appId'> | undefined
  onKept(credential: NewCredential): void
  readonly now?: () => number
}

export interface Credentials {
  readonly callCredentials: CallCredentials
  readonly ownCredentials: OwnCredentials
  readonly keeping: CredentialKeeping
  readonly admin: AdminCredentials
  readonly memory: Pick<CredentialMemory, 'changed' | 'watch'>
  readonly renewals: RenewCredentials
}

/** Milliseconds between two notes of what was used. */
const USES_EVERY = 15 * 60_000
/** Keys whose first use was noted, remembered until their rows say so. */
const FIRST_USES = 10_000

/** The first use of a key says that it is not untried any more: who added it looks now, not in a quarter of an hour. */
function noteUseIn(uses: Pick<KeepUses<CredentialId>, 'note' | 'flush'>) {
  const firstUses = new LRUCache<CredentialId, true>({ max: FIRST_USES })
  return (id: CredentialId, untried: boolean): void => {
    uses.note(id)
    if (!untried || firstUses.has(id)) return
    firstUses.set(id, true)
    void uses.flush()
  }
}

export function startCredentials(core: BaseWithDatabase, parts: StartCredentialsParts): Credentials {
  const { db, vault, log, opened } = core
  const { oauth, reveal, links, snapshots, accounts, global, onKept, now = Date.now } = parts
  const find = (organization: { id: OrganizationId }) => snapshots().find(organization)
  const factsOf = createKnownFacts(vault)
  // At a start every connection is asked for: the reads of those that come together are one transaction.
  const heldTogether = createReads<HeldRow[]>(db)
  const newestTogether = createReads<UserId | undefined>(db)
  const memory: CredentialMemory = createCredentialMemory({
    load: (facts, owner) =>
      heldTogether({
        organizationId: facts.organizationId,
        read: (sql) => listHeld(sql, { connectionId: facts.id, provider: facts.provider }, owner),
      }),
    open: vault.open,
    onDamaged(damaged) {
      lose({ ...damaged, lease: undefined }, DAMAGED).catch((thrown: unknown) => {
        log.error({ err: thrown, credential: damaged.id }, 'the state of a damaged credential could not be stored')
      })
    },
    now,
  })
  opened.defer(() => memory.close())
  const clientOf = createClientOf({ vault, reveal, global })
  const lose: LoseCredential = createLoseCredential({ db, log, changed: memory.changed })
  const renewal = createRenewal({
    ...{ db, vault, oauth, clientOf, memory, lose, log, now, random: Math.random },
    onEnd: core.counters.renewAccount,
  })
  opened.defer(() => renewal.close())
  const uses = createKeepUses<CredentialId>({
    store: (ids) => db.system((sql) => noteUses(sql, ids)),
    log,
    every: USES_EVERY,
  })
  opened.defer(() => uses.close())
  const shared = { find, factsOf, memory, renewal, lose, now }
  const ender = createEnder({ vault, oauth, clientOf, log })
  const renewals = createRenewCredentials({
    ...looks(core),
    renew,
    log,
    lose: (item) => lose({ ...item, lease: undefined }, 'it has expired'),
  })
  opened.defer(() => renewals.close())

  const keeping = createKeeping({
    ...{ db, vault, memory, ender, onKept, now },
    egressOf: (organizationId, connectionId) => egressOf(organizationId, connectionId, 'removed'),
  })
  const takingBack = new Set<Promise<unknown>>()
  opened.defer(() => Promise.all(takingBack).then(() => {}))

  function egressOf(organizationId: OrganizationId | undefined, connectionId: ConnectionId | null, provider: string) {
    const organization = organizationId === undefined ? undefined : snapshots().findAny({ id: organizationId })
    const row = connectionId === null ? undefined : organization?.connection(connectionId)
    return organization === undefined || row === undefined
      ? { alias: provider, privateOrigins: [], exceptions: organization?.exceptions ?? NO_EXCEPTIONS }
      : factsOf(row, organization.exceptions).egress
  }

  function ended(organizationId: OrganizationId | undefined, all: readonly Ended[]): Promise<readonly string[]> {
    memory.changed(organizationId)
    // Asked of memory at once: the connection may be gone from there in a moment.
    const egress = new Map(all.map(({ row }) => [row, egressOf(organizationId, row.connection_id, row.provider)]))
    const done = ender.revoke(all, (row) => egress.get(row) ?? { alias: row.provider, privateOrigins: [] })
    takingBack.add(done)
    return done.finally(() => takingBack.delete(done))
  }

  async function renew(due: DueRow) {
    const { organization_id: organizationId, connection_id: connectionId, id, version, provider } = due
    const organization = snapshots().findAny({ id: organizationId })
    const row = connectionId === null ? undefined : organization?.connection(connectionId)
    const facts = organization && row && factsOf(row, organization.exceptions)
    const egress = egressOf(organizationId, connectionId, provider)
    await renewal.renew({ issuer: facts?.issuer, misplaced: facts?.misplaced, egress, organizationId, id, version })
  }

  return {
    callCredentials: createBrokeredCredentials({
      kept: createCallCredentials({ ...shared, links, onUse: noteUseIn(uses) }),
      brokeredBy: ({ organizationId, connectionId }) => brokeredBy(find({ id: organizationId }), connectionId),
      emailOf: (userId) => accounts.find(userId)?.email,
      links,
    }),
    ownCredentials: createOwnCredentials({
      ...shared,
      newestOwner: ({ organizationId, id, provider }) =>
        newestTogether({ organizationId, read: (sql) => findNewestOwner(sql, { connectionId: id, provider }) }),
      versions: (organizationId, connectionId) =>
        db.organization(organizationId, async (sql) => versionsById(await listVersions(sql, connectionId))),
    }),
    keeping,
    admin: { ...keeping, endIn: ender.endIn, ended },
    memory,
    renewals,
  }
}

const versionsById = (rows: Awaited<ReturnType<typeof listVersions>>) =>
  new Map(rows.map(({ id, version }) => [id, version]))

interface Read<Result> {
  readonly organizationId: OrganizationId
  read(sql: OrgSql): Promise<Result>
}

const MOST_READS = 100

/** Reads of one organization that are asked for at the same time share a transaction. */
const createReads = <Result>(db: Pick<Db, 'organization'>) =>
  createBatch<Read<Result>, Result>({
    most: MOST_READS,
    async run(reads) {
      const results = new Map<Read<Result>, Result>()
      const readAll = async (id: OrganizationId, own: readonly Read<Result>[]) =>
        db.organization(id, async (sql) => {
          for (const item of own) results.set(item, await item.read(sql))
        })
      const byOrganization = Map.groupBy(reads, ({ organizationId }) => organizationId)
      await Promise.all([...byOrganization].map(([id, own]) => readAll(id, own)))
      return reads.map((item) => results.get(item) as Result)
    },
  })

/** What the job asks of the database. */
const looks = ({ db }: BaseWithDatabase) => ({
  due: (limit: number) => db.system((sql) => listDue(sql, limit)),
  runOut: (limit: number) => db.system((sql) => listRunOut(sql, limit)),
  warn: (limit: number) =>
    db.system(async (sql) => {
      const soon = await takeExpiring(sql, limit)
      for (const row of soon)
        await tell(sql, 'credential.expiring', concernedBy(row), { expires_at: row.expires_at.toISOString() })
      return soon.length
    }),
})
