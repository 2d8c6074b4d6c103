/** One request of a client, identified, admitted and read in its protocol version; each method's verb is given one. */
import type { McpRequest } from '@toolway/protocol'
import type { ClientChannel } from '../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import type { AuditEntryBuilder } from './audit-entry.ts'

export interface ClientRequest {
  readonly requestContext: RequestContext
  readonly mcpRequest: McpRequest
  readonly channel: ClientChannel
  readonly audit: AuditEntryBuilder
}
