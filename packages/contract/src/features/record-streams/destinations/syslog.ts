/** Syslog over TLS (RFC 5424, RFC 5425). */
import { z } from 'zod'
import { destination, Pem } from './destination.ts'

export const syslog = destination({
  kind: 'syslog',
  settings: z.strictObject({
    kind: z.literal('syslog'),
    host: z.string().regex(/^[\w.:-]{1,253}$/, 'is not a host name'),
    port: z.int().min(1).max(65_535).default(6_514),
    /** Certificates that the server's is proven by, in place of the public ones. */
    ca: Pem.optional(),
    /** Of the client, where the server asks for one. */
    certificate: Pem.optional(),
  }),
  secrets: {
    private_key: z
      .string()
      .max(50_000)
      .regex(/^(?:-----BEGIN |secret:\/\/)/, 'is neither PEM text nor a reference')
      .optional(),
  },
  signed: false,
  form: {
    fields: [
      { name: 'host', control: 'text' },
      { name: 'port', control: 'number' },
      { name: 'ca', control: 'lines' },
      { name: 'certificate', control: 'lines' },
    ],
    secret: { name: 'private_key', control: 'lines' },
  },
  // It is never fetched.
  urlOf: ({ host, port }) => `https://${host.includes(':') ? `[${host}]` : host}:${port}/`,
  placeOf: ({ host, port }) => `${host}:${port}`,
})
