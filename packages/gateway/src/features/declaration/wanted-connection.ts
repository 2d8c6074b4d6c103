/** A declared connection as the inputs of the operations that make it and change it. */
import { ConnectionAuth } from '@toolway/contract'
import type { Connection } from '@toolway/contract/admin'
import type { DeclaredConnection } from './declared.ts'
import { KINDS } from '../../kinds/kinds.ts'
import type { ProcessWire } from '../../kinds/stdio/stdio.ts'
import type { KnownConnection } from './present.ts'
import { backendDefaultsOf, impliedPrivate } from './written-connection.ts'

type Connector = Connection['connector']

/** The kind of connection that is declared. */
export function connectorOf({ wire }: DeclaredConnection): Connector {
  const kind = KINDS.find((item) => item.wire === wire.kind)
  if (kind === undefined) throw new TypeError('no such kind of connection')
  return kind.connector
}

/** Returns the OpenAPI settings of a connection that is made from a document. */
const apiOf = ({ wire }: DeclaredConnection) => ('api' in wire ? wire.api : undefined)

/** The reach of a program, with the defaults that the operations have. */
const reachOf = ({ access = {} }: ProcessWire) => ({
  network: access.network ?? 'public',
  allow_hosts: access.allow_hosts ?? [],
  allow_paths: access.allow_paths ?? [],
})

/** Returns the members that both operations take. Members that the file does not set have their default. */
function shared(connection: DeclaredConnection) {
  const { title, description = null, enabled, revision, timeout, checks = 'none', wire } = connection
  const words = { title, description, enabled, revision, timeout, checks }
  if ('command' in wire)
    return {
      ...{ ...words, command: wire.command, args: wire.args, programs: wire.programs ?? [], ...reachOf(wire) },
      auth:
        wire.auth === undefined ? { kind: 'none' } : ConnectionAuth.parse({ prefix: '', kind: 'key', ...wire.auth }),
    }
  if (!('url' in wire)) return words
  const { url } = wire
  // Absent: each address is private where it names a private place in so many words.
  const remote = { ...words, url, ...(connection.private === undefined ? {} : { private: connection.private }) }
  if ('words' in wire) return { ...remote, [wire.kind]: { ...backendDefaultsOf(wire.kind), ...wire.words } }
  const native =
    'vendor' in wire
      ? { native: { vendor: wire.vendor, scopes_for: wire.scopesFor ?? 'execute', source: wire.source ?? null } }
      : {}
  return { ...remote, ...native, auth: ConnectionAuth.parse(wire.auth ?? {}) }
}

/** Header or environment values, whichever it has. */
const pairsOf = ({ wire }: DeclaredConnection) =>
  'command' in wire ? { environment: wire.environment } : 'headers' in wire ? { headers: wire.headers } : {}

/** For `addConnection`, or `addOpenApi` where it is made of a document. */
export function newBody(connection: DeclaredConnection): object {
  const { alias } = connection
  const api = apiOf(connection)
  const connector = connectorOf(connection)
  const words = { ...shared(connection), ...pairsOf(connection), alias }
  if (api === undefined) return { ...words, connector }
  const { document, select, effects, key } = api
  const source = document === undefined ? { document: connection.text } : { document_url: document }
  return { ...words, ...source, select, effects, ...(key === undefined ? {} : { key }) }
}

/** A leave for private networks that the file gave, and gives no longer, ends. */
function withdrawnPrivate(connection: DeclaredConnection, present: KnownConnection): object {
  const { wire } = connection
  if (connection.private !== undefined || !('url' in wire)) return {}
  const implied = impliedPrivate(wire)
  return implied === present.private ? {} : { private: implied }
}

function ownApi(connection: DeclaredConnection): object {
  const api = apiOf(connection)
  if (api === undefined) return {}
  const { document = null, select, effects, key = null } = api
  return { openapi: { document, select, effects, key } }
}

/** For a connection that becomes another kind, or is made with nothing before it: described as a new one. */
export const wholeBody = (connection: DeclaredConnection): object => ({
  ...{ connector: connectorOf(connection), ...shared(connection), ...pairsOf(connection), ...ownApi(connection) },
})

/** For `changeConnection`: headers and variables that are there and not declared are taken away. */
export function changeBody(connection: DeclaredConnection, present: KnownConnection): object {
  const { connector: before, header_names, environment_names } = present
  const { wire } = connection
  const connector = connectorOf(connection)
  if (connector !== before) return wholeBody(connection)
  const gone = (names: readonly string[], declared: Readonly<Record<string, string>>) => {
    const kept = new Set(Object.keys(declared).map((name) => name.toLowerCase()))
    return Object.fromEntries(names.filter((name) => !kept.has(name.toLowerCase())).map((name) => [name, null]))
  }
  const pairs =
    'command' in wire
      ? { environment: { ...gone(environment_names, wire.environment), ...wire.environment } }
      : 'headers' in wire
        ? { headers: { ...gone(header_names, wire.headers), ...wire.headers } }
        : {}
  return { ...shared(connection), ...withdrawnPrivate(connection, present), ...pairs, ...ownApi(connection) }
}
