/**
 * Making the database say what the declaration file says: what it names is added or changed, what it no longer names is
 * removed, what came from elsewhere is left alone. An alias or name that is taken by another origin is a clear refusal.
 */
import {
  ConnectionSecrets,
  Fault,
  type ConnectionId,
  type Limit,
  type Role,
  type RuleWords,
  type ToolsetSettings,
  type LockMode,
} from '@toolway/contract'
import type { AuditAction } from '@toolway/contract/admin'
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { listConnections, removeConnection, type ConnectionRow } from '../../connections/connections.ts'
import {
  findDocument,
  packDocument,
  putDocument,
  removeDocument,
  touchConnection,
} from '../../connections/openapi-documents.ts'
import type { Db, OrgSql } from '../../db/db.ts'
import { hintOf, prefixOf, roleOfMark } from '../../identity/keys/key-forms.ts'
import { addKey, holdsKey, listKeys, removeKey, type KeyRow } from '../../identity/keys/keys.ts'
import { ensureOrganization, listOrganizationsWith, type OrganizationRow } from '../../organizations/organizations.ts'
import { entryOfChange, type Actor, type Change } from '../../records/change.ts'
import { storeRecords } from '../../records/records.ts'
import { declareGroups, type DeclaredGroup } from './declare-groups.ts'
import { declareWebhooks, settleOrganization, type DeclaredSections } from './declare-organization.ts'
import { keyChange } from '../keys/index.ts'
import { carryKeyRules } from '../../policy/stored/organization-rules.ts'
import { listPlatformRules } from '../../policy/stored/platform-rules.ts'
import { listToolsets, putToolset, removeToolset } from '../../toolsets/toolsets.ts'
import { sealedRow } from '../../snapshot/snapshot.ts'
import { endUntold, idsOf } from '../../oauth/outgoing/credentials/revoke-credentials.ts'
import { DeclarationConflict, declarePlatformRules, declareRules } from './declare-rules.ts'
import { changeAndEnd, differencesOf, type ConnectionState, createConnection, setLock } from '../connections/index.ts'
import { addressAt } from '../../kinds/addresses.ts'
import { partsOf, sealerOf, type ConnectionWords } from '../../kinds/kinds.ts'

export interface DeclaredKey {
  readonly name: string
  readonly value: string
  readonly toolset: string | undefined
  readonly role?: Exclude<Role, 'platform_admin'>
  readonly limit?: Limit
  readonly trusted?: boolean
  readonly expires?: Date | undefined
}

export interface Declaration extends DeclaredSections {
  readonly slug: string
  readonly name: string | undefined
  readonly connections: readonly (ConnectionWords & {
    alias: string
    title: string
    description?: string
    enabled: boolean
    /** Whether its address may lie in a private network; absent: where it names one in so many words. */
    private?: boolean
    /** Whether what its server says of the effects of its tools is believed; absent: as it stands. */
    trusted?: boolean | undefined
    /** Lock mode: which changes of the server's tools are held for review; absent: unchanged. */
    lock?: LockMode | undefined
    rules?: readonly RuleWords[] | undefined
    /** Of its OpenAPI document, where the file names one beside it. */
    text?: string
  })[]
  readonly toolsets: readonly { slug: string; title: string; settings: ToolsetSettings }[]
  readonly keys: readonly DeclaredKey[]
  readonly groups?: readonly DeclaredGroup[]
  readonly rules?: readonly RuleWords[] | undefined
  /** Settings of the whole installation. */
  readonly platform?: { readonly rules: readonly RuleWords[] } | undefined
}

export interface DeclareParts {
  readonly db: Db
  readonly vault: {
    seal(text: string, row: string): Buffer
    open(sealed: Uint8Array, row: string): string
    hash(text: string): Buffer
  }
}

export { DeclarationConflict } from './declare-rules.ts'

const FILE = 'file'

/** Returns the actor for changes by a declaration file; the author of the file is not known here. */
const fileActor = (): Actor => ({
  id: 'declaration file',
  type: 'system',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
  correlationId: randomUUID(),
})

/** Hears of each change as it is made; all of them are on record before the transaction ends. */
type Say = (change: Change) => void
const change = (action: AuditAction, resource: string, id: string, detail: Record<string, unknown> = {}): Change => ({
  action,
  resource,
  id,
  detail: { ...detail, origin: FILE },
})

export async function declare(parts: DeclareParts, declarations: readonly Declaration[]): Promise<void> {
  const platform = declarations.flatMap((declaration) => declaration.platform ?? [])
  // First, so that an exception is never there without what it may not lift.
  if (platform.length > 0)
    await declarePlatformRules(
      parts.db,
      platform.flatMap(({ rules }) => rules),
      fileActor(),
    )
  for (const declaration of declarations) {
    const { slug, name } = declaration
    const organization = await parts.db.system(async (sql) =>
      settleOrganization(sql, await ensureOrganization(sql, slug, name, FILE), declaration, fileActor()),
    )
    await carryOut(parts, organization, declaration)
  }
}

/**
 * Take back what the file gave to organizations that it no longer names, above all their keys, and the rules of the platform where it
 * has none any more. The organizations stay, as their records do.
 */
export async function withdraw(parts: DeclareParts, declarations: readonly Declaration[]): Promise<void> {
  if (declarations.every(({ platform }) => platform === undefined))
    await declarePlatformRules(parts.db, [], fileActor())
  const named = new Set(declarations.map(({ slug }) => slug))
  // Each is a transaction of many statements, so those with nothing to take back are left out: of thousands, nearly all.
  for (const organization of await parts.db.system((sql) => listOrganizationsWith(sql, FILE))) {
    if (named.has(organization.slug)) continue
    const { slug, name } = organization
    await carryOut(parts, organization, { slug, name, connections: [], toolsets: [], keys: [] })
  }
}

async function carryOut(
  { db, vault }: DeclareParts,
  organization: OrganizationRow,
  declaration: Declaration,
): Promise<void> {
  const platform = (await db.system(listPlatformRules)).map(({ name }) => name)
  await db.organization(organization.id, async (sql) => {
    const changes: Change[] = []
    const say: Say = (item) => void changes.push(item)
    await declareConnections({ sql, vault, organization, say }, declaration)
    await declareToolsets({ sql, organization, say }, declaration)
    await declareKeys({ sql, vault, organization, say }, declaration)
    await declareGroups({ sql, organization, say, conflict }, declaration.groups ?? [])
    await declareWebhooks({ sql, vault, organization, say }, declaration.webhooks ?? [])
    await declareRules({ sql, organizationId: organization.id, say, platform }, declaration)
    if (changes.length === 0) return
    const actor = fileActor()
    await storeRecords(
      sql,
      changes.map((item) => entryOfChange(actor, organization.id, item)),
    )
  })
}

interface Carrying {
  readonly sql: OrgSql
  readonly vault: DeclareParts['vault']
  readonly organization: OrganizationRow
  readonly say: Say
}

async function declareConnections({ sql, vault, organization, say }: Carrying, { connections }: Declaration) {
  const present = await listConnections(sql)
  const named = new Set(connections.map(({ alias }) => alias))
  for (const { id, alias, origin } of present) {
    if (origin !== FILE || named.has(alias)) continue
    await removeConnection(sql, alias)
    say(change('connection.remove', 'connection', id, { alias }))
  }
  for (const connection of connections) {
    const held = present.find(({ alias }) => alias === connection.alias)
    if (held !== undefined && held.origin !== FILE) throw conflict('connection', connection.alias, held.origin)
    const { settings, secrets } = described(connection)
    const next = {
      title: connection.title,
      description: connection.description ?? null,
      enabled: connection.enabled,
      settings,
      origin: FILE,
      seal: sealerOf(secrets, vault.seal, sealedRow),
    }
    const { alias } = connection
    if (held === undefined) {
      const document =
        connection.text === undefined || connection.text === '' ? undefined : await packDocument(connection.text)
      const wanted = { ...next, alias, secrets, document, trusted: connection.trusted, lock: connection.lock }
      const created = await createConnection(sql, { organizationId: organization.id, vault }, wanted).catch(byAnother)
      if (created !== undefined) say({ ...created.change, detail: { ...created.change.detail, origin: FILE } })
      continue
    }
    if (await declareDocument(sql, organization.id, held.id, connection.text)) {
      await touchConnection(sql, held.id)
      say(change('connection.change', 'connection', held.id, { alias, fields: ['document'] }))
    }
    const kept = secretsIn(held, vault)
    const before = addressAt({ settings: held.settings, secrets: kept }, 'document')
    if (connection.text === undefined && before !== addressAt({ settings, secrets }, 'document'))
      await removeDocument(sql, held.id)
    const { trusted = held.trusted, lock: mode = held.tool_lock } = connection
    if (trusted !== held.trusted || mode !== held.tool_lock) {
      await setLock(sql, organization.id, held, { setting: { mode, trusted }, by: FILE, ifMatch: undefined })
      say(change('lock.set', 'connection', held.id, { alias, mode, trusted }))
    }
    if (differs({ ...held, secrets: kept }, { ...next, secrets })) {
      const ended = await changeAndEnd({ vault, endIn: endUntold }, sql, held, next)
      const credentials = ended.length === 0 ? {} : { credentials: idsOf(ended) }
      say(change('connection.change', 'connection', held.id, { alias, ...credentials }))
    }
  }
}

/** Another gateway that starts with the same file has made it meanwhile. */
function byAnother(thrown: unknown): undefined {
  if (!(thrown instanceof Fault) || thrown.code !== 'thing.taken') throw thrown
}

/** Whether the text is another than the one that is kept. It is read when the connection is opened, and its faults are told there. */
async function declareDocument(sql: OrgSql, organizationId: OrganizationRow['id'], id: ConnectionId, text?: string) {
  if (text === undefined || text === '') return false
  const packed = await packDocument(text)
  if ((await findDocument(sql, id))?.digest === packed.digest) return false
  await putDocument(sql, organizationId, id, packed)
  return true
}

function described(connection: Declaration['connections'][number]) {
  try {
    return partsOf(connection)
  } catch (thrown) {
    throw thrown instanceof Fault
      ? new DeclarationConflict(
          `The declaration file's connection "${connection.alias}" is not valid: ${thrown.message}`,
        )
      : thrown
  }
}

const secretsIn = ({ id, sealed }: ConnectionRow, vault: DeclareParts['vault']): ConnectionSecrets =>
  ConnectionSecrets.parse(sealed === null ? {} : JSON.parse(vault.open(sealed, sealedRow(id))))

/**
 * A start with an unchanged file changes nothing, so that no upstream is opened anew and no verdict is forgotten. An address that
 * stands there unsealed is a difference.
 */
const differs = (connectionState: ConnectionState, next: ConnectionState): boolean =>
  differencesOf(connectionState, next).length > 0 ||
  !isDeepStrictEqual(connectionState.secrets.addresses, next.secrets.addresses)

async function declareToolsets({ sql, organization, say }: Omit<Carrying, 'vault'>, { toolsets }: Declaration) {
  const present = await listToolsets(sql)
  const named = new Set(toolsets.map(({ slug }) => slug))
  for (const { slug, origin } of present) {
    if (origin !== FILE || named.has(slug)) continue
    await removeToolset(sql, slug)
    say(change('toolset.remove', 'toolset', slug))
  }
  for (const toolset of toolsets) {
    const held = present.find(({ slug }) => slug === toolset.slug)
    if (held !== undefined && held.origin !== FILE) throw conflict('toolset', toolset.slug, held.origin)
    const same = held?.title === toolset.title && isDeepStrictEqual(held.settings, toolset.settings)
    if (same) continue
    await putToolset(sql, { ...toolset, organizationId: organization.id, origin: FILE })
    say(change('toolset.put', 'toolset', toolset.slug, { ...toolset.settings }))
  }
}

/** A key that is another one now keeps the rules that were said of it. */
async function declareKeys(carrying: Carrying, declaration: Declaration): Promise<void> {
  const own = async () => (await listKeys(carrying.sql)).filter(({ user_id: user }) => user === null)
  const before = await own()
  await carryKeyRules(
    carrying.sql,
    carrying.organization.id,
    () => replaceKeys(carrying, declaration),
    async () => {
      const after = new Map((await own()).map(({ id, name }) => [name, id]))
      return new Map(before.flatMap(({ id, name }) => [[id, after.get(name)] as const]))
    },
  )
}

async function replaceKeys({ sql, vault, organization, say }: Carrying, { keys }: Declaration): Promise<void> {
  const present = (await listKeys(sql)).filter(({ user_id: user }) => user === null)
  const wanted = new Map(keys.map((key) => [key.name, key]))
  for (const stored of present) {
    if (stored.origin !== FILE) continue
    const want = wanted.get(stored.name)
    const same =
      want !== undefined && isSame(want, stored) && (await holdsKey(sql, stored.name, vault.hash(want.value)))
    if (same) {
      wanted.delete(stored.name)
      continue
    }
    await removeKey(sql, stored.name)
    say(keyChange('key.remove', stored, { origin: FILE }))
  }
  for (const { name, value, expires, trusted = false, ...rest } of wanted.values()) {
    const added = await addKey(sql, {
      ...rest,
      trustedBy: trusted ? FILE : undefined,
      organizationId: organization.id,
      family: roleOfMark(value) === undefined ? 'uru' : 'smcp',
      name,
      hint: hintOf(value),
      prefix: prefixOf(value),
      hash: vault.hash(value),
      expiresAt: expires,
      origin: FILE,
    })
    if (added === undefined)
      throw conflict(
        'key',
        name,
        present.find((stored) => stored.name === name)?.origin ?? 'another key with the same value',
      )
    say(keyChange('key.add', added, { origin: FILE }))
  }
}

const isSame = ({ toolset, role, limit, trusted, expires }: DeclaredKey, stored: KeyRow): boolean =>
  (toolset ?? null) === stored.toolset &&
  (role ?? 'tenant_member') === stored.role &&
  (limit ?? 'execute') === stored.effect_limit &&
  (trusted ?? false) === stored.trusted &&
  (expires?.getTime() ?? null) === (stored.expires_at?.getTime() ?? null)

const conflict = (what: string, name: string, origin: string) =>
  new DeclarationConflict(
    `The declaration file declares the ${what} "${name}", which already exists (from ${origin}): remove that one (\`toolway ${what} remove "${name}"\`) or choose another name.`,
  )
