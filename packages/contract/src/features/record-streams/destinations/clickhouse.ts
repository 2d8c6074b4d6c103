/** ClickHouse over HTTP: one INSERT for each batch. */
import { z } from 'zod'
import { destination, Secret, Url } from './destination.ts'

const Identifier = z
  .string()
  .regex(/^[A-Za-z_]\w{0,100}$/, 'must start with a letter or _, and contain only letters, digits and _')

export const clickhouse = destination({
  kind: 'clickhouse',
  settings: z.strictObject({
    kind: z.literal('clickhouse'),
    url: Url,
    database: Identifier.default('default'),
    table: Identifier.default('toolway_records'),
    user: z.string().min(1).max(100).default('default'),
    /** Whether inserts carry a deduplication token, which servers before 22.2 do not know. */
    token: z.boolean().default(true),
  }),
  secrets: { password: Secret.optional() },
  signed: false,
  form: {
    fields: [
      { name: 'url', control: 'text' },
      { name: 'database', control: 'text' },
      { name: 'table', control: 'text' },
      { name: 'user', control: 'text' },
    ],
    secret: { name: 'password', control: 'password' },
  },
  urlOf: ({ url }) => url,
  placeOf: ({ url }) => url,
})
