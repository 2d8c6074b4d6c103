/**
 * Rows of what files declare, of the same shapes as the rows of a database, so that everything above cannot tell the two apart.
 *
 * Ids are made of what they name, so that a restart, and another gateway of the same files, know everything by the same ids. A
 * connection that did not change keeps its row, so that nothing of it is opened anew.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  ConnectionSecrets,
  Fault,
  type ConnectionId,
  type KeyId,
  type OrganizationId,
  type RuleWords,
  type ToolsetId,
} from '@toolway/contract'
import {
  partsOfDeclared,
  type Declared,
  type DeclaredConnection,
  type DeclaredKey,
} from '../../features/declaration/index.ts'
import { settingsSealContext } from '../../snapshot/snapshot.ts'
import type { CatalogRow } from '../../catalog/catalogs.ts'

import { ConfigFault } from '../../config.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import { hintOf, prefixOf, roleOfMark } from '../../identity/keys/key-forms.ts'
import type { KeyRow } from '../../identity/keys/keys.ts'
import { sealerOf } from '../../kinds/kinds.ts'
import type { OrganizationRow } from '../../organizations/organizations.ts'
import type { Policy } from '../../policy/verdict.ts'
import type { ToolsetRow } from '../../toolsets/toolsets.ts'
import type { Vault } from '../../vault/vault.ts'
import { declaredPolicy } from './declared-policy.ts'

/** An organization as files declare it, under an id of its own where it has one. */
export interface DeclaredOrganization extends Declared {
  readonly id?: string
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

export type DeclaredRows = Omit<OrganizationRows, 'catalogs'>

/** Dependencies for making rows. `began`: when the gateway started. */
export interface RowContext {
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly began: Date
}

const ORIGIN = 'file'

/** All rows of one organization; `rows` are the rows of the last declaration. */
export function rowsOf(
  context: RowContext,
  declared: DeclaredOrganization,
  platform: readonly RuleWords[],
  rows: readonly DeclaredRows[],
): DeclaredRows {
  const { slug } = declared
  const before = rows.find((item) => item.organization.slug === slug)
  const organization = organizationRow(context, declared)
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
      .map((connection) =>
        connectionRow(
          context,
          organization,
          connection,
          same?.connections.find(({ alias }) => alias === connection.alias),
        ),
      )
      .toSorted((a, b) => (a.alias < b.alias ? -1 : 1)),
    toolsets,
    policy: declaredPolicy(platform, declared, toolsets),
  }
}

function organizationRow({ began }: RowContext, { slug, id, name }: DeclaredOrganization): OrganizationRow {
  return {
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
}

function connectionRow(
  { vault, began }: RowContext,
  organization: OrganizationRow,
  declared: DeclaredConnection,
  before: ConnectionRow | undefined,
): ConnectionRow {
  const { alias, title, enabled, trusted = true } = declared
  const id = idOf('con', organization.slug, alias) as ConnectionId
  const { settings, secrets } = described(organization, declared)
  const same =
    before !== undefined &&
    before.enabled === enabled &&
    before.trusted === trusted &&
    before.title === title &&
    isDeepStrictEqual(before.settings, settings) &&
    isDeepStrictEqual(secretsIn(vault, before), secrets)
  if (same) return before
  return {
    id,
    organization_id: organization.id,
    alias,
    title,
    description: null,
    settings,
    sealed: sealerOf(secrets, vault.seal, settingsSealContext)(id) ?? null,
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
    oauth_repairs: null,
    created_at: before?.created_at ?? began,
    updated_at: new Date(Math.max(Date.now(), (before?.updated_at.getTime() ?? 0) + 1)),
  }
}

const secretsIn = (vault: RowContext['vault'], { id, sealed }: ConnectionRow): ConnectionSecrets =>
  ConnectionSecrets.parse(sealed === null ? {} : JSON.parse(vault.open(sealed, settingsSealContext(id))))

export function keyRow({ began }: RowContext, { id, slug }: OrganizationRow, key: DeclaredKey): KeyRow {
  const { name, value, toolset, role = 'tenant_member', limit = 'execute', trusted = false, expires } = key
  return {
    id: idOf('key', slug, name) as KeyId,
    organization_id: id,
    user_id: null,
    family: roleOfMark(value) === undefined ? 'uru' : 'smcp',
    role,
    effect_limit: limit,
    trusted,
    trusted_by: trusted ? ORIGIN : null,
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

function described(organization: OrganizationRow, connection: DeclaredConnection) {
  try {
    return partsOfDeclared({ role: 'platform_admin', organization, roots: [] }, connection)
  } catch (thrown) {
    throw thrown instanceof Fault
      ? new ConfigFault(`The connection "${connection.alias}" is not valid: ${thrown.message}`)
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
