/**
 * The fingerprints of the keys that have ever signed something that lasts, such as checkpoints of records: a key that is retired
 * signed them all the same. Kept sealed, so that whoever can write to the database cannot add one.
 */
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'
import { secretSealContext } from './sealed-columns.ts'
import type { Vault } from './vault.ts'

type Seals = Pick<Vault, 'seal' | 'open'>

const Row = z.object({ sealed: z.instanceof(Buffer) })
const nameOf = (purpose: string): string => `signers ${purpose}`

export async function listPastSigners(sql: SystemSql, vault: Seals, purpose: string): Promise<string[]> {
  const name = nameOf(purpose)
  const [stored] = await sql(Row)`select sealed from vault_secrets where name = ${name} for update`
  return stored === undefined
    ? []
    : z.array(z.string()).parse(JSON.parse(vault.open(stored.sealed, secretSealContext(name))))
}

/** Does nothing where it is known. The row is locked, so that of two who add at once neither is lost. */
export async function rememberSigner(sql: SystemSql, vault: Seals, purpose: string, fingerprint: string) {
  const known = await listPastSigners(sql, vault, purpose)
  if (known.includes(fingerprint)) return
  const name = nameOf(purpose)
  const sealed = vault.seal(JSON.stringify([...known, fingerprint]), secretSealContext(name))
  await sql(Row)`
    insert into vault_secrets (name, sealed) values (${name}, ${sealed})
    on conflict (name) do update set sealed = excluded.sealed
    returning sealed`
}
