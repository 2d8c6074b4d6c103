/** A remote MCP server, at an address. */
import { z } from 'zod'
import { RemoteAuth } from '../connection-auth.ts'
import { kind, seconds, shared } from './kind.ts'

const TIMEOUT_SECONDS = 60

export const HttpSettings = z.strictObject({
  ...shared,
  connector: z.literal('mcp.http'),
  timeout: seconds.default(TIMEOUT_SECONDS),
  /** The scheme says what carries the messages: HTTP (Streamable HTTP, else HTTP+SSE) or WebSocket. */
  url: z.url({
    protocol: /^(https?|wss?)$/,
    error: 'must start with http://, https://, ws:// or wss://',
  }),
  /** Whether the address may lie in a private or loopback network. Only an operator may say so. */
  private: z.boolean().default(false),
  auth: RemoteAuth.prefault({}),
})
export type HttpSettings = z.output<typeof HttpSettings>

export const http = kind({
  connector: 'mcp.http',
  title: 'MCP server',
  settings: HttpSettings,
  addresses: { url: { secrets: true } },
  timeout: TIMEOUT_SECONDS,
  runsHere: false,
  speaksMcp: true,
  keepsDigits: true,
  described: false,
  describedByOthers: true,
})
