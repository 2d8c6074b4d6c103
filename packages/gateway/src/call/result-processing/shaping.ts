/** The inputs of result processing: the caller, the parts of the gateway, and the facts of the call. */
import type { McpRequest } from '@toolway/protocol'
import type { MadeFile } from '../audit-facts.ts'
import type { CallParts } from '../call-parts.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'

export type Shaping = Pick<RequestContext, 'organizationId' | 'principal' | 'owner' | 'toolListing'>
export type ShapeParts = Pick<CallParts, 'results' | 'resultLimit' | 'fileFrom'> & Partial<Pick<CallParts, 'files'>>

/** The client that reads the result, and what is known of the call that it comes of. */
export interface Reading extends Pick<McpRequest['caller'], 'revision'> {
  /** Exposed name of the tool. */
  readonly tool?: string
  /** Bytes of text that results of this server may have, where that is more than the limit of the installation. */
  readonly direct?: number | undefined
  /** Hears of each file that is stored. */
  onStored?(file: MadeFile): void
}
