/**
 * Sets up an empty installation: an organization, a first key, a demo connection. Later starts only update the demo's address and
 * the local command line's key in its file. Starts on one database do it one after the other (`db.startTurn`).
 */
import { runsHere, TIMEOUTS, type ApprovalPreset, type ConnectionSettings } from '@toolway/contract'
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { z } from 'zod'
import { removeAlerts } from '../alerts/index.ts'
import { changeConnection, findConnection, setToolLock, type ConnectionRow } from '../../connections/connections.ts'
import type { Db, OrgSql } from '../../db/db.ts'
import { newSetUpCode } from '../../identity/codes.ts'
import { countUsers } from '../../identity/users.ts'
import { addKey, findKey, hintOf, holdsKey, KEY_FORM, listKeys, mintKey, removeKey } from '../../identity/keys/keys.ts'
import {
  DEFAULT_SLUG,
  ensureOrganization,
  listOrganizations,
  noteNewApprovals,
  type OrganizationRow,
} from '../../organizations/organizations.ts'
import { recordChange, type Actor, type Change } from '../../records/change.ts'
import { keyChange } from '../keys/index.ts'
import { partsOf } from '../../kinds/kinds.ts'
import { programOf } from '../../kinds/stdio/stdio.ts'
import { createConnection } from '../connections/index.ts'

export interface FirstRunParts {
  readonly db: Db
  hash(key: string): Buffer
  readonly bootstrapKey: string | undefined
  /** Approval preset of new organizations: the tool calls that need approval. */
  readonly approvals: ApprovalPreset
  readonly demo: { readonly wanted: boolean; readonly command: string; readonly args: readonly string[] }
  /** Where the local command line finds its key. */
  readonly keyFile: string
}

export interface FirstRun {
  /** The first key, to be shown once and then noted as shown; undefined on later starts, and when a key was given. */
  readonly key: string | undefined
  readonly first: boolean
  /** With which the first person signs up, to be shown once; undefined where somebody has, and on later starts. */
  readonly setUpCode: string | undefined
  /** Whether nobody has signed up yet. */
  readonly empty: boolean
}

export const FIRST_KEY = 'first'
export const BOOTSTRAP_KEY = 'bootstrap'
export const LOCAL_KEY = 'command line'
const DEMO_ALIAS = 'demo'
const ORIGIN = 'first run'

export async function firstRun(parts: FirstRunParts): Promise<FirstRun> {
  const { db } = parts
  await db.system((sql) => noteNewApprovals(sql, parts.approvals))
  const existing = (await db.system(listOrganizations)).find(({ slug }) => slug === DEFAULT_SLUG)
  const organization = existing ?? (await db.system((sql) => ensureOrganization(sql, DEFAULT_SLUG, 'Default', ORIGIN)))
  const isFirst = existing === undefined
  const unseen = await findUnseen(db)
  const settled = await isDemoSettled(db)
  const empty = (await db.system(countUsers)) === 0
  const setUpCode = empty && (isFirst || unseen) ? await db.system((sql) => newSetUpCode(sql, parts.hash)) : undefined
  return db.organization(organization.id, async (sql) => {
    await ensureDemo(sql, organization, parts, { isFirst, settled })
    await ensureBootstrapKey(sql, organization, parts)
    const names = (await listKeys(sql)).map(({ name }) => name).filter((name) => name !== LOCAL_KEY)
    const none = names.length === 0
    // A start that was killed may have made its key and not shown it. Whether it did nobody can know, so its key stays.
    const needsKey = none || (unseen && parts.bootstrapKey === undefined)
    const key = needsKey ? await addNamed(sql, organization, parts, freeName(names), mintKey()) : undefined
    return { key, first: isFirst || none, setUpCode, empty }
  })
}

const SHOWN = 'first key shown'
const Fact = z.object({ value: z.boolean() })

/** Whether a first key may have been made that nobody has seen. Says so of this start's, before it makes it. */
const findUnseen = (db: Db): Promise<boolean> =>
  db.system(async (sql) => {
    const added = await sql(
      Fact,
    )`insert into installation (name, value) values (${SHOWN}, 'false') on conflict do nothing returning value`
    const [stored] = await sql(Fact)`select value from installation where name = ${SHOWN}`
    return added.length === 0 && stored?.value === false
  })

/** The screen with the key is out. */
export const noteShown = async (db: Db): Promise<void> => {
  await db.system((sql) => sql(Fact)`update installation set value = 'true' where name = ${SHOWN} returning value`)
}

const freeName = (taken: readonly string[]): string => {
  for (let number = 1; ; number++) {
    const name = number === 1 ? FIRST_KEY : `${FIRST_KEY} ${number}`
    if (!taken.includes(name)) return name
  }
}

async function addNamed(
  sql: OrgSql,
  { id }: OrganizationRow,
  { hash }: Pick<FirstRunParts, 'hash'>,
  name: string,
  key: string,
): Promise<string> {
  const added = await addKey(sql, {
    organizationId: id,
    name,
    hint: hintOf(key),
    hash: hash(key),
    toolset: undefined,
    origin: ORIGIN,
  })
  if (added !== undefined) await recordChange(sql, startActor(), id, keyChange('key.add', added, { origin: ORIGIN }))
  return key
}

/** The start itself, on whoever's word. */
const startActor = (): Actor => ({
  id: ORIGIN,
  type: 'system',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
  correlationId: randomUUID(),
})

/** The same key stays the same row: who called is known by its id. */
async function ensureBootstrapKey(sql: OrgSql, organization: OrganizationRow, parts: FirstRunParts): Promise<void> {
  const { bootstrapKey, hash } = parts
  if (bootstrapKey === undefined || (await holdsKey(sql, BOOTSTRAP_KEY, hash(bootstrapKey)))) return
  await removeKey(sql, BOOTSTRAP_KEY)
  await addNamed(sql, organization, parts, BOOTSTRAP_KEY, bootstrapKey)
}

const refuseToSeal = (): never => {
  throw new Error('the demo connection has no secrets')
}

async function ensureDemo(
  sql: OrgSql,
  { id }: OrganizationRow,
  { demo }: FirstRunParts,
  { isFirst, settled }: { isFirst: boolean; settled: boolean },
): Promise<void> {
  const { settings, secrets } = partsOf({
    revision: 'auto',
    timeout: TIMEOUTS.process,
    wire: programOf(demo.command, demo.args),
  })
  const words = { title: 'Demo', settings, enabled: true, origin: ORIGIN }
  const vault = { seal: refuseToSeal }
  const connection = await findConnection(sql, DEMO_ALIAS)
  if (isFirst) {
    // It changes with the gateway that it belongs to, and with nothing else.
    const input = { ...words, alias: DEMO_ALIAS, secrets, trusted: true, lock: 'off' as const }
    if (demo.wanted && connection === undefined) await createConnection(sql, { organizationId: id, vault }, input)
    return
  }
  if (connection?.origin !== ORIGIN || !runsDemo(connection.settings, demo)) return
  if (!settled) await trustDemo(sql, id, connection)
  if (wordsOf(connection.settings) !== `${demo.command} ${demo.args.join(' ')}`)
    await changeConnection(sql, connection.id, {
      ...words,
      seal: () => undefined,
      title: connection.title,
      enabled: connection.enabled,
    })
}

const wordsOf = (settings: ConnectionSettings): string | undefined =>
  runsHere(settings) ? `${settings.command} ${settings.args.join(' ')}` : undefined

/** The program of this version, or the same one where another version or another installation of it has it. */
function runsDemo(settings: ConnectionSettings, demo: FirstRunParts['demo']): boolean {
  if (!runsHere(settings) || settings.args.length !== demo.args.length) return false
  const nameOf = (path: string | undefined) => basename(path ?? '').replace(/\.[cm]?[jt]s$/, '')
  return nameOf(settings.args.at(-1)) === nameOf(demo.args.at(-1))
}

const DEMO_SETTLED = 'demo trust settled'

/** Whether an earlier start decided on the trust of the demo. Says so of this start's, before it decides. */
const isDemoSettled = (db: Db): Promise<boolean> =>
  db.system(async (sql) => {
    const added = await sql(
      Fact,
    )`insert into installation (name, value) values (${DEMO_SETTLED}, 'true') on conflict do nothing returning value`
    return added.length === 0
  })

const Found = z.object({ found: z.boolean() })

/**
 * Versions before the trust of servers made the demo untrusted, so that its tools counted as writing: it is the gateway's own program.
 * An administrator's removal of the trust stays.
 */
async function trustDemo(sql: OrgSql, organization: OrganizationRow['id'], demo: ConnectionRow): Promise<void> {
  const [decided] = await sql(Found)`
    select exists (select from records where organization_id = ${organization} and method = 'lock.set'
                      and resource_id = ${demo.id}) as found`
  if (demo.trusted || decided?.found === true) return
  await setToolLock(sql, demo.id, { mode: demo.tool_lock, trusted: true })
  await removeAlerts(sql, demo.id, 'effect.unproven')
  const detail = { mode: demo.tool_lock, trusted: true, origin: ORIGIN }
  const change: Change = { action: 'lock.set', resource: 'connection', id: demo.id, detail }
  await recordChange(sql, startActor(), organization, change)
}

/** A key that the command line of this machine calls with: in a file that only the data directory's owner reads. */
export async function ensureLocalKey({ db, hash, keyFile }: FirstRunParts): Promise<void> {
  const stored = await readFile(keyFile, 'utf8').then(
    (text) => text.trim(),
    () => '',
  )
  const known = KEY_FORM.test(stored) && (await db.system((sql) => findKey(sql, hash(stored)))) !== undefined
  if (known) return
  const organization = await db.system((sql) => ensureOrganization(sql, DEFAULT_SLUG, undefined, ORIGIN))
  const key = mintKey()
  await mkdir(dirname(keyFile), { recursive: true })
  await writeFile(keyFile, `${key}\n`, { mode: 0o600 })
  await db.organization(organization.id, async (sql) => {
    await removeKey(sql, LOCAL_KEY)
    await addNamed(sql, organization, { hash }, LOCAL_KEY, key)
  })
}
