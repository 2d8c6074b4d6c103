/**
 * A connection that is made of an OpenAPI document (2.0, 3.0, 3.1, 3.2): each operation that can be one is a tool.
 *
 * The document itself is kept apart (`openapi_documents`). Where calls go is said here and not there, so that a document that changes
 * never moves them, or the credentials that go with them.
 */
import { z } from 'zod'
import { RemoteAuth } from '../connection-auth.ts'
import { EFFECTS } from '../effects.ts'
import { kind, seconds, shared } from './kind.ts'

/**
 * Names operations: `operation:issues/*`, `tag:issues`, `method:get` or `path:/repos/*`, with `*` for any run of characters. Without
 * a word in front it is one of operations.
 */
export const OperationPattern = z.string().min(1).max(300)

export const OperationSelection = z.strictObject({
  /** Fits any of these; absent means all. */
  include: z.array(OperationPattern).min(1).max(500).optional(),
  /** And none of these. */
  exclude: z.array(OperationPattern).max(500).default([]),
})
export type OperationSelection = z.output<typeof OperationSelection>

/** Effects that are others than the method says: patterns of operations, of which the last that fits holds. */
export const OperationEffects = z.record(OperationPattern, z.enum(EFFECTS))
export type OperationEffects = z.output<typeof OperationEffects>

/** Where a key goes that is no header, as `apiKey` in a query or a cookie says. */
export const KeyPlace = z.strictObject({
  in: z.enum(['query', 'cookie']),
  name: z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~[\]-]{1,100}$/, 'is not a valid key name'),
})
export type KeyPlace = z.output<typeof KeyPlace>

/** Bytes of a document, unpacked. */
export const DOCUMENT_LIMIT = 64 * 1024 * 1024

const TIMEOUT_SECONDS = 60

export const OpenApiSettings = z.strictObject({
  ...shared,
  timeout: seconds.default(TIMEOUT_SECONDS),
  connector: z.literal('openapi'),
  /** Where the document is fetched from, once and when somebody asks for it anew; absent: it was given. */
  document: z.url({ protocol: /^https?$/, error: 'must start with http:// or https://' }).optional(),
  /** The base address that every operation's path is appended to. */
  url: z.url({ protocol: /^https?$/, error: 'must start with http:// or https://' }),
  select: OperationSelection.prefault({}),
  effects: OperationEffects.default({}),
  key: KeyPlace.optional(),
  /** Whether the addresses may lie in a private or loopback network. Only an operator may say so. */
  private: z.boolean().default(false),
  auth: RemoteAuth.prefault({}),
})
export type OpenApiSettings = z.output<typeof OpenApiSettings>

export const openapi = kind({
  connector: 'openapi',
  title: 'REST server (OpenAPI)',
  settings: OpenApiSettings,
  addresses: { url: { secrets: true }, document: { secrets: false } },
  timeout: TIMEOUT_SECONDS,
  runsHere: false,
  speaksMcp: false,
  keepsDigits: true,
  described: true,
  toolsKnownUnasked: true,
  hasDocument: true,
  changedByAdministrators: true,
  own: {
    member: 'openapi',
    shown: z.strictObject({
      /** The address of the document; null: it was given as a text. */
      document: z.string().nullable(),
      select: OperationSelection,
      effects: OperationEffects,
      key: KeyPlace.nullable(),
    }),
    /**
     * Where the document is fetched from (null: it is given by another operation), the operations that are tools, their effects, and
     * where the key goes.
     */
    changed: z
      .strictObject({
        document: z.string().max(8_192).nullable(),
        select: OperationSelection,
        effects: OperationEffects,
        key: KeyPlace.nullable(),
      })
      .partial(),
  },
})

/** Whether a connection is made of an OpenAPI document. */
export const isOpenApi = (settings: { readonly connector: string }): settings is OpenApiSettings =>
  settings.connector === openapi.connector
