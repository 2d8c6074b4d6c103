/** Objects in an S3-compatible store, one for each batch. */
import { z } from 'zod'
import { destination, Secret, Url } from './destination.ts'

const FORMATS = ['jsonl', 'parquet'] as const

export const s3 = destination({
  kind: 's3',
  settings: z.strictObject({
    kind: z.literal('s3'),
    endpoint: Url,
    region: z.string().min(1).max(60).default('us-east-1'),
    bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is not a valid bucket name'),
    prefix: z
      .string()
      .regex(/^(?:[\w=.-]+\/)*$/, 'ends with a slash, or is empty')
      .max(300)
      .default(''),
    format: z.enum(FORMATS).default('jsonl'),
    access_key_id: z.string().min(1).max(200),
  }),
  secrets: { secret_access_key: Secret.optional() },
  signed: false,
  form: {
    fields: [
      { name: 'endpoint', control: 'text' },
      { name: 'region', control: 'text' },
      { name: 'bucket', control: 'text' },
      { name: 'prefix', control: 'text' },
      { name: 'format', control: 'choice', choices: FORMATS },
      { name: 'access_key_id', control: 'text' },
    ],
    secret: { name: 'secret_access_key', control: 'password' },
  },
  urlOf: ({ endpoint }) => endpoint,
  placeOf: ({ bucket, prefix }) => `${bucket}/${prefix}`,
})
