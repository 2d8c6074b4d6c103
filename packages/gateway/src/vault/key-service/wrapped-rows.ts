/**
 * The wrapped root keys in the database (installation row `wrapped vault keys`): what all gateways share, and what opens only at the
 * key service that wrapped it. The newest is first.
 */
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'

export const WrappedKey = z.object({
  /** The id of the root key inside. */
  id: z.string().regex(/^[0-9a-f]{16}$/),
  /** The address of the key service, as it was set then. */
  service: z.string(),
  wrapped: z.base64(),
})
export type WrappedKey = z.output<typeof WrappedKey>
export const WrappedList = z.array(WrappedKey)

const Row = z.object({ value: z.object({ keys: WrappedList }) })
const Nothing = z.object({})
/** Its name in the table `installation`. */
export const WRAPPED_KEYS = 'wrapped vault keys'

export async function readWrappedKeys(sql: SystemSql): Promise<readonly WrappedKey[]> {
  const [row] = await sql(Row)`select value from installation where name = ${WRAPPED_KEYS}`
  return row?.value.keys ?? []
}

/** Once: a key that is there stays as it is. */
export async function addWrappedKey(sql: SystemSql, key: WrappedKey): Promise<void> {
  const wrappedKeys = await readWrappedKeys(sql)
  if (!wrappedKeys.some(({ id }) => id === key.id)) await write(sql, [key, ...wrappedKeys])
}

export async function removeWrappedKey(sql: SystemSql, id: string): Promise<void> {
  const wrappedKeys = await readWrappedKeys(sql)
  if (wrappedKeys.some((key) => key.id === id))
    await write(
      sql,
      wrappedKeys.filter((key) => key.id !== id),
    )
}

async function write(sql: SystemSql, keys: readonly WrappedKey[]): Promise<void> {
  await sql(Nothing)`
    insert into installation (name, value) values (${WRAPPED_KEYS}, ${JSON.stringify({ keys })})
    on conflict (name) do update set value = excluded.value`
}
