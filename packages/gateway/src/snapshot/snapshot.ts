/**
 * One organization as it stands: its connections, catalogs and toolsets, immutable, with every endpoint's view made once.
 *
 * This is where nouns meet: connections lend their settings, the vault opens their secrets, catalogs say what they offer,
 * toolsets select. A change makes a new snapshot; a request keeps the one it began with.
 */
import {
  kindOf,
  authOf,
  ConnectionSecrets,
  Fault,
  lesserLimit,
  LIMITS,
  type Audience,
  type ConnectionId,
  type ConnectionSettings,
  type Limit,
  type OrganizationId,
  type Role,
  type UserId,
} from '@toolway/contract'
import { isRevision, type JsonObject, type Revision } from '@toolway/protocol'
import type { CatalogRow } from '../catalog/catalogs.ts'
import { createToolListing } from '../catalog/create-tool-listing.ts'
import type { GivenNames, Offered, ToolListing } from '../catalog/tool-listing.ts'
import type { ConnectionRow } from '../connections/connections.ts'
import { takesCredentials } from '../connections/takes-credentials.ts'
import type { ToolStateRow } from '../connections/tool-states.ts'
import { rateOf, type OrganizationRow } from '../organizations/organizations.ts'
import { NO_POLICY } from '../policy/compile.ts'
import type { Policy } from '../policy/verdict.ts'
import { EVERYTHING, selectionOf, type Selection, type ToolsetRow } from '../toolsets/toolsets.ts'
import { withSupplied } from '../toolsets/supplied-toolsets.ts'
import type { LetIn } from '../upstreams/call-health.ts'
import { createExceptions, type Exceptions } from '../upstreams/http/exceptions.ts'
import { documentOrigins, settingsInFull } from '../kinds/addresses.ts'
import { kindFor } from '../kinds/kinds.ts'
import type { Opening } from '../kinds/kind.ts'
import type { CredentialSource, Upstream } from '../upstreams/upstream.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import type { Documents } from './ports/documents.ts'
import type { OwnCredentials } from './ports/credentials.ts'
import { createToolNames } from './tool-names.ts'
import { screenOf } from './visibility-filter.ts'
import { connectionSealContext } from '../vault/sealed-columns.ts'

export interface Snapshot {
  readonly organization: OrganizationRow
  /** The organization's own limit of requests; undefined where the gateway's settings apply. */
  readonly requestsPerMinute: number | undefined
  readonly connections: readonly ConnectionRow[]
  readonly catalogs: ReadonlyMap<ConnectionId, CatalogRow>
  readonly toolsets: readonly ToolsetRow[]
  readonly members: ReadonlyMap<UserId, Role>
  /** The groups that a member is in, sorted; none for everybody else. */
  groupsOf(userId: string | undefined): readonly string[]
  /** How often what the organization offers was changed; the same in every gateway (ledger U-27). */
  readonly version: number
  /** Settings of single tools: compared between snapshots, and evaluated. */
  readonly states: readonly ToolStateRow[]
  readonly rules: Policy
  /** The private addresses that may be reached. */
  readonly exceptions: Exceptions
  /**
   * The view of a toolset, or of one connection as that toolset selects it, for whoever reaches so far; undefined where there is
   * none. List and call read the same one, so that what is not listed cannot be called.
   */
  toolListing(toolset: string, connection: string | undefined, limit: Limit): ToolListing | undefined
  /** For whom a toolset is there; undefined where it is for everybody. */
  audience(toolset: string): Audience | undefined
  upstream(connectionId: ConnectionId): Upstream
  /** As it stands; undefined where there is none. */
  connection(connectionId: ConnectionId): ConnectionRow | undefined
}

/** Secrets of connections that refer to another place, as they were last read there. */
export interface ConnectionReferences {
  /** Throws `secret.unresolved`. */
  resolved(organization: string, connection: ConnectionRow, secrets: ConnectionSecrets): ConnectionSecrets
  /** Follows the version of the connection, and rises when a value changes; empty where there is no reference. */
  version(connection: ConnectionRow): string
}

export interface SnapshotParts {
  readonly organization: OrganizationRow
  readonly connections: readonly ConnectionRow[]
  readonly catalogs: readonly CatalogRow[]
  readonly toolsets: readonly ToolsetRow[]
  readonly members: ReadonlyMap<UserId, Role>
  /** The groups of each member who is in any. */
  readonly groups?: ReadonlyMap<UserId, readonly string[]>
  readonly version?: number
  /** Tools that were switched by name. */
  readonly states?: readonly ToolStateRow[]
  /** The platform's, which hold in every organization. */
  readonly rules?: Policy
  readonly upstreams: Pick<Upstreams, 'open'>
  unseal(sealed: Uint8Array, row: string): string
  /** Secrets that are kept elsewhere; absent where no secret names another place. */
  readonly references?: ConnectionReferences | undefined
  /** For what the gateway asks for itself; absent where no credentials are kept. */
  readonly credentials?: OwnCredentials | undefined
  /** For connections of OpenAPI documents; absent where none are read. */
  readonly documents?: Documents | undefined
  /** Whether this installation keeps files. */
  readonly keepsFiles?: boolean
}

const ALL = 'default'
const NO_GROUPS: ReadonlyMap<UserId, readonly string[]> = new Map()
const NONE: readonly string[] = []
/** A legacy verdict fails silently for ever once the server was upgraded, so it is asked again after a while. */
const LEGACY_VERDICT_MS = 60 * 60_000

export function createSnapshot(parts: SnapshotParts): Snapshot {
  const { organization, connections, catalogs, toolsets, members, unseal, references } = parts
  const { groups = NO_GROUPS, version = 0, states = [], rules = NO_POLICY, keepsFiles = false } = parts
  const catalogOf = new Map(catalogs.map((catalog) => [catalog.connection_id, catalog]))
  const selections = new Map<string, Selection>([
    [ALL, EVERYTHING],
    ...withSupplied(toolsets).map(({ slug, settings }) => [slug, selectionOf(settings)] as const),
  ])
  const versionHere = (item: ConnectionRow) => `${versionOf(item)}${references?.version(item) ?? ''}`
  const byId = new Map(
    connections.map((connection) => [connection.id, { connection, version: versionHere(connection) }]),
  )
  const takes = createTakes(unseal)
  const enabled = connections.filter((connection) => connection.enabled)
  const exceptions = createExceptions(organization.egress)
  const heldTools = new Map(catalogs.map((catalog) => [catalog.connection_id, catalog.held]))
  const withNames = createToolNames({ connections, catalogs: catalogOf, toolsets })
  const visibilityFilter = screenOf(connections, states, rules, heldTools, withNames)
  const views = Object.fromEntries(LIMITS.map((limit) => [limit, new Map()])) as Record<Limit, Map<string, ToolListing>>

  function makeView(toolset: string, name: string | undefined, limit: Limit): ToolListing | undefined {
    const selection = selections.get(toolset)
    if (selection === undefined) return undefined
    const chosen = enabled.filter(
      ({ id, alias }) => selection.connection(alias) && (name === undefined || name === alias || name === id),
    )
    if (name !== undefined && chosen.length === 0) return undefined
    const offered = chosen.map((connection) => offeredBy(connection, takes(connection), catalogOf.get(connection.id)))
    const selects = { ...selection, limit: lesserLimit(selection.limit, limit), keepsFiles }
    const endpoint = { organization: organization.slug, toolset }
    return createToolListing(offered, name === undefined, selects, visibilityFilter(endpoint))
  }

  return {
    organization,
    requestsPerMinute: rateOf(organization),
    connections,
    catalogs: catalogOf,
    toolsets,
    members,
    groupsOf: (userId) => groups.get(userId as UserId) ?? NONE,
    version,
    states,
    rules,
    exceptions,
    toolListing(toolset, connection, limit) {
      const key = `${toolset} ${connection ?? ''}`
      const listing = views[limit].get(key)
      if (listing !== undefined) return listing
      const toolListing = makeView(toolset, connection, limit)
      // Names that lead nowhere are not kept: their number is the callers' choice.
      if (toolListing !== undefined) views[limit].set(key, toolListing)
      return toolListing
    },
    connection: (connectionId) => byId.get(connectionId)?.connection,
    audience: (toolset) => selections.get(toolset)?.audience,
    upstream(connectionId) {
      const entry = byId.get(connectionId)
      if (entry?.connection.enabled !== true || !organization.active)
        throw new Fault('upstream.disabled', { connection: entry?.connection.alias ?? 'asked for' })
      return openUpstream(parts, entry, exceptions, takes)
    },
  }
}

function openUpstream(
  parts: SnapshotParts,
  { connection, version }: { readonly connection: ConnectionRow; readonly version: string },
  exceptions: Exceptions,
  takes: ReturnType<typeof createTakes>,
): Upstream {
  const { organization, upstreams, unseal, references, credentials, documents } = parts
  const ownAccount = () => credentials && ownPresents(credentials, organization.id, connection.id)
  return upstreams.open(
    connection.id,
    version,
    connection.alias,
    (context) =>
      kindFor(connection.settings.connector).open(
        openingOf(connection, {
          organization: organization.slug,
          exceptions,
          unseal,
          references,
          documents,
          own: ownAccount,
        }),
        context,
      ),
    () => (takes(connection) ? letInBesides(connection, unseal) : 'every call'),
  )
}

/** Changes with settings and secrets, not with what the last contact showed. */
export const versionOf = (connection: ConnectionRow): string => connection.updated_at.toISOString()

const secretsOf = ({ id, sealed }: ConnectionRow, unseal: SnapshotParts['unseal']): ConnectionSecrets =>
  ConnectionSecrets.parse(sealed === null ? {} : JSON.parse(unseal(sealed, settingsSealContext(id))))

/** Whether a connection takes credentials, found out once for each snapshot; one whose secrets cannot be opened serves nobody anyway. */
function createTakes(unseal: SnapshotParts['unseal']) {
  const known = new Map<ConnectionId, boolean>()
  return (connection: ConnectionRow): boolean => {
    const before = known.get(connection.id)
    if (before !== undefined) return before
    let takes = false
    try {
      takes = takesCredentials(connection.settings, secretsOf(connection, unseal))
    } catch {
      // Said by whoever calls it.
    }
    known.set(connection.id, takes)
    return takes
  }
}

/** A server that takes accounts where it asks for them may let everybody in by a header that is no `Authorization`. */
function letInBesides(connection: ConnectionRow, unseal: SnapshotParts['unseal']): LetIn {
  if (authOf(connection.settings)?.kind !== 'auto') return 'no call'
  return Object.keys(secretsOf(connection, unseal).headers).length > 0 ? 'calls without an account' : 'no call'
}

function offeredBy(connection: ConnectionRow, credentials: boolean, catalog: CatalogRow | undefined): Offered {
  const { settings } = connection
  return {
    credentials,
    timeout: settings.timeout,
    chooses:
      credentials && (authOf(settings)?.accounts === 'many' || kindOf(settings.connector).brokersAccounts === true),
    connectionId: connection.id,
    alias: connection.alias,
    connector: connection.settings.connector,
    vendor: 'vendor' in settings && settings.source === undefined ? settings.vendor : undefined,
    status: connection.status,
    // These tools are described by a document, not by the server that runs them: arguments that do not match must not reach it.
    checks: settings.checks === 'arguments' || kindOf(settings.connector).described,
    absentNulls: kindOf(settings.connector).absentNulls === true,
    keepsPayloads: connection.keep_payloads,
    revision: catalog?.revision ?? pinOf(connection.settings) ?? '2025-11-25',
    server: catalog?.server?.server ?? {},
    title: connection.title,
    capabilities: catalog?.server?.capabilities ?? MAY_COME,
    instructions: catalog?.server?.instructions,
    tools: catalog?.tools ?? [],
    resources: catalog?.resources ?? [],
    templates: catalog?.templates ?? [],
    prompts: catalog?.prompts ?? [],
    names: catalog === undefined || catalog.names.length === 0 ? undefined : namesOf(catalog),
  }
}

/** A server that did not answer yet may offer any of these: clients that are told so ask again when it has. */
const MAY_COME: JsonObject = { tools: {}, prompts: {}, resources: {} }

function namesOf({ names }: CatalogRow): GivenNames {
  const of = (requested: string) =>
    new Map(names.filter(({ kind }) => kind === requested).map(({ original, name }) => [original, name]))
  return { tools: of('tool'), prompts: of('prompt') }
}

const pinOf = ({ revision }: ConnectionSettings): Revision | undefined => (revision === 'auto' ? undefined : revision)

function rememberedRevision({ era }: ConnectionRow): Revision | undefined {
  if (era === null || !isRevision(era.revision)) return undefined
  const stale = era.revision !== '2026-07-28' && Date.now() - era.at > LEGACY_VERDICT_MS
  return stale ? undefined : era.revision
}

/** The row that a connection's secrets are sealed for. */
export const settingsSealContext = connectionSealContext

/** The credential headers of the gateway's own requests to a connection. */
const ownPresents = (
  own: OwnCredentials,
  organizationId: OrganizationId,
  connectionId: ConnectionId,
): CredentialSource => ({
  open: () => own.open(organizationId, connectionId),
  refused: (used, challenge, status) => own.refused(organizationId, connectionId, used, challenge, status),
  watch: (onChange) => own.watch(organizationId, onChange),
  versions: () => own.versions(organizationId, connectionId),
})

interface Reaching extends Pick<SnapshotParts, 'unseal' | 'references' | 'documents'> {
  readonly organization: string
  readonly exceptions: Exceptions
  own(): CredentialSource | undefined
}

function openingOf(connection: ConnectionRow, reaching: Reaching): Opening<ConnectionSettings> {
  const { id, alias, settings } = connection
  const { organization, exceptions, references, documents } = reaching
  const stored = secretsOf(connection, reaching.unseal)
  const secrets = references?.resolved(organization, connection, stored) ?? stored
  const pin = pinOf(settings)
  return {
    reach: {
      connectionId: id,
      organizationId: connection.organization_id,
      alias,
      timeout: settings.timeout,
      revision: pin ?? rememberedRevision(connection),
      pinned: pin !== undefined,
      credential: takesCredentials(settings, secrets) ? reaching.own() : undefined,
    },
    settings,
    secrets,
    organization,
    trusted: connection.trusted,
    exceptions,
    async document() {
      if (documents === undefined) throw new Fault('openapi.missing', { connection: alias })
      const opened = { settings, secrets }
      const privateOrigins = documentOrigins(opened)
      return documents.read(connection, { settings: settingsInFull(opened), privateOrigins, exceptions })
    },
  }
}
