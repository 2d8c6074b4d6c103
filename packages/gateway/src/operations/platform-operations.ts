/**
 * Operations of the administration as calls of tools: carried out in this process with the rights of the caller, in the organization
 * that the endpoint is of. Only those of the table of platform tools.
 */
import { Fault } from '@toolway/contract'
import {
  addDownloadLink,
  addFile,
  FILLED,
  pathParameters,
  PLATFORM_TOOLS,
  type Operation,
} from '@toolway/contract/admin'
import type { Operating } from '../snapshot/ports/operations.ts'
import { actorTypeOf } from '../records/change.ts'
import { carryOut, type Administration, type Caller, type LocalRequest } from './carry-out.ts'
import type { OperationBase } from './serve.ts'

/** Those of platform tools, and those of the gateway's own tools for files. */
const KNOWN: ReadonlyMap<string, Operation> = new Map(
  [...PLATFORM_TOOLS.map(({ operation }) => operation), addFile, addDownloadLink].map((item) => [item.id, item]),
)

export interface PlatformOperations {
  /** From now on they can be carried out. */
  serve<Parts extends OperationBase>(administration: Administration<Parts>): void
  /** Throws the faults of the operation, and `gateway.not-ready` before it is served. */
  run(operating: Operating): Promise<unknown>
}

export function createPlatformOperations(): PlatformOperations {
  let carry: ((caller: Caller, operation: Operation, request: LocalRequest) => Promise<unknown>) | undefined
  return {
    serve(administration) {
      carry = (...request) => carryOut(administration, ...request)
    },
    async run({ operation: id, given, principal, organization, correlationId, from, signal }) {
      const operation = KNOWN.get(id)
      if (operation === undefined) throw new Fault('tool.unknown', { tool: id })
      if (carry === undefined) throw new Fault('gateway.not-ready', { problem: 'it starts' })
      const actor = {
        id: principal.id,
        type: actorTypeOf(principal),
        keyId: principal.keyId,
        address: from.address,
        userAgent: from.userAgent,
        correlationId,
      }
      const caller = { principal, actor, origin: 'administration' as const }
      return carry(caller, operation, { ...inputOf(operation, given, organization), signal })
    },
  }
}

/** The arguments of a tool as the path, the query and the body that they are of. */
function inputOf(operation: Operation, input: Operating['given'], organization: string) {
  const path = new Set(pathParameters(operation))
  const queries = new Set(Object.keys(operation.query.shape))
  const params: Record<string, string> = { [FILLED]: organization }
  const query: Record<string, string> = queries.has(FILLED) ? { [FILLED]: organization } : {}
  const body: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (path.has(name)) params[name] = text
    else if (queries.has(name) && name !== FILLED) query[name] = text
    else body[name] = value
  }
  return { params, query, body: Object.keys(body).length === 0 ? undefined : body }
}
