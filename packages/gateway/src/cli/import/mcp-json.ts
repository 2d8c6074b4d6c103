/** The servers of a client's settings file as connections: each with an alias that no other has. Pure. */
import {
  readSettingsFile,
  type ImportedServer as ServerOfFile,
  type ServerOptions,
  type SettingsFile,
} from '@toolway/contract/client-settings'
import { createAliasAllotment } from '../../lib/alias.ts'

export { ImportFault } from '@toolway/contract/client-settings'

/** `alias`: unique in the file, `[a-z][a-z0-9_-]{0,30}`. */
type Named<Server> = Server extends ServerOfFile ? Server & { alias: string } : never
export type ImportedServer = Named<ServerOfFile>

export interface McpJsonImport extends Omit<SettingsFile, 'servers' | 'inputs'> {
  servers: ImportedServer[]
}

export interface ImportOptions extends ServerOptions {
  /** Aliases that are not free. */
  takenAliases?: Iterable<string>
}

/** Reads a settings file of any known client. Throws ImportFault when the file as a whole cannot be read. */
export function readMcpJson(text: string, options: ImportOptions): McpJsonImport {
  const { client, servers, notes } = readSettingsFile(text, options)
  const aliasFor = createAliasAllotment(options.takenAliases)
  return { client, servers: servers.map((server) => ({ ...server, alias: aliasFor(server.name) })), notes }
}
