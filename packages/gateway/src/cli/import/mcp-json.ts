/**
 * Plans the connections for the servers of a client's settings file.
 *
 * Pure: text and values in, a plan out. Each server is returned as a process or a remote address with its placeholders filled,
 * with problems that must be solved before it can be added and notes for information. Values of `environment` and `headers` and
 * the arguments named in `secretArguments` are secrets: screens show `describeImport`, never these.
 */
import { createAliasAllotment } from '../../lib/alias.ts'
import { clean } from './mcp-json-entry.ts'
import type { ImportClient } from './client-of.ts'
import { openMcpJson } from './mcp-json-file.ts'
import { readServer, type ImportedServer, type ServerOptions } from './mcp-json-server.ts'

export type { ImportedServer } from './mcp-json-server.ts'
export { ImportFault } from './settings-text.ts'
export type { ImportClient }

export interface McpJsonImport {
  client: ImportClient
  servers: ImportedServer[]
  notes: string[]
}

export interface ImportOptions extends ServerOptions {
  /** Aliases that are not free. */
  takenAliases?: Iterable<string>
}

/** Reads a settings file of any known client. Throws ImportFault when the file as a whole cannot be read. */
export function readMcpJson(text: string, options: ImportOptions): McpJsonImport {
  const file = openMcpJson(text)
  const aliasFor = createAliasAllotment(options.takenAliases)
  const servers: ImportedServer[] = []
  const notes = [...file.notes]
  for (const found of file.entries) {
    const { name } = found
    const server = readServer(found, file, options)
    if (server === 'own') notes.push(`${clean(name)} is Toolway itself and is left out.`)
    else servers.push({ name, alias: aliasFor(name), ...server })
  }
  return { client: file.client, servers, notes }
}
