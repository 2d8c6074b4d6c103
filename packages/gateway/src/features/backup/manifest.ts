/**
 * What a backup says of itself: at its beginning what it holds, at its end how much of it there is. Everything in it is authenticated
 * by the encryption around it.
 */
import { z } from 'zod'
import { WrappedList } from '../../vault/key-service/wrapped-rows.ts'

/**
 * What is written now: an entry with rows ends at the end of a row, values are written in forms that every server reads, and the
 * types of columns are known. In a backup of the first format an entry may end within a row, and the next one of its table goes on.
 */
export const FORMAT = 'toolway backup 2'
export const FORMATS = ['toolway backup 1', FORMAT] as const

const name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/)

export const Manifest = z.strictObject({
  format: z.enum(FORMATS),
  /** Version of the program that made it. */
  version: z.string(),
  made_at: z.iso.datetime(),
  migrations: z.array(z.string().regex(/^\d{4}_[a-z_]+$/)).min(1),
  tables: z.array(
    z.strictObject({
      name,
      columns: z.array(name).min(1),
      /** Of each column, and the columns that are never null. Missing in the first format. */
      types: z.array(z.string()).optional(),
      required: z.array(name).optional(),
    }),
  ),
  months: z.array(z.string().regex(/^\d{4}-\d{2}$/)),
  /** The vault keys that it needs: fingerprints, the one that seals first. */
  vault_keys: z.array(z.string().regex(/^[0-9a-f]{32}$/)),
  /** Whether these keys are in it. */
  with_keys: z.boolean(),
  /** Wrapped vault keys of the database, which open at their key service alone. */
  wrapped_keys: WrappedList.default([]),
  /** Whether contents of files are in it; otherwise they stay where they are. */
  files: z.enum(['included', 'left', 'none']),
})
export type Manifest = z.output<typeof Manifest>

const Sum = z.strictObject({ bytes: z.int(), sha256: z.string() })
export const Closing = z.strictObject({
  tables: z.record(name, Sum.extend({ rows: z.int() })),
  files: z.int(),
  file_bytes: z.int(),
  /** Contents that were removed while the backup was made. */
  files_gone: z.int(),
})
export type Closing = z.output<typeof Closing>

export const NAMES = {
  manifest: 'manifest.json',
  keys: 'keys/vault.keys',
  closing: 'end.json',
  rows: (table: string, part: number) => `database/${table}/${String(part).padStart(6, '0')}.copy`,
  file: (key: string) => `files/${key}`,
} as const

export type Part =
  | { readonly kind: 'manifest' | 'keys' | 'closing' }
  | { readonly kind: 'rows'; readonly table: string }
  | { readonly kind: 'file'; readonly key: string }

export function partOf(entry: string): Part | undefined {
  for (const kind of ['manifest', 'keys', 'closing'] as const) if (entry === NAMES[kind]) return { kind }
  const table = /^database\/([a-z_][a-z0-9_]*)\/\d{6,}\.copy$/.exec(entry)?.[1]
  if (table !== undefined) return { kind: 'rows', table }
  const key = /^files\/([\w-]{1,64}\/[\w-]{1,64})$/.exec(entry)?.[1]
  return key === undefined ? undefined : { kind: 'file', key }
}
