/**
 * Reads the servers of a client's configuration as drafts, with the code that the command line reads it with. Pure; this file brings the
 * parsers of TOML and YAML along, so that it is loaded when a text needs it.
 */
import { ImportFault, readSettingsFile, type ImportedServer } from '@toolway/contract/client-settings'
import { draft, valueOf, withVariables, type Draft } from '../draft.ts'
import type { Configuration } from './read-configuration.ts'
import { remoteOf } from './remote.ts'

/** Undefined for what is no configuration, or names no server. */
export function readConfiguration(text: string): Configuration | undefined {
  const file = fileOf(text)
  if (file === undefined) return undefined
  const drafts: Draft[] = []
  const left: string[] = []
  for (const server of file.servers) {
    const found = server.problems.length === 0 ? draftOf(server) : undefined
    if (found === undefined) left.push(server.name)
    else drafts.push(withProposals({ ...found, unread: server.unread, off: !server.enabled }, file.inputs))
  }
  return drafts.length + left.length === 0 ? undefined : { drafts, left }
}

function fileOf(text: string) {
  try {
    return readSettingsFile(text, { home: '~', keepPlaceholders: true })
  } catch (thrown) {
    if (thrown instanceof ImportFault) return undefined
    throw thrown
  }
}

function draftOf(server: ImportedServer): Draft | undefined {
  const { name, kind, tools } = server
  if (kind === 'unusable') return undefined
  if (kind === 'http') {
    const remote = remoteOf({ url: server.url, headers: Object.entries(server.headers) })
    return withVariables({ ...remote, name, tools })
  }
  const { command, args } = server
  const environment = Object.entries(server.environment).map(([variable, value]) => valueOf(variable, value))
  return withVariables(draft({ kind: 'program', command, args, environment, name, tools, auth: 'none' }))
}

/** What the client would have proposed for an input. */
const withProposals = (found: Draft, inputs: ReadonlyMap<string, { readonly fallback?: string }>): Draft => ({
  ...found,
  blanks: found.blanks.map((blank) => {
    const fallback = inputs.get(blank.name)?.fallback
    return blank.value === '' && fallback !== undefined ? { ...blank, value: fallback } : blank
  }),
})
