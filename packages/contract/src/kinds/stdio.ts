/** An MCP server that the gateway starts as a program and speaks to over its pipes. */
import { z } from 'zod'
import { kind, seconds, shared } from './kind.ts'

/** A program has no network to wait for (ledger S3-EXT-03). */
const TIMEOUT = 30

/** Names of programs besides the command that must be in PATH: the server starts them itself. */
export const ProgramNames = z.array(z.string().regex(/^[\w.+-]{1,100}$/, 'is no name of a program')).max(20)

export const ProcessSettings = z.strictObject({
  ...shared,
  connector: z.literal('mcp.process'),
  timeout: seconds.default(TIMEOUT),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  programs: ProgramNames.optional(),
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
