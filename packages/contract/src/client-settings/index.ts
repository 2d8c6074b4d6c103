/**
 * Reads the settings file of a client: which servers it names, what each needs, and what is not carried over.
 *
 * Pure: text and values in, a plan out. Each server is returned as a process or a remote address with its placeholders filled, with
 * problems that must be solved before it can be added and notes for information. Values of `environment` and `headers` and the arguments
 * named in `secretArguments` are secrets. The command line and the console read with this code alone; it brings the parsers of TOML and
 * YAML along, so that a page loads it when it needs it.
 */
import type { ImportClient } from './client-of.ts'
import { clean } from './entry-reader.ts'
import type { FileInputs } from './placeholders.ts'
import { readServer, type ImportedServer, type ServerOptions } from './server-entry.ts'
import { openMcpJson } from './settings-file.ts'

export { clean } from './entry-reader.ts'
export type { ImportClient } from './client-of.ts'
export type { ImportedServer, ServerOptions } from './server-entry.ts'
export { ImportFault } from './settings-text.ts'

export interface SettingsFile {
  client: ImportClient
  servers: ImportedServer[]
  notes: string[]
  /** What the client asks its user for, by the names of the placeholders. */
  inputs: FileInputs
}

/** Reads a settings file of any known client. Throws ImportFault when the file as a whole cannot be read. */
export function readSettingsFile(text: string, options: ServerOptions): SettingsFile {
  const file = openMcpJson(text)
  const servers: ImportedServer[] = []
  const notes = [...file.notes]
  for (const found of file.entries) {
    const { name } = found
    const server = readServer(found, file, options)
    if (server === 'own') notes.push(`${clean(name)} is Toolway itself and is left out.`)
    else servers.push({ name, ...server })
  }
  return { client: file.client, servers, notes, inputs: file.inputs }
}
