/**
 * Describes an import to the user before it is carried out.
 *
 * One line per server with the process or address that will be started or reached, then its problems and notes. Values of
 * variables and headers, secret arguments and secret parts of addresses are masked; names from the file are made safe for a
 * terminal.
 */
import { clean, type ImportClient } from '@toolway/contract/client-settings'
import type { ImportedServer, McpJsonImport } from './mcp-json.ts'
import { MASK, maskArgument, maskCommand, maskUrl } from '@toolway/contract/secret-marks'

const CLIENTS: Record<ImportClient, string> = {
  'claude-desktop': 'Claude Desktop',
  'claude-code': 'Claude Code',
  cursor: 'Cursor',
  vscode: 'VS Code',
  codex: 'Codex',
  opencode: 'opencode',
  gemini: 'Gemini CLI',
  windsurf: 'Windsurf',
  zed: 'Zed',
  cline: 'Cline',
  roo: 'Roo Code',
  librechat: 'LibreChat',
  continue: 'Continue',
  goose: 'Goose',
  'amazon-q': 'Amazon Q Developer',
  unknown: 'an unknown client',
}

/** The lines to show; no line holds a secret of the file. */
export function describeImport({ client, servers, notes }: McpJsonImport): string[] {
  const readyCount = servers.filter(({ problems }) => problems.length === 0).length
  const waiting = servers.length - readyCount
  return [
    `Read as a file from ${CLIENTS[client]}: ${readyCount} to add${waiting > 0 ? `, ${waiting} with problems` : ''}.`,
    ...servers.flatMap(describeServer),
    ...notes.map((note) => `Note: ${note}`),
  ]
}

function describeServer(server: ImportedServer): string[] {
  const { name, alias, enabled, problems, notes } = server
  const renamed = alias === name ? alias : `${clean(name)} as ${alias}`
  return [
    `${renamed}: ${whatHappens(server)}${enabled ? '' : ' (disabled)'}`,
    ...problems.map(({ message, supply }) => `  cannot be added yet: ${message}${supply ? ` Supply ${supply}` : ''}`),
    ...notes.map((note) => `  note: ${note}`),
  ]
}

function whatHappens(server: ImportedServer): string {
  if (server.kind === 'unusable') return 'cannot be read'
  if (server.kind === 'http')
    return `connect to ${clean(plainBraces(maskUrl(server.url)))}${nameList('with headers', server.headers)}`
  const args = server.args.map((arg, at) =>
    server.secretArguments.includes(at) ? maskArgument(arg) : quoteIfNeeded(arg),
  )
  return `start ${[clean(maskCommand(server.command)), ...args.map(clean)].join(' ')}${nameList('with', server.environment)}`
}

const nameList = (before: string, record: Record<string, string>) => {
  const names = Object.keys(record)
  return names.length === 0 ? '' : ` ${before} ${names.map((name) => `${clean(name)}=${MASK}`).join(', ')}`
}

/** Placeholders that are not filled yet, as they are written; a parser of addresses encodes them. */
const plainBraces = (url: string) => url.replaceAll('%7B', '{').replaceAll('%7D', '}')

const quoteIfNeeded = (arg: string) => (/^[^\s"']+$/.test(arg) ? arg : JSON.stringify(arg))
