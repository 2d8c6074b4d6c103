/** Asks who listens to the database (`listener.ts`): a listener holds an advisory lock under its name for as long as it lives. */
import { z } from 'zod'
import type { Sql, SystemSql } from './db.ts'
import { ALIVE } from './alive-lock.ts'

const Free = z.object({ free: z.boolean() })

/** Whether a process listens under that name, even one that is stopped for now. */
export async function isAlive(sql: SystemSql, name: string): Promise<boolean> {
  const [found] = await sql(Free)`select pg_try_advisory_xact_lock(${ALIVE}::int, hashtext(${name})) as free`
  return found?.free !== true
}

const Others = z.object({ others: z.boolean() })

/** Whether more than one process listens to this database. */
export async function hasOthers(sql: Sql): Promise<boolean> {
  const [found] = await sql(Others)`
    select count(distinct pid) > 1 as others from pg_locks
     where locktype = 'advisory' and classid::bigint = ${ALIVE}::int and granted
       and database = (select oid from pg_database where datname = current_database())`
  return found?.others === true
}
