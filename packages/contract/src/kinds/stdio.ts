/** An MCP server that the gateway starts as a program and speaks to over its pipes. */
import { z } from 'zod'
import { ConnectionAuth } from '../connection-auth.ts'
import { EgressExceptions } from '../egress.ts'
import { kind, seconds, shared } from './kind.ts'

/** A program has no network to wait for (ledger S3-EXT-03). */
const TIMEOUT_SECONDS = 30

/** Names of programs besides the command that must be in PATH: the server starts them itself. */
export const ProgramNames = z.array(z.string().regex(/^[\w.+-]{1,100}$/, 'is not a valid program name')).max(20)

/** Networks of a program: all public addresses, its listed hosts, nothing, or (unconfined) that of the machine. */
export const CHILD_NETWORKS = ['public', 'listed', 'none', 'host'] as const

/** The reach of a program besides its own folder. Absent members are the default: the public network, and no path. */
export const childAccess = {
  network: z.enum(CHILD_NETWORKS).optional(),
  /** Names, or `*.` and what they end with; for the network `listed`. */
  allow_hosts: EgressExceptions.shape.hosts.unwrap().optional(),
  /** Absolute paths that it may use; one that ends with `:ro` it may only read. */
  allow_paths: z
    .array(
      z
        .string()
        .max(4_096)
        .regex(/^\/[^\0]*$/, 'is not an absolute path'),
    )
    .max(20)
    .optional(),
}
export const ChildAccess = z.strictObject(childAccess)
export type ChildAccess = z.output<typeof ChildAccess>

export const ProcessSettings = z.strictObject({
  ...shared,
  connector: z.literal('mcp.process'),
  timeout: seconds.default(TIMEOUT_SECONDS),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  programs: ProgramNames.optional(),
  ...childAccess,
  /** Accounts whose token or key is given to the program in a variable: each account then has a process of its own. */
  auth: ConnectionAuth.optional(),
})
export type ProcessSettings = z.output<typeof ProcessSettings>

/** An account of a program is bound to its command line, as it may be shown, and to its variable. */
export const programLine = ({ command, args, auth }: ProcessSettings): string =>
  `program ${JSON.stringify([command, ...args])} ${auth?.variable ?? ''}`

export const stdio = kind({
  connector: 'mcp.process',
  title: 'MCP program',
  settings: ProcessSettings,
  addresses: {},
  timeout: TIMEOUT_SECONDS,
  runsHere: true,
  speaksMcp: true,
  keepsDigits: true,
  described: false,
  describedByOthers: true,
})
