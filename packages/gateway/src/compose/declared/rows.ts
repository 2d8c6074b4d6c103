/**
 * The database's content in memory: the organizations, connections, toolsets and keys that files declare, and the last catalog of
 * each connection. Immutable rows of the same shapes, so that the code above cannot tell the two apart.
 *
 * Ids are derived from the names, so that a restart, and another gateway of the same files, use the same ids.
 */
import { createHash } from 'node:crypto'
import {
  runsHere,
  ConnectionSecrets,
  Fault,
  type ConnectionId,
  type KeyId,
  type OrganizationId,
  type RuleWords,
  type ToolsetId,
} from '@toolway/contract'
import { isDeepStrictEqual } from 'node:util'
import { declaredPolicy } from './declared-policy.ts'
import type { DeclaredKey } from '../../admin/installation/declare.ts'
import { partsOf, sealerOf, shownOf, type ConnectionWords } from '../../kinds/kinds.ts'
import { sealedRow } from '../../call/snapshot.ts'
import type { CatalogRow } from '../../catalog/catalogs.ts'
import { ConfigFault } from '../../config.ts'
import type { Declared } from '../../config-file.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import { hintOf, prefixOf, roleOfMark } from '../../identity/keys/key-forms.ts'
import type { KeyRow } from '../../identity/keys/keys.ts'
import type { OrganizationRow } from '../../organizations/organizations.ts'
import type { Policy } from '../../policy/verdict.ts'
import type { ToolsetRow } from '../../toolsets/toolsets.ts'
import type { Vault } from '../../vault/vault.ts'

/** An organization as files declare it, under an id of its own where it has one. */
export interface DeclaredOrganization extends Omit<Declared, 'connections'> {
  readonly id?: string
  readonly connections: readonly RowWords[]
}

/** A connection; `private`: it may be reached wherever it is, because its operator named it. */
interface RowWords extends ConnectionWords {
  readonly alias: string
  readonly title: string
  readonly enabled: boolean
  readonly private?: boolean
  readonly trusted?: boolean | undefined
  readonly rules?: readonly RuleWords[] | undefined
}

/** All that is declared of one organization. */
export interface OrganizationRows {
  readonly organization: OrganizationRow
  readonly connections: readonly ConnectionRow[]
  readonly toolsets: readonly ToolsetRow[]
  readonly catalogs: readonly CatalogRow[]
  /** All rules in force in it. */
  readonly policy: Policy
}

export interface Rows {
  /** Say anew what is declared: what did not change stays the very same, so that nothing of it is opened anew. */
  declare(declared: readonly DeclaredOrganization[], platform?: readonly RuleWords[]): void
  organizations(): readonly OrganizationRows[]
  findKey(hash: Buffer): KeyRow | undefined
  keepCatalog(connectionId: ConnectionId, row: CatalogRow): void
  findCatalog(connectionId: ConnectionId): CatalogRow | undefined
}

const ORIGIN = 'file'

export function createRows(vault: Pick<Vault, 'seal' | 'open' | 'hash'>): Rows {
  let held: readonly Omit<OrganizationRows, 'catalogs'>[] = []
  let keys = new Map<string, KeyRow>()
  const catalogs = new Map<ConnectionId, CatalogRow>()
  const began = new Date()

  function connectionRow(
    organization: OrganizationRow,
    declared: RowWords,
    before: ConnectionRow | undefined,
  ): ConnectionRow {
    const { alias, title, enabled, trusted = true } = declared
    const id = idOf('con', organization.slug, alias) as ConnectionId
    const { settings, secrets } = described(declared)
    const same =
      before !== undefined &&
      before.enabled === enabled &&
      before.trusted === trusted &&
      before.title === title &&
      isDeepStrictEqual(before.settings, settings) &&
      isDeepStrictEqual(secretsIn(before), secrets)
    if (same) return before
    return {
      id,
      organization_id: organization.id,
      alias,
      title,
      description: null,
      settings,
      sealed: sealerOf(secrets, vault.seal, sealedRow)(id) ?? null,
      enabled,
      origin: ORIGIN,
      era: null,
      status: 'new',
      status_reason: null,
      tools_default: true,
      tool_lock: 'off',
      // Without a database the file is the only word of an administrator that there is.
      trusted,
      keep_payloads: false,
      created_at: before?.created_at ?? began,
      updated_at: new Date(Math.max(Date.now(), (before?.updated_at.getTime() ?? 0) + 1)),
    }
  }

  const secretsIn = ({ id, sealed }: ConnectionRow): ConnectionSecrets =>
    ConnectionSecrets.parse(sealed === null ? {} : JSON.parse(vault.open(sealed, sealedRow(id))))

  function keyRow({ id }: OrganizationRow, slug: string, key: DeclaredKey): KeyRow {
    const { name, value, toolset, role = 'tenant_member', limit = 'execute', trusted = false, expires } = key
    return {
      id: idOf('key', slug, name) as KeyId,
      organization_id: id,
      user_id: null,
      family: roleOfMark(value) === undefined ? 'uru' : 'smcp',
      role,
      effect_limit: limit,
      trusted,
      name,
      hint: hintOf(value),
      prefix: prefixOf(value),
      toolset: toolset ?? null,
      origin: ORIGIN,
      created_at: began,
      expires_at: expires ?? null,
      last_used_at: null,
    }
  }

  function rowsOf(declared: DeclaredOrganization, platform: readonly RuleWords[]): Omit<OrganizationRows, 'catalogs'> {
    const { slug, id, name } = declared
    const before = held.find((one) => one.organization.slug === slug)
    const organization: OrganizationRow = {
      id: (id ?? idOf('org', slug)) as OrganizationId,
      slug,
      name: name ?? slug,
      description: null,
      contact_email: null,
      active: true,
      settings: {},
      egress: { networks: [], hosts: [] },
      created_at: began,
      updated_at: began,
    }
    const toolsets = declared.toolsets
      .map((toolset) => ({
        ...toolset,
        id: idOf('tls', slug, toolset.slug) as ToolsetId,
        organization_id: organization.id,
        origin: ORIGIN,
      }))
      .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
    const same = before?.organization.id === organization.id ? before : undefined
    return {
      organization: same === undefined ? organization : { ...same.organization, name: organization.name },
      connections: declared.connections
        .map((one) =>
          connectionRow(
            organization,
            one,
            same?.connections.find(({ alias }) => alias === one.alias),
          ),
        )
        .toSorted((a, b) => (a.alias < b.alias ? -1 : 1)),
      toolsets,
      policy: declaredPolicy(platform, declared, toolsets),
    }
  }

  return {
    declare(declared, platform = []) {
      // Made whole before anything of it counts: what cannot be read changes nothing.
      const next = declared.map((one) => rowsOf(one, platform))
      const nextKeys = new Map<string, KeyRow>()
      for (const [at, { slug, keys: given }] of declared.entries())
        for (const key of given) {
          const hash = vault.hash(key.value).toString('hex')
          const organization = next[at]?.organization
          if (nextKeys.has(hash))
            throw new ConfigFault(`The key "${key.name}" of ${slug} has the value of another key: give each its own.`)
          if (organization !== undefined) nextKeys.set(hash, keyRow(organization, slug, key))
        }
      held = next
      keys = nextKeys
      const there = new Set(next.flatMap(({ connections }) => connections.map(({ id }) => id)))
      for (const id of catalogs.keys()) if (!there.has(id)) catalogs.delete(id)
    },
    organizations: () =>
      held.map((rows) => ({
        ...rows,
        catalogs: rows.connections.flatMap(({ id }) => catalogs.get(id) ?? []),
      })),
    findKey: (hash) => keys.get(hash.toString('hex')),
    keepCatalog(connectionId, row) {
      if (held.some(({ connections }) => connections.some(({ id }) => id === connectionId)))
        catalogs.set(connectionId, row)
    },
    findCatalog: (connectionId) => catalogs.get(connectionId),
  }
}

function described(connection: RowWords) {
  try {
    const { settings, secrets } = partsOf({ ...connection, shown: shownOf(connection.wire) })
    const named = connection.private === true && !runsHere(settings)
    return { settings: named ? { ...settings, private: true } : settings, secrets }
  } catch (thrown) {
    throw thrown instanceof Fault
      ? new ConfigFault(`The connection "${connection.alias}" does not fit: ${thrown.message}`)
      : thrown
  }
}

/** As long as the ids that are drawn, in the same letters. */
function idOf(prefix: string, ...words: readonly string[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([prefix, ...words]))
    .digest()
  return `${prefix}_${[...digest.subarray(0, 26)].map((byte) => DIGITS.charAt(byte & 31)).join('')}`
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
