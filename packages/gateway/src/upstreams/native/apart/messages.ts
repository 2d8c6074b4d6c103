/** The lines between the gateway and the process of somebody's own connector: one JSON object each. Lines of the process are checked. */
import { MOST_AT_ONCE } from '@toolway/connectors'
import { EFFECTS } from '@toolway/contract'
import { z } from 'zod'

const Json = z.record(z.string(), z.unknown())
const Texts = z.record(z.string(), z.string())

/** A tool as its process describes it. */
const ToolFacts = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,99}$/),
  effect: z.enum(EFFECTS),
  description: z.string(),
  definition: Json,
  scopes: z.array(z.string()),
  unsupported: z.string().optional(),
})
export type ToolFacts = z.output<typeof ToolFacts>

const KeyPlace = z.object({
  in: z.enum(['header', 'basic-user', 'body']),
  name: z.string(),
  prefix: z.string().optional(),
})

export const Facts = z.object({
  id: z.string(),
  auth: z.union([z.object({ key: KeyPlace }), z.object({ provider: z.string() })]),
  resources: Texts,
  tools: z.array(ToolFacts).max(500),
  whoami: ToolFacts,
})
export type Facts = z.output<typeof Facts>

const Placed = z.object({
  argument: z.string(),
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  style: z.string(),
  explode: z.boolean(),
  reserved: z.boolean(),
  json: z.boolean(),
})
const Body = z.object({
  kind: z.enum(['json', 'form', 'multipart', 'bytes']),
  media: z.string(),
  required: z.boolean(),
  whole: z.string().optional(),
  members: z.array(z.object({ argument: z.string(), name: z.string(), deep: z.boolean() })),
})
const Content = z.object({
  type: z.string(),
  pieces: z.array(
    z.union([
      z.string(),
      z.object({
        file: z.union([z.object({ reference: z.string() }), z.object({ data: z.string() })]),
        as: z.enum(['bytes', 'base64', 'base64-text']),
        from: z.int().min(0).optional(),
        to: z.int().min(0).optional(),
      }),
    ]),
  ),
})
const Api = z.object({
  kind: z.literal('api'),
  base: z.url({ protocol: /^https?$/ }),
  operation: z.object({
    name: z.string(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: z.string().startsWith('/'),
    placed: z.array(Placed),
    body: Body.optional(),
    accept: z.string(),
    structured: z.boolean(),
  }),
  arguments: Json,
  headers: Texts,
  repeat: z.enum(['read', 'keyed', 'never']),
  content: Content.optional(),
  raw: z.literal(true).optional(),
})
const Request = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), file: z.string() }),
  Api,
  z.object({ kind: z.literal('many'), requests: z.array(Api).max(MOST_AT_ONCE) }),
  z.object({
    kind: z.literal('signed'),
    method: z.enum(['GET', 'PUT', 'POST']),
    address: z.url({ protocol: /^https$/ }),
    headers: Texts,
    body: z.string().optional(),
    content: Content.optional(),
    raw: z.literal(true).optional(),
  }),
])

/** A line of the process. `run` numbers the runs of tools. */
export const Said = z.union([
  z.object({ ready: Facts }),
  z.object({ unread: z.string() }),
  z.object({ run: z.int(), request: Request }),
  z.object({ run: z.int(), output: Json }),
  z.object({ run: z.int(), failure: Json }),
  z.object({ run: z.int(), broke: z.string() }),
])
export type Said = z.output<typeof Said>

/** A line to the process: its source first. */
export type Told =
  | { readonly source: string }
  | { readonly run: number; readonly tool: string; readonly input: unknown; readonly key: string }
  | { readonly run: number; readonly answer: unknown }
  | { readonly run: number; readonly end: true }
