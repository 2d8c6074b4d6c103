/**
 * The console as an MCP client: the shared client of `@toolway/protocol`, with questions, progress, tasks and cancel, and every
 * message shown as it was on the wire. The official SDK refuses results of tasks and content that it does not know (ADR 0057).
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
