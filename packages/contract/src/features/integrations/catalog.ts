/** The services that can be connected, as the admin interface shows them; the rows are in `catalog.ts` and `kinds/` of this package. */
import { z } from 'zod'
import { CATALOG_CATEGORIES, CATALOG_CONNECTORS } from '../../catalog.ts'
import { EFFECTS } from '../../effects.ts'

const AUTHS = ['oauth', 'api_key', 'none'] as const

export const CATALOG_ENTRY = z.strictObject({
  id: z.string(),
  title: z.string(),
  about: z.string(),
  icon: z.string(),
  category: z.enum(CATALOG_CATEGORIES),
  connector: z.enum(CATALOG_CONNECTORS),
  url: z.string().nullable(),
  command: z.array(z.string()).readonly().nullable(),
  auth: z.array(z.enum(AUTHS)).readonly(),
  key: z.strictObject({ page: z.string(), placeholder: z.string() }).nullable(),
  scopes: z.array(z.string()).readonly(),
  asks: z
    .array(
      z.strictObject({
        name: z.string(),
        in: z.enum(['environment', 'args', 'headers', 'url', 'command']),
        about: z.string(),
        required: z.boolean(),
        secret: z.boolean(),
        placeholder: z.string().nullable(),
      }),
    )
    .readonly(),
  native: z.strictObject({ vendor: z.string(), official_server: z.string().nullable() }).nullable(),
  programs: z.array(z.string()).readonly(),
  documentation: z.string().nullable(),
  seeds: z.array(z.string()).readonly(),
})

const Scopes = z.array(z.string())

/** A native connector, whole: its tools, and the scopes that an account is asked for. */
export const NativeConnector = z.strictObject({
  vendor: z.string(),
  title: z.string(),
  /** The key of its OAuth provider; null where it takes keys alone. */
  provider: z.string().nullable(),
  /** The scopes that tools of each limit need at first; tools ask for others when they are called. */
  scopes: z.strictObject({ read: Scopes, write: Scopes, execute: Scopes }),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      description: z.string(),
      effect: z.enum(EFFECTS),
      scopes: Scopes,
      /** Why it answers NOT_SUPPORTED always: the vendor removed what it did. Null for tools that work. */
      unsupported: z.string().nullable(),
    }),
  ),
})
