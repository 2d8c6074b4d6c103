import { changeConnection, ConnectionChange } from '@toolway/contract/admin'
import type { ConnectionParts } from '../../kinds/kind.ts'
import { readInput } from '../../operations/read-input.ts'
import { describe, permittedParts, type Speaker } from '../connections/index.ts'
import type { DeclaredConnection } from './declared.ts'
import { connectorOf, wholeBody } from './wanted-connection.ts'

/**
 * Settings and secrets of a connection where there is no database and so no operation: by the checks of `changeConnection`. Throws the
 * faults that it throws.
 */
export function partsOfDeclared(speaker: Speaker, connection: DeclaredConnection): ConnectionParts {
  const { body } = readInput(changeConnection, { query: {}, body: wholeBody(connection) })
  const change = ConnectionChange.parse(body)
  return permittedParts(speaker, describe(connectorOf(connection), change, undefined), { wanted: change.private })
}
