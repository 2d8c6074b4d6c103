/**
 * The private networks, and names that lead into them, that an organization's connections may reach. The platform sets them;
 * addresses with cloud credentials (link-local, metadata) are never included.
 */
import { z } from 'zod'

/** As an address and the bits of its prefix; which of them are private is judged where addresses are. */
const Network = z.union([z.cidrv4(), z.cidrv6()], 'is not a network such as 10.1.0.0/16 or fd12:3456::/32')

/** A name, or `*.` and what it ends with. Numbers would be an address in disguise. */
const HostPattern = z
  .string()
  .max(253)
  .regex(
    /^(?:\*\.)?(?!(?:[^.]*\.)*(?:\d+|0x[\da-f]*)$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/,
    'is not a name such as mcp.internal or *.corp.example, in lowercase',
  )

const MOST = 100

export const EgressExceptions = z.strictObject({
  networks: z.array(Network).max(MOST).default([]),
  hosts: z.array(HostPattern).max(MOST).default([]),
})
export type EgressExceptions = z.output<typeof EgressExceptions>
