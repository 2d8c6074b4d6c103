/**
 * Which operations of the administration are tools, with the words and effects that agents see. This table is all that the connection
 * kind `platform` offers; rules, roles, approvals and records hold for these tools as for any other.
 *
 * The roles of the caller decide what an operation answers. What could widen the rights of a caller is not here, or needs a person:
 * `person` means that a call is carried out only with the approval of one.
 */
import { z } from 'zod'
import type { Effect } from '../../effects.ts'
import { listAllTools } from './all-tools.ts'
import { listApprovals } from '../approvals/approvals.ts'
import { listOrganizationAudit } from '../records/audit.ts'
import { showMe } from '../people/auth.ts'
import { linkConnection } from '../accounts/connect.ts'
import { getConnection, listConnections } from '../connections/connections.ts'
import { listMyKeys } from '../keys/keys.ts'
import type { Operation } from '../../admin/operation.ts'
import { explainPolicy } from '../rules/policy-trials.ts'
import { getToolset, listToolsets, putToolset } from '../toolsets/toolsets.ts'
import { findUsage } from '../usage/usage.ts'

export interface PlatformTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly effect: Effect
  readonly operation: Operation
  readonly person?: true
}

export const PLATFORM_TOOLS: readonly PlatformTool[] = [
  {
    name: 'who_am_i',
    title: 'Show my account',
    description: 'Show the caller: the member or key, its organizations, and its role in each.',
    effect: 'read',
    operation: showMe,
  },
  {
    name: 'list_connections',
    title: 'List connections',
    description:
      'List the connections of the organization, with their state, the number of their tools and their last error.',
    effect: 'read',
    operation: listConnections,
  },
  {
    name: 'connection_health',
    title: 'Connection health',
    description: 'Show the state of one connection, why it fails, and when it was last contacted.',
    effect: 'read',
    operation: getConnection,
  },
  {
    name: 'connect_account',
    title: 'Connect an account',
    description:
      'Create a link that lets the caller connect a personal account for a connection. A person has to open it within ten minutes.',
    effect: 'write',
    operation: linkConnection,
  },
  {
    name: 'list_all_tools',
    title: 'List all tools',
    description: 'List the tools of all connections with their effects, including disabled and blocked ones.',
    effect: 'read',
    operation: listAllTools,
  },
  {
    name: 'explain_access',
    title: 'Explain access',
    description:
      'Explain why a tool call would be allowed or refused: each rule, the deciding fact, and what would change it.',
    effect: 'read',
    operation: explainPolicy,
  },
  {
    name: 'usage',
    title: 'Usage',
    description: 'Count calls over time, by tool, caller and outcome.',
    effect: 'read',
    operation: findUsage,
  },
  {
    name: 'search_audit_log',
    title: 'Search the audit log',
    description: 'Search the audit log of the organization: who did what, when, and how it ended.',
    effect: 'read',
    operation: listOrganizationAudit,
  },
  {
    name: 'pending_approvals',
    title: 'Pending approvals',
    description:
      'List approvals that the caller requested or may answer. They are answered by a person in the console, not by a tool.',
    effect: 'read',
    operation: listApprovals,
  },
  {
    name: 'my_keys',
    title: 'My keys',
    description: 'List the keys of the caller, without the keys themselves.',
    effect: 'read',
    operation: listMyKeys,
  },
  {
    name: 'list_toolsets',
    title: 'List toolsets',
    description: 'List the toolsets of the organization.',
    effect: 'read',
    operation: listToolsets,
  },
  {
    name: 'get_toolset',
    title: 'Get a toolset',
    description: 'Get one toolset: its tools, who can use it, and how its tools are discovered.',
    effect: 'read',
    operation: getToolset,
  },
  {
    name: 'change_toolset',
    title: 'Change a toolset',
    description:
      'Create a toolset, or replace the settings of the existing toolset with that name. For administrators; a person has to approve each call.',
    effect: 'destructive',
    operation: putToolset,
    person: true,
  },
]

/** The parameter that the gateway fills in: the organization for which the call runs. */
export const FILLED = 'organization'

type Schema = Readonly<Record<string, unknown>>

/** The names of parameters in the path of an operation. */
export const pathParameters = ({ path }: Operation): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => (name === undefined || name === FILLED ? [] : [name]))

/** The arguments of a tool as JSON Schema: path, query and body in one object. */
export function inputSchemaOf(operation: Operation): Schema {
  const [query, body] = [schemaOf(operation.query), schemaOf(operation.body)]
  const path = pathParameters(operation)
  const properties: Record<string, unknown> = {
    ...Object.fromEntries(path.map((name) => [name, { type: 'string', minLength: 1 }])),
    ...(query['properties'] as object | undefined),
    ...(body['properties'] as object | undefined),
  }
  delete properties[FILLED]
  const required = [query, body].flatMap(({ required: names }) => (Array.isArray(names) ? names.map(String) : []))
  const definitions = { ...(query['$defs'] as object | undefined), ...(body['$defs'] as object | undefined) }
  return {
    type: 'object',
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
    properties,
    required: [...path, ...required].filter((name) => name !== FILLED),
    additionalProperties: false,
  }
}

/** What a caller may say; values that are made of it are no concern of a caller's. */
function schemaOf(shape: z.ZodType): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })
  return schema
}
