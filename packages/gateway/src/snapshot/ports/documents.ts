/** The OpenAPI documents of connections; `call/openapi/` reads them. */
import type { ConnectionSettings } from '@toolway/contract'
import type { ConnectionRow } from '../../connections/connections.ts'
import type { Exceptions } from '../../upstreams/http/exceptions.ts'
import type { ReadApart } from '../../upstreams/openapi/document/read-apart.ts'

export interface DocumentReach {
  /** With addresses in full. */
  readonly settings: ConnectionSettings
  /** Those of its document that may be private. */
  readonly privateOrigins: readonly string[]
  readonly exceptions: Exceptions
}

/** The OpenAPI documents of connections, read as their settings say. Throws `openapi.*`. */
export interface Documents {
  read(connection: ConnectionRow, reach: DocumentReach): Promise<ReadApart>
}
