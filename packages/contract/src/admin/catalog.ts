/** The services that can be connected, as the admin interface shows them; the rows are in `catalog.ts` of this package. */
import { z } from 'zod'
import { http } from '../kinds/http.ts'
import { stdio } from '../kinds/stdio.ts'

const AUTHS = ['oauth', 'api_key', 'none'] as const

export const CATALOG_ENTRY = z.strictObject({
  id: z.string(),
  title: z.string(),
  about: z.string(),
  icon: z.string(),
  connector: z.enum([http.connector, stdio.connector]),
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
  programs: z.array(z.string()).readonly(),
  documentation: z.string().nullable(),
  seeds: z.array(z.string()).readonly(),
})
