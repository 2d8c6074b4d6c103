/** One message of Standard Webhooks for each batch; the gateway makes the secret that signs it. */
import { z } from 'zod'
import { destination, Url } from './destination.ts'

export const webhook = destination({
  kind: 'webhook',
  settings: z.strictObject({ kind: z.literal('webhook'), url: Url }),
  secrets: {},
  signed: true,
  form: { fields: [{ name: 'url', control: 'text' }] },
  urlOf: ({ url }) => url,
  placeOf: ({ url }) => url,
})
