/** The source of a connection's tools, where that is a document or the contracts of a backend. */
import type { Connection } from '@toolway/contract/admin'
import { ConnectionContract } from './connection-contract.tsx'
import { ConnectionOpenApi } from './connection-open-api.tsx'

export function ConnectionDocument({ connection }: { connection: Connection }) {
  return connection.openapi === null ? (
    <ConnectionContract connection={connection} />
  ) : (
    <ConnectionOpenApi connection={connection} openapi={connection.openapi} />
  )
}
