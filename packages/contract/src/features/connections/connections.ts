/**
 * Connections over the admin interface (ledger S3-ADM-02); its paths say connector, as the source system does.
 *
 * Headers and variables go in and never come out: an answer names them. An address or an argument that looks like a secret is
 * shown masked.
 */
import { z } from 'zod'
import { ConnectionAuth, ConnectionAuthChange } from '../../connection-auth.ts'
import { Alias } from '../../connections.ts'
import { CHECKS } from '../../kinds/kind.ts'
import { CONNECTORS } from '../../kinds/kinds.ts'
import { OWN_CHANGED, OWN_GIVEN, OWN_SHOWN } from '../../kinds/own-members.ts'
import { CHILD_NETWORKS, childAccess, ProgramNames } from '../../kinds/stdio.ts'
import { REVISIONS } from '../../revisions.ts'
import { Flag, inOrganization, operation, ORDERS, pageOf, Paging } from '../../admin/operation.ts'
import { TENANT } from '../organizations/organizations.ts'

/** What the caller's calls lack: an OAuth app, an account, or a credential that the server takes. */
export const NEEDS = ['app', 'account', 'credential'] as const

/** How a connection is let in, in a source system's words. */
export const AUTH_TYPES = ['oauth', 'api_key', 'none'] as const

const Title = z.string().trim().min(1).max(100)
const Description = z.string().max(2_000)
const Value = z.string().max(32_768)
const Timeout = z.number().positive().max(3600)
const Revision = z.enum(['auto', ...REVISIONS])
const Arguments = z.array(Value).max(200)

export const Connection = z.strictObject({
  id: z.string(),
  alias: Alias,
  title: z.string(),
  description: z.string().nullable(),
  connector: z.enum(CONNECTORS),
  enabled: z.boolean(),
  /** Where it came from; one of a file is changed in that file. */
  origin: z.string(),
  /**
   * The state of what a call of this caller needs: `connected`, `needs_auth` (`needs` tells what), `error`, `disabled`, or `new` while nothing
   * is known.
   */
  status: z.string(),
  needs: z.enum(NEEDS).nullable(),
  /** Members who have connected an account of their own, of all members; null where nobody has one of their own. */
  people: z.strictObject({ connected: z.int(), members: z.int() }).nullable(),
  status_reason: z.string().nullable(),
  /** Paths and hosts that the sandbox keeps from a connected program, in sentences with the command that grants them; for those who may change it. */
  hints: z.array(z.string()),
  url: z.string().nullable(),
  private: z.boolean(),
  command: z.string().nullable(),
  args: z.array(z.string()).nullable(),
  /** Programs besides the command that must be on the gateway's machine; null for what is not started there. */
  programs: z.array(z.string()).nullable(),
  /** The reach of a program (public, listed, none, host), with the hosts and the paths that it is allowed; null for what is not started there. */
  network: z.enum(CHILD_NETWORKS).nullable(),
  allow_hosts: z.array(z.string()).nullable(),
  allow_paths: z.array(z.string()).nullable(),
  /** How it is let in at its server; null for what takes no accounts. */
  auth: ConnectionAuth.nullable(),
  /** The same in one word, as it has turned out where nobody said. */
  auth_type: z.enum(AUTH_TYPES),
  /** Descriptions that are not offered, with the reason, as this gateway last saw them. */
  left_out: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
  /** Offered with repairs of what clients could not read, and what was repaired. */
  repaired: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
  /** Answers of its OAuth servers that were read although they are not as the RFCs say: which one, of which address, and what was repaired. */
  oauth_repaired: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
  /** The settings of its kind, one member for each kind that has any; null for a connection of another kind. */
  ...OWN_SHOWN,
  header_names: z.array(z.string()),
  environment_names: z.array(z.string()),
  revision: Revision,
  /** The protocol revision of the last contact; null before the first, and where the connection is to no MCP server of its own. */
  spoken_revision: z.string().nullable(),
  /** The checks of the gateway before it sends a call. */
  checks: z.enum(CHECKS),
  /** Seconds for one request. */
  timeout: z.number(),
  /** How many it offered when it was last asked. */
  tools: z.int(),
  /** Whether a tool that was not switched by name is on. */
  tools_enabled: z.boolean(),
  fetched_at: z.iso.datetime().nullable(),
  stale_reason: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type Connection = z.output<typeof Connection>

/**
 * The fields of a connection that can be set, in the gateway's own terms; an absent field keeps its value, or has its default.
 */
const words = {
  title: Title.optional(),
  description: Description.nullable().optional(),
  enabled: z.boolean().optional(),
  url: z.string().max(8_192).optional(),
  /** Whether the address may lie in a private network; a platform administrator's to say. */
  private: z.boolean().optional(),
  /** Absent fields keep their value, or have their default. */
  auth: ConnectionAuthChange.optional(),
  command: z.string().min(1).max(4_096).optional(),
  args: Arguments.optional(),
  /** Programs besides the command that must be on the gateway's machine: without one of them the server is not started. */
  programs: ProgramNames.optional(),
  /** The reach of a program: public (if unsaid), listed with allow_hosts, none, or host, which is not confined. */
  ...childAccess,
  revision: Revision.optional(),
  checks: z.enum(CHECKS).optional(),
  timeout: Timeout.optional(),
}
/** The source system's words for the same. */
const seed = {
  name: Title.optional(),
  is_enabled: z.boolean().optional(),
  /** Given to a program as variables `CONFIG_…`. */
  configuration: z.record(z.string().max(200), z.unknown()).optional(),
  runtime_type: z.string().max(50).optional(),
  /** The words of a command line, as a list or as a list in JSON. */
  runtime_command: z.union([Arguments.min(1), z.string().max(65_536)]).optional(),
  /** The name of a package, where no command is given: run by npx (nodejs) or uvx (python), else as a program. */
  package_path: z.string().min(1).max(4_096).optional(),
}
const Pairs = z.record(z.string().min(1).max(200), Value)
/** A name with null takes it away; what is not named stays. */
const PairsChange = z.record(z.string().min(1).max(200), Value.nullable())

export const NewConnection = z.strictObject({
  /** The name in front of its tools, for good; made of the title where it is not said. */
  alias: Alias.optional(),
  connector: z.string().max(50).optional(),
  connector_type: z.string().max(50).optional(),
  ...words,
  ...OWN_GIVEN,
  headers: Pairs.optional(),
  environment: Pairs.optional(),
  ...seed,
  runtime_env: Pairs.optional(),
})
export type NewConnection = z.output<typeof NewConnection>

export const ConnectionChange = z.strictObject({
  /** Another kind: the connection is described anew, and keeps its alias, its rules and its place in toolsets. */
  connector: z.enum(CONNECTORS).optional(),
  ...words,
  ...OWN_CHANGED,
  headers: PairsChange.optional(),
  environment: PairsChange.optional(),
  ...seed,
  runtime_env: PairsChange.optional(),
})
export type ConnectionChange = z.output<typeof ConnectionChange>

export const CONNECTIONS = `${TENANT}/connectors`
export const CONNECTION = `${CONNECTIONS}/{connection}`
/** `need`: those that need somebody first, and those that are switched off last. */
export const CONNECTION_SORTS = ['alias', 'need', 'title', 'status', 'tools', 'created_at', 'updated_at'] as const

export const listConnections = operation({
  id: 'listConnections',
  at: `GET ${CONNECTIONS}`,
  summary: 'List the connections of an organization and their state.',
  needs: inOrganization('connector_read'),
  query: Paging.extend({
    /** Part of alias, title or description. */
    search: z.string().max(100).optional(),
    sort: z.enum(CONNECTION_SORTS).default('alias'),
    order: z.enum(ORDERS).default('asc'),
    connector: z.enum(CONNECTORS).optional(),
    status: z.string().max(50).optional(),
    enabled: Flag.optional(),
  }),
  answer: pageOf(Connection).extend({
    /**
     * How many of those that fit have each status; a connection that is switched off is `disabled`, and a connected one whose list
     * could not be renewed is `stale`.
     */
    by_status: z.record(z.string(), z.int()),
  }),
})
export const addConnection = operation({
  id: 'addConnection',
  at: `POST ${CONNECTIONS}`,
  summary:
    'Add a connection: `mcp.http` (a server by its address), `mcp.process` (a program that the gateway starts) or `contract` (a backend that describes its functions).',
  needs: inOrganization('connector_create'),
  body: NewConnection,
  answer: Connection,
  status: 201,
})
export const getConnection = operation({
  id: 'getConnection',
  at: `GET ${CONNECTION}`,
  summary: 'Get one connection, by alias or ID.',
  needs: inOrganization('connector_read'),
  answer: Connection,
})
export const changeConnection = operation({
  id: 'changeConnection',
  at: `PUT ${CONNECTION}`,
  summary: 'Update a connection. Fields that are not sent keep their values.',
  needs: inOrganization('connector_update'),
  body: ConnectionChange,
  answer: Connection,
})
export const compareConnection = operation({
  id: 'compareConnection',
  at: `POST ${CONNECTION}/compare`,
  summary: 'Show which fields of a connection a change would affect, secrets by name only. Nothing is changed.',
  needs: inOrganization('connector_update'),
  body: ConnectionChange,
  answer: z.strictObject({
    /** `title`, `url`, `headers.authorization`, …; empty where the change changes nothing. */
    fields: z.array(z.string()),
  }),
})
export const removeConnection = operation({
  id: 'removeConnection',
  at: `DELETE ${CONNECTION}`,
  summary: 'Delete a connection and its secrets.',
  needs: inOrganization('connector_delete'),
})
export const toggleConnection = operation({
  id: 'toggleConnection',
  at: `PATCH ${CONNECTION}/toggle`,
  summary: 'Enable or disable a connection.',
  needs: inOrganization('connector_update'),
  body: z.union([z.strictObject({ enabled: z.boolean() }), z.strictObject({ is_enabled: z.boolean() })]),
  answer: Connection,
})

export const Probed = z.strictObject({
  /** The kind of service that answers there. */
  found: z.enum(['mcp', 'openapi', 'unknown']),
  /** How it lets one in, as far as it says; null where nobody knows. */
  auth: z.enum(AUTH_TYPES).nullable(),
  /** The name that it gives itself, to be proposed: one visible line; null where it gives none. */
  name: z.string().max(80).nullable(),
  /** Where nothing was found: why. */
  failure: z.strictObject({ phase: z.string(), code: z.string(), problem: z.string(), mend: z.string() }).nullable(),
})
export type Probed = z.output<typeof Probed>

export const probeAddress = operation({
  id: 'probeAddress',
  at: 'POST /api/v1/organizations/{organization}/connections/probe',
  summary:
    'Detect what is served at an address before connecting it, and how it authenticates. Nothing is stored, and no credential is sent.',
  needs: inOrganization('connector_create'),
  body: z.strictObject({ url: z.string().max(8_192) }),
  answer: Probed,
})
