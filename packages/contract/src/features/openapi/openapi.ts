/** Connections that are made of OpenAPI documents: a look at one before anything is kept, and what a newer one changes. */
import { z } from 'zod'
import { ConnectionAuthChange } from '../../connection-auth.ts'
import { Alias } from '../../connections.ts'
import { EFFECTS } from '../../effects.ts'
import { CHECKS } from '../../kinds/kind.ts'
import { KeyPlace, OperationEffects, OperationSelection } from '../../kinds/openapi.ts'
import { REVISIONS } from '../../revisions.ts'
import { Connection, CONNECTION, CONNECTIONS } from '../connections/connections.ts'
import { inOrganization, operation } from '../../admin/operation.ts'

const Address = z.string().max(2_000)
/** One of the four: its text, its text as gzip in base64, a ZIP archive with its other files in base64, or where it is. */
const source = {
  document: z.string().min(1).optional(),
  document_gzip: z.base64().min(1).optional(),
  document_zip: z.base64().min(1).optional(),
  document_url: Address.optional(),
}
const reading = {
  /** Where calls go; what the document says unless it is said here. */
  url: Address.optional(),
  select: OperationSelection.optional(),
  effects: OperationEffects.optional(),
}

const Operation = z.strictObject({
  /** Of its tool, without the alias. */
  name: z.string(),
  /** The name of the operation in the document. */
  operation: z.string(),
  method: z.string(),
  path: z.string(),
  tag: z.string().nullable(),
  effect: z.enum(EFFECTS),
  deprecated: z.boolean(),
  notes: z.array(z.string()),
})
const LeftOut = z.strictObject({
  operation: z.string(),
  method: z.string(),
  path: z.string(),
  /** Goes on after "it". */
  reason: z.string(),
})

export const OpenApiPreview = z.strictObject({
  title: z.string(),
  version: z.string(),
  /** As it was written: `2.0`, `3.0.3`, `3.1.0`. */
  format: z.string(),
  /** Where calls would go; null: it has to be said. */
  url: z.string().nullable(),
  servers: z.array(z.string()),
  /** The authentication that its server requires of a caller. */
  security: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.string(),
      place: z.string().nullable(),
      scopes: z.array(z.string()),
      authorize: z.string().nullable(),
    }),
  ),
  counts: z.strictObject({
    tools: z.int(),
    read: z.int(),
    write: z.int(),
    destructive: z.int(),
    deprecated: z.int(),
    left_out: z.int(),
    unselected: z.int(),
  }),
  operations: z.array(Operation),
  left_out: z.array(LeftOut),
  notes: z.array(z.string()),
})
export type OpenApiPreview = z.output<typeof OpenApiPreview>

const Difference = z.strictObject({
  name: z.string(),
  operation: z.string(),
  /** The parts that differ: `arguments`, `answer`, `texts`, `effect`, `address`. */
  what: z.array(z.string()),
  /** `wider`: every call that was good is good still. */
  arguments: z.enum(['same', 'wider', 'narrower']),
  effect: z.strictObject({ before: z.enum(EFFECTS), after: z.enum(EFFECTS) }).nullable(),
  /** The connection's lock would keep it until somebody has looked. */
  held: z.boolean(),
})

export const OpenApiDrift = z.strictObject({
  added: z.array(z.strictObject({ name: z.string(), effect: z.enum(EFFECTS), held: z.boolean() })),
  removed: z.array(z.string()),
  changed: z.array(Difference),
})
export type OpenApiDrift = z.output<typeof OpenApiDrift>

export const previewOpenApi = operation({
  id: 'previewOpenApi',
  at: `POST ${CONNECTIONS}/openapi/preview`,
  summary:
    'Preview an OpenAPI document: its tools with their effects, and the reasons why operations are left out. Nothing is stored.',
  needs: inOrganization('connector_create'),
  body: z.strictObject({ ...source, ...reading, private: z.boolean().optional() }),
  answer: OpenApiPreview,
})

export const addOpenApi = operation({
  id: 'addOpenApi',
  at: `POST ${CONNECTIONS}/openapi`,
  summary: 'Connect the server of an OpenAPI document (2.0, 3.0, 3.1, 3.2): its operations become tools.',
  needs: inOrganization('connector_create'),
  body: z.strictObject({
    ...source,
    ...reading,
    alias: Alias.optional(),
    title: z.string().trim().min(1).max(100).optional(),
    description: z.string().max(2_000).nullable().optional(),
    enabled: z.boolean().optional(),
    private: z.boolean().optional(),
    auth: ConnectionAuthChange.optional(),
    /** Where the key goes, if that is no header. */
    key: KeyPlace.optional(),
    headers: z.record(z.string().min(1).max(200), z.string().max(32_768)).optional(),
    revision: z.enum(['auto', ...REVISIONS]).optional(),
    checks: z.enum(CHECKS).optional(),
    timeout: z.number().positive().max(3600).optional(),
  }),
  answer: Connection,
  status: 201,
})

export const getOpenApiDocument = operation({
  id: 'getOpenApiDocument',
  at: `GET ${CONNECTION}/openapi/document`,
  summary: 'Get the stored OpenAPI document of a connection.',
  needs: inOrganization('connector_update'),
  answer: z.strictObject({ document: z.string() }),
})

export const refreshOpenApi = operation({
  id: 'refreshOpenApi',
  at: `POST ${CONNECTION}/openapi/refresh`,
  summary:
    'Compare the stored document with a newer one: fetched again, fetched from another URL, or sent in the request. `apply` stores it.',
  needs: inOrganization('connector_update'),
  body: z.strictObject({
    ...source,
    apply: z.boolean().default(false),
  }),
  answer: z.strictObject({
    /** Whether it is kept now. */
    applied: z.boolean(),
    /** It is the one that is kept, to the letter. */
    same: z.boolean(),
    version: z.strictObject({ before: z.string().nullable(), after: z.string() }),
    drift: OpenApiDrift,
    preview: OpenApiPreview,
  }),
})
