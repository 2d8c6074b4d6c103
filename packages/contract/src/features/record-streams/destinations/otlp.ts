/** OTLP over HTTP: log records in protobuf. */
import { z } from 'zod'
import { destination, Secret, Url } from './destination.ts'

export const otlp = destination({
  kind: 'otlp',
  settings: z.strictObject({
    kind: z.literal('otlp'),
    /** With its path, mostly `/v1/logs`. */
    url: Url,
  }),
  secrets: { headers: z.record(z.string().regex(/^[\w-]{1,100}$/), Secret).optional() },
  signed: false,
  form: { fields: [{ name: 'url', control: 'text' }], secret: { name: 'headers', control: 'headers' } },
  urlOf: ({ url }) => url,
  placeOf: ({ url }) => url,
})
