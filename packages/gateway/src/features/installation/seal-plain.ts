/**
 * Sealing what stands in the database unsealed: what another program or an earlier version put there (ledger S2-MIG-01).
 *
 * Two kinds: a text where a sealed value belongs, in any sealed column; and headers, variables, addresses and arguments with
 * secrets among a connection's readable settings. It may be killed and run again; what is sealed already stays as it is, and so
 * does what begins with `enc:`, which another program sealed.
 */
import { ConnectionSecrets, type ConnectionId } from '@toolway/contract'
import { z } from 'zod'
import type { Db, SystemSql } from '../../db/db.ts'
import { maskArguments, maskUrl } from '@toolway/contract/secret-marks'
import { sealPlainValues } from '../../vault/reseal.ts'
import { FOREIGN } from '../../vault/sealed-value.ts'
import { connectionSealContext } from '../../vault/sealed-columns.ts'
import type { Vault } from '../../vault/vault.ts'

export interface SealPlainParts {
  readonly db: Db
  readonly vault: Pick<Vault, 'fingerprint' | 'seal' | 'open'>
}

const Settings = z.looseObject({
  connector: z.string(),
  url: z.string().optional(),
  args: z.array(z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
})
type Settings = z.output<typeof Settings>
const Row = z.object({ id: z.string(), settings: z.looseObject({}), sealed: z.instanceof(Buffer).nullable() })
const Id = z.object({ id: z.string() })

/** How many values were sealed. */
export async function sealPlain(parts: SealPlainParts): Promise<number> {
  const { db } = parts
  let done = await sealPlainValues(parts)
  const all = await db.system(
    (sql) => sql(Row)`select id, settings, sealed from connections where origin <> 'first run' order by id`,
  )
  // Mostly there is none, and a start asks once.
  for (const { id } of all.filter((row) => planSealing(parts, row) !== undefined))
    done += await db.system((sql) => sealSettings(parts, sql, id))
  return done
}

/** As it stands now, whatever it was when it was looked at first. */
async function sealSettings(parts: SealPlainParts, sql: SystemSql, id: string): Promise<number> {
  const [row] = await sql(Row)`select id, settings, sealed from connections where id = ${id} for update`
  const moved = row && planSealing(parts, row)
  if (moved === undefined) return 0
  const sealed = parts.vault.seal(JSON.stringify(moved.secrets), connectionSealContext(id as ConnectionId))
  await sql(Id)`
    update connections set settings = ${JSON.stringify(moved.settings)}, sealed = ${sealed} where id = ${id} returning id`
  return 1
}

/** Returns the new settings and secrets; undefined where nothing has to change. */
function planSealing(parts: SealPlainParts, { id, settings, sealed }: z.output<typeof Row>) {
  const read = Settings.safeParse(settings)
  const sealedSecrets = heldSecrets(parts, sealed, connectionSealContext(id as ConnectionId))
  return read.success && sealedSecrets !== undefined ? moveSecrets(read.data, sealedSecrets) : undefined
}

/** Undefined when they do not open: who calls that connection is told, and what cannot be read must not be replaced. */
function heldSecrets({ vault }: SealPlainParts, sealed: Buffer | null, bound: string): ConnectionSecrets | undefined {
  if (sealed === null) return ConnectionSecrets.parse({})
  try {
    return ConnectionSecrets.parse(JSON.parse(vault.open(sealed, bound)))
  } catch {
    return undefined
  }
}

/** Returns undefined when nothing is unsealed. A value that is sealed already is the latest one and takes precedence. */
function moveSecrets({ headers = {}, environment = {}, env = {}, ...rest }: Settings, stored: ConnectionSecrets) {
  const [plainHeaders, foreignHeaders] = split(headers)
  const [plainVariables, foreignVariables] = split({ ...env, ...environment })
  const url = stored.url === undefined && rest.url !== undefined ? plainUrl(rest.url) : undefined
  const args = stored.args === undefined && rest.args !== undefined ? plainArguments(rest.args) : undefined
  const named = Object.keys(plainHeaders).length + Object.keys(plainVariables).length
  if (named === 0 && url === undefined && args === undefined) return undefined
  return {
    settings: {
      ...rest,
      ...(url === undefined ? {} : { url }),
      ...(args === undefined ? {} : { args }),
      ...(Object.keys(foreignHeaders).length === 0 ? {} : { headers: foreignHeaders }),
      ...(Object.keys(foreignVariables).length === 0 ? {} : { environment: foreignVariables }),
    },
    secrets: {
      ...stored,
      headers: { ...plainHeaders, ...stored.headers },
      environment: { ...plainVariables, ...stored.environment },
      ...(url === undefined ? {} : { url: rest.url }),
      ...(args === undefined ? {} : { args: rest.args }),
    },
  }
}

function split(values: Readonly<Record<string, string>>) {
  const plain = Object.entries(values).filter(([, value]) => !value.startsWith(FOREIGN))
  const foreign = Object.entries(values).filter(([, value]) => value.startsWith(FOREIGN))
  return [Object.fromEntries(plain), Object.fromEntries(foreign)] as const
}

/** How it is shown, where that hides something: only a form that differs for a secret's sake. */
function plainUrl(url: string): string | undefined {
  const shown = maskUrl(url)
  return url.startsWith(FOREIGN) || shown === url || shown === URL.parse(url)?.href ? undefined : shown
}

function plainArguments(args: readonly string[]): readonly string[] | undefined {
  const shown = maskArguments(args)
  return shown.every((arg, at) => arg === args[at] || args[at]?.startsWith(FOREIGN)) ? undefined : shown
}
