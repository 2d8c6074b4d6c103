/** Identity of callers: keys, the gateway's own tokens and those of others, and the accounts and ended sign-ins in memory. */
import { Fault, type FamilyId, type KeyId, type UserId } from '@toolway/contract'
import { createKeepUses } from './keep-uses.job.ts'
import { createTakeOver } from './old-keys.ts'
import { createReadPassThroughToken } from '../../call/callers/pass-through-token.ts'
import { tokenLives } from '../../config.ts'
import { DatabaseUnreachable } from '../../db/unreachable.ts'
import type { EndpointPath } from '../../snapshot/ports/endpoint.ts'
import { createAccessTokens } from '../../identity/access-tokens.ts'
import { createAccounts, listAccounts, type Accounts } from '../../identity/accounts.ts'
import { createEndedSignIns } from '../../identity/ended-sign-ins.ts'
import { createIdentity } from '../../identity/identify.ts'
import { findKey, noteUses } from '../../identity/keys/keys.ts'
import { principalOfToken } from '../../identity/principal.ts'
import { listEnded, noteSignInUses } from '../../identity/sign-ins.ts'
import { createSlowHashes } from '../../identity/keys/slow-keys.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import { createEndpoints } from '../../oauth/endpoints.ts'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import type { BaseWithDatabase } from '../../base/base.ts'
import { createOutsidePrincipals } from './external-principals.ts'
import { createIsOwn } from '../../identity/is-own-token.ts'

export interface StartIdentityParts {
  readonly publicUrl: () => string
  readonly snapshots: () => Pick<KeepSnapshots, 'find' | 'all'>
  /** The endpoint that an address of ours leads to. */
  readonly placeOf: (path: string) => EndpointPath | undefined
  /** Streams that are open may be somebody else's now, or nobody's. */
  readonly recheck: () => void
}

export function startIdentity(core: BaseWithDatabase, { publicUrl, placeOf, snapshots, recheck }: StartIdentityParts) {
  const { config, db, vault, log } = core
  const accounts = createAccounts({
    list: (named) => db.system((sql) => listAccounts(sql, named, config.TOOLWAY_SECOND_FACTOR === 'required')),
  })
  const tokens = createTokens(core, publicUrl, placeOf)
  const { accessTokens, ended, endpoints, signingKeys } = tokens
  const { takeOver, uses } = startKeyUses(core)
  const signIns = startSignInUses(core)
  const isOwn = createIsOwn(publicUrl, () => signingKeys().map(({ id }) => id))
  const identity = createIdentity({
    hash: vault.hash,
    find: (hash, within) => db.system((sql) => findKey(sql, hash), within),
    findSlow: takeOver,
    outage: {
      awayFor: () => db.presence.awayFor(),
      grace: config.TOOLWAY_DATABASE_GRACE_SECONDS * 1000,
      isAway: (thrown) => thrown instanceof DatabaseUnreachable,
    },
    externalPrincipals: createOutsidePrincipals({
      config,
      fetch: createGuardedFetch({ alias: 'identity', privateOrigins: 'any' }),
      isOwn,
      accounts,
      find: (name) => snapshots().find(name),
      all: () => snapshots().all(),
    }),
    onUse: uses.note,
    async readToken(text) {
      const claims = await accessTokens.read(text)
      const endpoint = claims.aud === publicUrl() ? undefined : endpoints.find(claims.aud)
      if (endpoint === undefined && claims.aud !== publicUrl()) throw new Fault('token.unknown')
      return { claims, principal: principalOfToken(claims, endpoint) }
    },
    stands({ claims: { sub, epoch, sid } }) {
      const isGood = accounts.find(sub)?.epoch === epoch && !ended.has(sid)
      if (isGood) signIns.note(sid)
      return isGood
    },
    open: config.TOOLWAY_AUTH === 'off',
  })
  const loadPeople = () => Promise.all([accounts.load(), ended.load()])
  /**
   * These, whom a notice names, or all. After a failure the database says by itself that everything may have changed. Streams are
   * checked where somebody may have lost something.
   */
  const reloadPeople = async (ids?: readonly UserId[]): Promise<void> => {
    try {
      const touched = ids === undefined ? await loadPeople().then(() => true) : await accounts.load(ids)
      if (touched) recheck()
    } catch (thrown) {
      log.error({ err: thrown }, 'accounts could not be reloaded; the previous ones stay in use')
    }
  }
  const token = createReadPassThroughToken((text) => isOwn(text) || text === config.MCP_API_KEY)
  /** For operations: what they took from people counts here once it resolves, before the database tells of it. */
  const settling: Accounts = {
    ...accounts,
    async load(ids) {
      const [touched] = await Promise.all([accounts.load(ids), ended.load(ids && [...ids])])
      // The notice comes when they are read already, and finds that nobody has lost anything.
      if (touched) recheck()
      return touched
    },
  }
  return { ...tokens, identity, accounts: settling, readPassThroughToken: token, loadPeople, reloadPeople }
}

/** Tokens of ours: what signs them, where each is good, and which sign-ins ended before theirs ran out. */
function createTokens(
  { config, db, vault }: BaseWithDatabase,
  publicUrl: () => string,
  placeOf: StartIdentityParts['placeOf'],
) {
  const lives = tokenLives(config)
  const signingKeys = () => vault.signingKeys('access tokens')
  const endpoints = createEndpoints({
    base: publicUrl,
    settled: config.TOOLWAY_PUBLIC_URL !== undefined,
    placeOf,
  })
  const accessTokens = createAccessTokens({
    issuer: publicUrl,
    get keys() {
      return signingKeys()
    },
    lifetime: lives.access,
    now: Date.now,
  })
  const ended = createEndedSignIns({
    list: (since, users) => db.system((sql) => listEnded(sql, since, users)),
    lifetime: lives.access,
    now: Date.now,
  })
  return { lives, signingKeys, endpoints, accessTokens, ended }
}

/** When each sign-in was used last is kept, because an organization may end those that rest too long. */
function startSignInUses({ db, log, opened }: BaseWithDatabase) {
  const uses = createKeepUses<FamilyId>({ store: (ids) => db.system((sql) => noteSignInUses(sql, ids)), log })
  opened.defer(() => uses.close())
  return uses
}

/** Keys that another gateway hashed slowly are taken over at their first use; when a key was used last is kept. */
function startKeyUses({ db, vault, log, opened }: BaseWithDatabase) {
  const slow = createSlowHashes()
  opened.defer(() => slow.close())
  const uses = createKeepUses<KeyId>({ store: (ids) => db.system((sql) => noteUses(sql, ids)), log })
  opened.defer(() => uses.close())
  return { takeOver: createTakeOver({ db, hash: vault.hash, slow }), uses }
}
