/** An MCP server that the gateway starts as a program and speaks to over its pipes. */
import { z } from 'zod'
import { kind, seconds, shared } from './kind.ts'

/** A program has no network to wait for (ledger S3-EXT-03). */
const TIMEOUT = 30

export const ProcessSettings = z.strictObject({
  ...shared,
  connector: z.literal('mcp.process'),
  timeout: seconds.default(TIMEOUT),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
})
export type ProcessSettings = z.output<typeof ProcessSettings>

export const stdio = kind({
  connector: 'mcp.process',
  title: 'MCP program',
  plural: 'Servers that are started here',
  article: 'a server that is started here',
  settings: ProcessSettings,
  timeout: TIMEOUT,
  runsHere: true,
  speaksMcp: true,
  described: false,
})
