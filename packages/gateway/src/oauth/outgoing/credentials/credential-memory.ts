/**
 * Cache of decrypted credentials in this process: those of one owner for one connection at a time, loaded on first use.
 *
 * Decrypted tokens are held nowhere else. Entries that the database reports as changed are no longer used; unused entries are
 * evicted. Refresh tokens are not held: the renewal reads them from their row.
 */
import { LRUCache } from 'lru-cache'
import type { CredentialId, OrganizationId, UserId } from '@toolway/contract'
import type { OpenCredential } from '../../../snapshot/ports/credentials.ts'
import type { HeldRow } from '../../../credentials/credentials.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import { accessTokenSealContext } from '../../../vault/sealed-columns.ts'
import { MissingVaultKey } from '../../../vault/sealed-value.ts'
import type { ConnectionFacts } from './connection-facts.ts'

export interface HeldCredential {
  readonly id: CredentialId
  /** As a call uses it: one object for all calls. */
  readonly open: OpenCredential
  readonly isDefault: boolean
  readonly renewable: boolean
  /** A key of which it is not known whether its server takes it. */
  readonly untried: boolean
  readonly scopes: readonly string[]
  /** Why it serves nobody until a person comes. */
  readonly problem: string | undefined
  /** All of them in milliseconds of this process's clock. */
  readonly expiresAt: number
  readonly renewAt: number
  readonly renewedAt: number
  /** Renewal is not to be tried before. */
  readonly pausedUntil: number
  /** When a person gave it. */
  readonly givenAt: number
}

export interface CredentialMemoryParts {
  load(facts: ConnectionFacts, owner: UserId | undefined): Promise<readonly HeldRow[]>
  open(sealed: Uint8Array, row: string): string
  /** A token cannot be opened, here or anywhere: it was changed, or belongs to another row. */
  onDamaged(damaged: { id: CredentialId; version: number }): void
  readonly now: () => number
  readonly most?: number
}

export interface CredentialMemory {
  /** Those of an owner that may serve; undefined when memory does not know. Without an owner the organization's. */
  find(facts: ConnectionFacts, owner: UserId | undefined): readonly HeldCredential[] | undefined
  load(facts: ConnectionFacts, owner: UserId | undefined): Promise<readonly HeldCredential[]>
  /** Something of an organization's, or of any, is not as it was. */
  changed(organizationId?: string): void
  /** Told after each change, until the returned function is called. */
  watch(organizationId: OrganizationId, onChange: () => void): () => void
  readonly size: number
  close(): void
}

interface Entry {
  readonly generation: string
  readonly version: number
  readonly list: readonly HeldCredential[]
}

const MOST = 20_000
/** Told to the people it concerns. */
export const DAMAGED = 'its stored token cannot be decrypted: it was changed, or belongs to another account'
/** Milliseconds before the end that a token is renewed (ledger S2-TOK-01), where it lives long enough. */
const BUFFER_MS = 60_000

export function createCredentialMemory(parts: CredentialMemoryParts): CredentialMemory {
  const { load, now, most = MOST } = parts
  const entries = new LRUCache<string, Entry>({ maxSize: most, sizeCalculation: ({ list }) => list.length + 1 })
  const loading = createSingleFlight<string, readonly HeldCredential[]>()
  const generations = new Map<string, string>()
  const watchers = new Map<string, Set<() => void>>()
  let all = 0
  let next = 0

  const generationOf = (id: string): string => generations.get(id) ?? `${all}`
  const keyOf = ({ id }: ConnectionFacts, owner: UserId | undefined) => (owner === undefined ? id : `${id} ${owner}`)

  async function read(facts: ConnectionFacts, owner: UserId | undefined): Promise<readonly HeldCredential[]> {
    const generation = generationOf(facts.organizationId)
    const rows = await load(facts, owner)
    const list = rows.filter((row) => serves(row, facts)).map((row) => heldOf(parts, row, facts, now()))
    // Rows read before a change are returned to the waiting callers, but not cached.
    if (generation === generationOf(facts.organizationId))
      entries.set(keyOf(facts, owner), { generation, version: facts.version, list })
    return list
  }

  return {
    find(facts, owner) {
      const entry = entries.get(keyOf(facts, owner))
      if (entry === undefined) return undefined
      return entry.version === facts.version && entry.generation === generationOf(facts.organizationId)
        ? entry.list
        : undefined
    },
    load(facts, owner) {
      const name = `${keyOf(facts, owner)} ${facts.version} ${generationOf(facts.organizationId)}`
      return loading(name, () => read(facts, owner))
    },
    changed(organizationId) {
      if (organizationId === undefined) {
        all++
        generations.clear()
        entries.clear()
      } else generations.set(organizationId, `${all} ${++next}`)
      const concerned = organizationId === undefined ? [...watchers.values()] : [watchers.get(organizationId) ?? []]
      for (const onChange of concerned.flatMap((some) => [...some])) onChange()
    },
    watch(organizationId, onChange) {
      const own = watchers.get(organizationId) ?? new Set()
      watchers.set(organizationId, own.add(onChange))
      return () => {
        own.delete(onChange)
        if (own.size === 0 && watchers.get(organizationId) === own) watchers.delete(organizationId)
      }
    },
    get size() {
      return entries.size
    },
    close() {
      entries.clear()
    },
  }
}

/** It was made for this very address, by the way that the connection has now. */
function serves(row: HeldRow, facts: ConnectionFacts): boolean {
  const kind = facts.auth.kind === 'key' ? 'key' : 'oauth'
  if (row.kind !== kind || (kind === 'oauth' && !isFrom(row, facts))) return false
  // A credential for all connections to a vendor is bound to no address, so it is not sent to an address that any user can set.
  return row.connection_id !== null && row.server === facts.server
}

/** A vendor's token serves only where its authorization server is the one for the connection's address. */
const isFrom = ({ provider, issuer }: HeldRow, facts: ConnectionFacts): boolean =>
  provider === facts.provider &&
  facts.misplaced === undefined &&
  (facts.issuer === undefined || issuer === facts.issuer)

function heldOf(
  parts: Pick<CredentialMemoryParts, 'open' | 'onDamaged'>,
  row: HeldRow,
  facts: ConnectionFacts,
  now: number,
): HeldCredential {
  const { auth } = facts
  const timeIn = (seconds: number | null, none: number) => (seconds === null ? none : now + seconds * 1000)
  const expiresAt = timeIn(row.left, Infinity)
  const buffer = Math.min(BUFFER_MS, (row.lifetime ?? Infinity) * 500)
  const name = row.kind === 'key' ? auth.header.toLowerCase() : 'authorization'
  const prefix = row.kind === 'key' ? auth.prefix : 'Bearer '
  // One that does not serve is not even opened.
  const { token, problem } =
    row.problem === null ? openToken(parts, row) : { token: undefined, problem: row.problem ?? undefined }
  const value = token === undefined ? undefined : prefix + token
  const headers = value === undefined || auth.variable !== undefined ? {} : { [name]: value }
  return {
    id: row.id,
    open: Object.freeze({
      id: row.id,
      version: row.version,
      account: row.account,
      name: row.provider_username ?? undefined,
      owner: row.user_id === null ? ('organization' as const) : ('member' as const),
      headers: Object.freeze(headers),
      ...environmentOf(auth, row.kind === 'key' ? value : token),
    }),
    isDefault: row.is_default,
    renewable: row.renewable,
    untried: row.untried,
    scopes: row.scopes,
    problem,
    expiresAt,
    renewAt: expiresAt - buffer,
    renewedAt: now - row.age * 1000,
    pausedUntil: timeIn(row.pause, 0),
    givenAt: row.updated_at.getTime(),
  }
}

/** A program is given the credential in a variable. An OAuth token stands there as it is. */
const environmentOf = ({ variable }: ConnectionFacts['auth'], value: string | undefined) =>
  variable === undefined || value === undefined ? {} : { environment: Object.freeze({ [variable]: value }) }

/** One account that cannot be opened takes no other account of its owner with it. */
function openToken(
  { open, onDamaged }: Pick<CredentialMemoryParts, 'open' | 'onDamaged'>,
  row: HeldRow,
): { readonly token: string | undefined; readonly problem: string | undefined } {
  try {
    return { token: open(row.sealed_access_token, accessTokenSealContext(row.id)), problem: undefined }
  } catch (thrown) {
    // Another gateway, or this one when it is given the key, may open it: nothing is noted in the database.
    if (thrown instanceof MissingVaultKey)
      return { token: undefined, problem: 'it is encrypted with a vault key that this gateway does not have' }
    onDamaged({ id: row.id, version: row.version })
    return { token: undefined, problem: DAMAGED }
  }
}
