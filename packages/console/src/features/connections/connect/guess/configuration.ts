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
  const environment = Object.entries(server.environment).map(([variable, value]) => valueOf(variable, value, true))
  return withVariables(draft({ kind: 'program', command, args, environment, name, tools, auth: 'none' }))
}

type Inputs = ReadonlyMap<string, { readonly fallback?: string; readonly secret?: true }>

/** What the client would have proposed for an input, and whether it hides it. A variable of the same name is none. */
const withProposals = (found: Draft, inputs: Inputs): Draft => ({
  ...found,
  blanks: found.blanks.map((blank) => {
    const input = blank.placeholder?.startsWith('${input:') === true ? inputs.get(blank.name) : undefined
    if (input === undefined) return blank
    const { fallback = '', secret = blank.secret } = input
    return { ...blank, secret, value: blank.value === '' ? fallback : blank.value }
  }),
})
