/** Files that are over, and the content that is to be removed from the store for them. */
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'
import type { PartList } from './files.rows.ts'

const Id = z.object({ id: z.string() })
const Removal = z.object({ storage_key: z.string(), parts: z.custom<PartList>().nullable() })

/** A day without its end: the addresses of an upload do not last longer. */
export const removeOver = (sql: SystemSql) => sql(Id)`
  delete from files
   where expires_at <= now()
      or (state = 'uploading' and created_at < now() - interval '2 days' and (writer_until is null or writer_until < now()))
  returning id`

/** No other gateway takes them for a while. */
export const takeRemovals = (sql: SystemSql, most: number) => sql(Removal)`
  update file_removals set try_after = now() + interval '5 minutes'
   where storage_key in (select storage_key from file_removals where try_after <= now()
                          order by try_after limit ${most} for update skip locked)
  returning storage_key, parts`

export const forgetRemoval = (sql: SystemSql, key: string) => sql(Id)`
  delete from file_removals where storage_key = ${key} returning storage_key as id`

/** Those of organizations that are here. */
export const orphansOf = (sql: SystemSql, keys: readonly string[]) => sql(Id)`
  select key as id from unnest(${keys}::text[]) as key
   where exists (select from organizations o where o.id = split_part(key, '/', 1))
     and not exists (select from files f where f.storage_key = key)
     and not exists (select from file_removals r where r.storage_key = key)`
