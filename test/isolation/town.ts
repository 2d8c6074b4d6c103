/**
 * Two organizations with equal names of everything in one gateway, and every kind of caller.
 *
 * Every text of one organization contains a word that occurs nowhere else, so that leaked text is recognized wherever it appears.
 * Callers are listed with their role in each organization; their permissions are determined by the matrix.
 */
import { randomBytes } from 'node:crypto'
import { newId, type OrganizationId, type Role, type UserId } from '@toolway/contract'
import type { ProvidedContext } from 'vitest'
import { z } from 'zod'
import type { Db } from '../../packages/gateway/src/db/db.ts'
import { createAccessTokens } from '../../packages/gateway/src/identity/access-tokens.ts'
import { OPERATIONS } from '../../packages/gateway/src/app/operations.ts'
import { hintOf } from '../../packages/gateway/src/identity/keys/keys.ts'
import { createTestVault, startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { toolNames } from '../e2e/peers/open-gateway.ts'
import { openSession } from '../e2e/peers/clients/raw-client.ts'
import { httpWire, probeProcess } from '../e2e/peers/servers/real-servers.ts'
import { until } from '../e2e/peers/until.ts'
import { startEcho } from './echo-server.ts'
import { plantApproval, plantFile, plantPayload, PLANTS } from './plants.ts'
import { request } from './request.ts'
import { SIDES, WORDS, type Side } from './sides.ts'

/** The parameters of an operation for one organization. Objects identified by name have the same name in both. */
export interface Names {
  readonly organization: string
  readonly organizationId: string
  /** The id of a connection. */
  readonly connection: string
  readonly child: string
  /** The id of its member. */
  readonly user: string
  /** The id of a sign-in of that member. */
  readonly signIn: string
  /** The digest of a session. */
  readonly session: string
  /** The id of a row of that table: its oldest, or one that is not there. */
  row(table: string): string
}

export interface Caller {
  readonly name: string
  readonly authorization: string | undefined
  /** `refused`: nobody knows it (any more). Otherwise its role in each organization where it has one. */
  readonly roles: 'refused' | Partial<Readonly<Record<Side, Role>>>
  /** Whether it administers the platform. */
  readonly platform: boolean
  /** The organization its key or token is bound to. */
  readonly bound: Side | undefined
  readonly toolset?: string
  readonly limit?: 'read' | 'write'
}

export interface Town extends AsyncDisposable {
  readonly gateway: TestGateway
  readonly callers: readonly Caller[]
  readonly names: Readonly<Record<Side | 'missing', Names>>
  caller(name: string): Caller
  /** Words and ids that only this organization's people may read. */
  markers(side: Side): Promise<string[]>
}

const ROLES = ['tenant_admin', 'tenant_member', 'tenant_viewer'] as const
const Nothing = z.object({})
const vault = createTestVault()
const newKey = () => `uru_${randomBytes(32).toString('hex')}`
const DECLARED = { enabled: true, revision: 'auto' as const, timeout: 30, trusted: true }

export interface TownOptions {
  readonly server?: ProvidedContext['postgres']
  readonly settings?: Readonly<Record<string, string>>
  /** Of the servers that echo. */
  readonly era?: 'modern' | 'legacy'
  /** Whether they have more tools than fit on a page. */
  readonly padded?: boolean
  /** Servers that both organizations use, by alias: their addresses. */
  readonly shared?: Readonly<Record<string, string>>
}

export async function openTown(options: TownOptions = {}): Promise<Town> {
  const { server, settings, era = 'modern', padded, shared = {} } = options
  await using opening = new AsyncDisposableStack()
  const connectionsOf = async (side: Side) => {
    const word = WORDS[side]
    const echo = opening.use(await startEcho({ word, era, padded }))
    const wire = httpWire(`${echo.url}?${word}`, { authorization: `Bearer upstream-${word}` })
    return [
      { ...DECLARED, alias: 'same', title: `Same of ${word}`, wire },
      ...Object.entries(shared).map(([alias, url]) => ({ ...DECLARED, alias, title: alias, wire: httpWire(url) })),
      { ...DECLARED, alias: 'child', title: `Child of ${word}`, wire: probeProcess(word, { WORD: word }) },
    ]
  }
  const toolsets = (side: Side) => [
    { slug: 'work', title: `Work of ${WORDS[side]}`, settings: { connections: ['same'], include: ['*'], exclude: [] } },
  ]
  const [mine, theirs] = [await connectionsOf('default'), await connectionsOf('zebrafish')]
  const gateway = opening.use(
    await startTestGateway({
      ...(server === undefined ? {} : { server }),
      ...(settings === undefined ? {} : { settings }),
      connections: mine,
      toolsets: toolsets('default'),
      others: [
        { slug: 'zebrafish', name: 'Zebrafish', connections: theirs, toolsets: toolsets('zebrafish'), keys: [] },
      ],
    }),
  )
  const people = await settle(gateway)
  const callers = await callersOf(gateway, people)
  const found = (name: string) => {
    const caller = callers.find((one) => one.name === name)
    if (caller === undefined) throw new Error(`there is nobody called ${name}`)
    return caller
  }
  await ready(gateway, found('platform key'))
  for (const side of SIDES) {
    const admin = found(`tenant_admin key of ${side}`)
    await openSession(`${gateway.address}/mcp`, keyOf(admin))
    await plantApproval(gateway.db, people.ids[side], `apr_${side.padEnd(26, '0')}`, WORDS[side])
    await plantPayload(gateway.db, people.ids[side], `rec_${side.padEnd(26, '0')}`, WORDS[side])
    await plantFile(gateway.db, people.ids[side], people.members[side].tenant_member, {
      id: `file_${side.padEnd(26, '0').replaceAll(/[ilou]/g, '0')}`,
      text: WORDS[side],
    })
    for (const { id, body, path } of PLANTS) {
      const planted = await plant(gateway, id, admin, path(side), body)
      if (planted !== undefined && planted >= 300)
        throw new Error(`${id} answers ${planted} to the administrator of ${side}`)
    }
  }
  const names = await until('sessions are kept', async () => {
    const known = await namesOf(gateway.db, people)
    return SIDES.every((side) => !known[side].session.startsWith('eee')) && known
  })
  const owned = opening.move()
  return {
    gateway,
    callers,
    names,
    caller: found,
    markers: (side) => markersOf(gateway.db, side, people),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Both organizations list what their servers offer. */
async function ready({ address }: TestGateway, { authorization = '' }: Caller): Promise<void> {
  const key = authorization.replace('Bearer ', '')
  for (const path of SIDES.flatMap((side) =>
    ['same', 'child'].map((alias) => `/api/v1/${side}/connectors/${alias}/mcp`),
  )) {
    await until(`${path} lists its tools`, async () => (await toolNames({ key }, `${address}${path}`)).length > 0)
  }
}

export const keyOf = ({ authorization = '' }: Caller): string => authorization.replace('Bearer ', '')

/** Creates an object with its own operation and returns the status; undefined while there is no such operation. */
async function plant({ address }: TestGateway, id: string, caller: Caller, path: string, body: unknown) {
  const found = OPERATIONS.find(({ operation }) => operation.id === id)
  if (found === undefined) return undefined
  return (await request(address, caller, { method: found.operation.method, path, body })).status
}

interface People {
  readonly ids: Readonly<Record<Side, OrganizationId>>
  /** One of each role in each organization. */
  readonly members: Readonly<Record<Side, Readonly<Record<(typeof ROLES)[number], UserId>>>>
  readonly root: UserId
  /** Administrator of the one organization and viewer of the other. */
  readonly both: UserId
  readonly gone: UserId
}

/** Texts, people and their places, by SQL: what makes them otherwise is not what is tried here. */
async function settle({ db }: TestGateway): Promise<People> {
  return db.system(async (sql) => {
    const organizations = await sql(z.object({ id: z.string(), slug: z.string() }))`select id, slug from organizations`
    const idOf = (side: Side) => organizations.find(({ slug }) => slug === side)?.id as OrganizationId
    const ids = { default: idOf('default'), zebrafish: idOf('zebrafish') }
    const addUser = async (name: string, email: string, more: { platform?: boolean; active?: boolean } = {}) => {
      const id = newId('usr')
      await sql(Nothing)`
        insert into users (id, email, name, platform_admin, active)
        values (${id}, ${email}, ${name}, ${more.platform ?? false}, ${more.active ?? true})`
      return id
    }
    const addMember = (side: Side, user: UserId, role: string) =>
      sql(Nothing)`insert into members (organization_id, user_id, role) values (${ids[side]}, ${user}, ${role})`
    const made = {} as Record<Side, Record<(typeof ROLES)[number], UserId>>
    for (const side of SIDES) {
      const word = WORDS[side]
      await sql(Nothing)`
        update organizations set name = 'Same', description = ${`All of ${word}`}, contact_email = ${`a@${word}.example`},
               settings = '{"requests_per_minute": 1000000}'
         where id = ${ids[side]}`
      made[side] = {} as Record<(typeof ROLES)[number], UserId>
      for (const role of ROLES) {
        made[side][role] = await addUser('Same', `${role}@${word}.example`)
        await addMember(side, made[side][role], role)
      }
    }
    const both = await addUser('Both', 'both@example.com')
    await addMember('default', both, 'tenant_admin')
    await addMember('zebrafish', both, 'tenant_viewer')
    const gone = await addUser('Gone', 'gone@example.com', { active: false })
    await addMember('default', gone, 'tenant_admin')
    return { ids, members: made, both, gone, root: await addUser('Root', 'root@example.com', { platform: true }) }
  })
}

const Row = z.object({ id: z.string() })
const raw = (text: string) => Object.assign([text], { raw: [] })

/** Every id of every row of an organization, by table, as the database lists its tables. */
async function rowsOf(db: Db, organizationId: OrganizationId): Promise<ReadonlyMap<string, readonly string[]>> {
  return db.system(async (sql) => {
    const tables = await sql(z.object({ name: z.string() }))`
      select c.relname::text as name from pg_class c
        join pg_attribute owner on owner.attrelid = c.oid and owner.attname = 'organization_id'
        join pg_attribute id on id.attrelid = c.oid and id.attname = 'id'
       where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`
    const all = tables.map(
      ({ name }) => `select '${name}' as name, id::text as id from ${name} where organization_id = '${organizationId}'`,
    )
    const found = await sql(Row.extend({ name: z.string() }))(raw(`${all.join(' union all ')} order by 1, 2`))
    const rows = new Map<string, string[]>(tables.map(({ name }) => [name, []]))
    for (const { name, id } of found) rows.get(name)?.push(id)
    return rows
  })
}

async function namesOf(db: Db, { ids, members }: People): Promise<Town['names']> {
  const Found = z.object({ id: z.string(), alias: z.string() })
  const of = async (side: Side): Promise<Names> => {
    const connections = await db.organization(ids[side], (sql) => sql(Found)`select id, alias from connections`)
    const named = (alias: string) => connections.find((one) => one.alias === alias)?.id ?? ''
    const [session] = await db.system(
      (sql) => sql(Row)`select encode(hash, 'hex') as id from sessions where organization_id = ${ids[side]} limit 1`,
    )
    const [signIn] = await db.system(
      (sql) => sql(Row)`select id from sign_ins where user_id = ${members[side].tenant_member} limit 1`,
    )
    const rows = await rowsOf(db, ids[side])
    return {
      ...{ organization: side, organizationId: ids[side], connection: named('same'), child: named('child') },
      ...{ user: members[side].tenant_member, session: session?.id ?? 'e'.repeat(64), signIn: signIn?.id ?? '' },
      row: (table) => rows.get(table)?.[0] ?? `none_${'0'.repeat(26)}`,
    }
  }
  const missing: Names = {
    ...{ organization: 'nowhere', organizationId: newId('org'), connection: newId('con'), child: newId('con') },
    ...{ user: newId('usr'), signIn: newId('fam'), session: 'f'.repeat(64), row: () => `none_${'1'.repeat(26)}` },
  }
  return { default: await of('default'), zebrafish: await of('zebrafish'), missing }
}

interface NewKey {
  readonly side?: Side
  readonly role?: string
  readonly user?: UserId
  readonly toolset?: string
  readonly limit?: string
  readonly expired?: boolean
}

async function callersOf({ db, address }: TestGateway, people: People): Promise<Caller[]> {
  const { ids, members, root, both, gone } = people
  const addKey = async (name: string, { side, role = 'tenant_member', user, toolset, limit, expired }: NewKey) => {
    const value = newKey()
    await db.system(
      (sql) => sql(Nothing)`
      insert into keys (id, organization_id, name, hint, hash, toolset, origin, role, user_id, effect_limit, expires_at)
      values (${newId('key')}, ${side === undefined ? null : ids[side]}, ${name}, ${hintOf(value)}, ${vault.hash(value)},
              ${toolset ?? null}, ${side === undefined ? 'test' : WORDS[side]}, ${role}, ${user ?? null},
              ${limit ?? 'execute'}, ${expired === true ? new Date(Date.now() - 60_000) : null})`,
    )
    return `Bearer ${value}`
  }
  const token = async (user: UserId, claims: { side?: Side; epoch?: number; now?: number; sid?: string } = {}) => {
    const parts = { issuer: () => address, keys: vault.signingKeys('access tokens'), lifetime: 1_800 }
    const tokens = createAccessTokens({ ...parts, now: () => claims.now ?? Date.now() })
    const sid = newId('fam')
    await db.system(
      (sql) => sql(Nothing)`
      insert into sign_ins (id, user_id, bound_to, client, expires_at)
      values (${sid}, ${user}, ${claims.side === undefined ? null : ids[claims.side]}, 'command line',
              now() + interval '1 day')`,
    )
    const minted = await tokens.mint({
      ...{ sub: user, sid, epoch: claims.epoch ?? 0, limit: 'execute' },
      ...{ client_id: 'command line', aud: address },
      ...(claims.side === undefined ? {} : { org: ids[claims.side] }),
    })
    return `Bearer ${minted}`
  }
  const known = (name: string, authorization: string, roles: Caller['roles'], more: Partial<Caller> = {}): Caller => ({
    ...{ name, authorization, roles, platform: false, bound: undefined },
    ...more,
  })
  const refused = (name: string, authorization: string | undefined): Caller => ({
    ...{ name, authorization, roles: 'refused', platform: false, bound: undefined },
  })
  const everywhere = { default: 'platform_admin', zebrafish: 'platform_admin' } as const
  const callers: Caller[] = [
    known('platform administrator', await token(root), everywhere, { platform: true }),
    known('platform key', await addKey('platform', { role: 'platform_admin' }), everywhere, { platform: true }),
    known(
      'platform administrator bound to one',
      await token(root, { side: 'default' }),
      { default: 'platform_admin' },
      {
        ...{ platform: true, bound: 'default' },
      },
    ),
    known('administrator here, viewer there', await token(both), {
      default: 'tenant_admin',
      zebrafish: 'tenant_viewer',
    }),
    refused('nobody', undefined),
    refused('unknown key', `Bearer ${newKey()}`),
    refused('expired key', await addKey('expired', { side: 'default', role: 'tenant_admin', expired: true })),
    refused('removed key', await removed(db, await addKey('removed', { side: 'default', role: 'tenant_admin' }))),
    refused('expired token', await token(root, { now: Date.now() - 3_600_000 })),
    refused('token of an earlier epoch', await token(root, { epoch: -1 })),
    refused('token of somebody who left', await token(gone)),
    refused('token of another gateway', `${await token(root)}x`),
  ]
  for (const side of SIDES) {
    for (const role of ROLES) {
      const user = members[side][role]
      callers.push(known(`${role} of ${side}`, await token(user), { [side]: role }))
      callers.push(
        known(`${role} key of ${side}`, await addKey(role, { side, role }), { [side]: role }, { bound: side }),
      )
    }
    const admin = members[side].tenant_admin
    callers.push(
      known(
        `lesser key of ${side}`,
        await addKey('same', { side, role: 'tenant_member', user: admin }),
        {
          [side]: 'tenant_member',
        },
        { bound: side },
      ),
      known(
        `greater key of a viewer of ${side}`,
        await addKey('greater', { side, role: 'tenant_admin', user: members[side].tenant_viewer }),
        {
          [side]: 'tenant_viewer',
        },
        { bound: side },
      ),
      known(
        `reading key of ${side}`,
        await addKey('reader', { side, limit: 'read' }),
        { [side]: 'tenant_member' },
        {
          ...{ bound: side, limit: 'read' },
        },
      ),
      known(
        `toolset key of ${side}`,
        await addKey('worker', { side, toolset: 'work' }),
        { [side]: 'tenant_member' },
        {
          ...{ bound: side, toolset: 'work' },
        },
      ),
    )
  }
  return callers
}

async function removed(db: Db, authorization: string): Promise<string> {
  const hash = vault.hash(authorization.replace('Bearer ', ''))
  await db.system((sql) => sql(Nothing)`delete from keys where hash = ${hash}`)
  return authorization
}

async function markersOf(db: Db, side: Side, { ids, members }: People): Promise<string[]> {
  const all = [...(await rowsOf(db, ids[side])).values()].flat()
  // Short ones are no names: they may be part of anything.
  return [WORDS[side], ids[side], ...Object.values(members[side]), ...all.filter((id) => id.length >= 12)]
}
