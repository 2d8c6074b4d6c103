/**
 * What does the demo server offer?
 *
 * Builds one MCP server from parts that are passed in: twelve tools, the notes as resources and one prompt. Everything
 * works without an account and without the network. The same surface is served to every protocol era.
 */
import { McpServer } from '@modelcontextprotocol/server'
import { registerDayPrompt } from './day-prompt.ts'
import { registerNotes } from './notes/note-resources.ts'
import { createNoteTools } from './notes/note-tools.ts'
import type { Notebook } from './notes/notebook.ts'
import { numberTools } from './numbers/number-tools.ts'
import { createTextTools } from './texts/text-tools.ts'
import { createTimeTools } from './times/time-tools.ts'
import type { Sleep } from './times/wait.ts'

export interface DemoParts {
  notebook: Notebook
  now(): Date
  sleep: Sleep
  /** Told what could not be sent to the client; never the content of a call. */
  report(fault: unknown): void
}

const INSTRUCTIONS =
  'Small, exact tools that need no account: clocks and dates, arithmetic and units, text comparison, checksums, JSON, ' +
  'and a notebook. Prefer calculate, convert_units and date_between over working numbers or dates out yourself.'

/** A server ready to be connected to one transport. */
export function createDemoServer(parts: DemoParts): McpServer {
  const server = new McpServer(
    { name: 'toolway-demo', title: 'Toolway demo', version: '1.0.0' },
    { instructions: INSTRUCTIONS, capabilities: { resources: { listChanged: true } } },
  )
  const changed = async () => {
    try {
      await server.server.sendResourceListChanged()
    } catch (thrown) {
      // The note is kept whether or not the client can still be told.
      parts.report(thrown)
    }
  }
  const tools = [
    ...createTimeTools(parts),
    ...numberTools,
    ...createTextTools(parts),
    ...createNoteTools({ notebook: parts.notebook, changed }),
  ]
  for (const tool of tools) tool.register(server)
  registerNotes(server, parts.notebook)
  registerDayPrompt(server, parts)
  return server
}
