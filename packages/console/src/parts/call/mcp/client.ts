/**
 * An MCP client in the browser, small enough to show all that it hears: both eras, questions, progress, tasks, cancel.
 *
 * The official one refuses tasks and content that it does not know, and says not which stream a message came on; here a person wants
 * to see exactly that.
 */
import type { Abilities, Era, McpClient } from './exchange.ts'
import { legacySession } from './legacy.ts'
import { createModern } from './modern.ts'
import type { JsonObject } from './wire.ts'

const SELF = { name: 'toolway-console', title: 'Toolway console', version: '1.0.0' }

export function createMcpClient(address: string, era: Era, { forms, pages, tasks }: Abilities): McpClient {
  const capabilities: JsonObject = {
    ...(forms || pages ? { elicitation: { ...(forms ? { form: {} } : {}), ...(pages ? { url: {} } : {}) } } : {}),
    ...(tasks && era === 'modern' ? { extensions: { 'io.modelcontextprotocol/tasks': {} } } : {}),
  }
  if (era === 'legacy') return { era, ...legacySession(address, capabilities, SELF) }
  return { era, request: createModern(address, capabilities, SELF), close: () => undefined }
}
