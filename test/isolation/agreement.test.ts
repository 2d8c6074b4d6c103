/**
 * The organization of a request: path, key, token and default must agree if they name one, at every endpoint; otherwise the
 * answer is that there is no such organization. The rows of an organization cannot be reached without its id, which the types
 * enforce.
 */
import type { OrganizationId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { listConnections } from '../../packages/gateway/src/connections/connections.ts'
import type { Db, OrgSql, SystemSql } from '../../packages/gateway/src/db/db.ts'
import { listKeys } from '../../packages/gateway/src/identity/keys/keys.ts'
import { listRoles } from '../../packages/gateway/src/organizations/members.ts'
import { listToolsets } from '../../packages/gateway/src/toolsets/toolsets.ts'
import { listCatalogs } from '../../packages/gateway/src/catalog/catalogs.ts'
import { ask, callTool, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { describeEachTown } from './each-town.ts'
import { strangerAt } from './expected.ts'
import { request } from './request.ts'
import { SIDES, WORDS, type Side } from './sides.ts'
import { createTally } from './tally.ts'
import { keyOf, type Caller, type Town } from './town.ts'

/** The organization in the path: none, one of the two, or one that does not exist. */
const PATHS = [undefined, ...SIDES, 'nowhere'] as const
type Said = (typeof PATHS)[number]

/** The one organization that path, key, token and default agree on, where this caller has a role; undefined: there is none. */
function agreed({ bound, roles }: Caller, path: Said): Side | undefined {
  if (roles === 'refused') return undefined
  const speaking = [path, bound].filter((one) => one !== undefined)
  const [first = 'default', second = first] = speaking
  return first === second && first !== 'nowhere' && roles[first] !== undefined ? first : undefined
}

const peerAt = ({ gateway }: Town, caller: Caller, path: string): RawPeer => ({
  ...{ url: `${gateway.address}${path}`, key: keyOf(caller), era: 'modern' },
})

/** Each door of an organization, with and without its name in the path; `toolset` is named in all or none. */
const doorsOf = (path: Said): string[] =>
  path === undefined ? ['/mcp'] : [`/o/${path}/t/work/mcp`, `/api/v1/${path}/connectors/same/mcp`]

describeEachTown('path, key, token and default', {}, (town) => {
  test('U-01: agree on one organization, or there is no such place; every row is asked for by an organization’s id', async (context) => {
    const tally = createTally(context)
    const callers = town().callers.filter(({ roles }) => roles !== 'refused')
    for (const caller of callers) {
      for (const path of PATHS) {
        const side = agreed(caller, path)
        for (const door of doorsOf(path)) {
          const { text, status } = await ask(peerAt(town(), caller, door), 'tools/list')
          const said = `${caller.name} at ${door}: ${status} ${text.slice(0, 200)}`
          const seen = SIDES.filter((one) => text.includes(WORDS[one]))
          tally.check(seen.join() === (side ?? ''), said)
          const stranger = strangerAt(caller, path === undefined || path === 'nowhere' ? 'missing' : path)
          if (side === undefined) tally.check(status === stranger.status && text.includes(stranger.fault), said)
        }
        if (path === undefined) continue
        const asked = { method: 'GET', path: `/api/v1/admin/tenants/${path}/stats` }
        const { status, fault } = await request(town().gateway.address, caller, asked)
        const isToolset = caller.toolset !== undefined
        const stranger = strangerAt(caller, path === 'nowhere' ? 'missing' : path).fault
        const expected = isToolset ? 'key.limit' : side === undefined ? stranger : undefined
        tally.check(fault === expected, `${caller.name} administers ${path}: ${status} ${fault}`)
      }
    }
    tally.close()
    expect(typed).toBeTypeOf('function')
  })

  test('a key of one can neither list nor execute what is the other’s: 404, at each of its addresses', async (context) => {
    const tally = createTally(context)
    for (const side of SIDES) {
      const caller = town().caller(`tenant_admin key of ${side}`)
      const other = SIDES.find((one) => one !== side) ?? side
      const { connection } = town().names[other]
      for (const path of [
        ...doorsOf(other),
        `/api/v1/${other}/connectors/${connection}/mcp`,
        `/api/v1/${side}/connectors/${connection}/mcp`,
      ]) {
        for (const answer of [
          await ask(peerAt(town(), caller, path), 'tools/list'),
          await callTool(peerAt(town(), caller, path), 'whoami'),
        ])
          tally.check(answer.status === 404 && !answer.text.includes(WORDS[other]), `${path}: ${answer.text}`)
      }
    }
    tally.close()
  })

  test('S3-DATA-02: slugs in paths lead to what is each one’s own, and rows of two organizations cannot refer to one another', async (context) => {
    const tally = createTally(context)
    const { db } = town().gateway
    for (const side of SIDES) {
      const peer = peerAt(town(), town().caller('platform key'), `/api/v1/${side}/connectors/same/mcp`)
      tally.check((await callTool(peer, 'whoami')).text.includes(WORDS[side]), side)
    }
    const [mine, theirs] = [town().names.default, town().names.zebrafish]
    for (const text of [
      `update catalogs set connection_id = '${theirs.connection}' where connection_id = '${mine.connection}'`,
      `insert into keys (id, organization_id, user_id, name, hint, hash, origin) values ('key_x', '${mine.organizationId}', '${theirs.user}', 'x', 'x', 'x', 'x')`,
    ]) {
      const write = db.system((sql) => sql(Nothing)(Object.assign([text], { raw: [] })))
      const code = await write.then(
        () => 'was written',
        (thrown: { code?: string }) => thrown.code,
      )
      // Refused as a reference to nothing, or as a name that the other's own row has.
      tally.check(code === '23503' || code === '23505', `${text}: ${code}`)
    }
    tally.close()
  })

  test('S3-RBAC-04: an administrator of the one who is a viewer of the other can neither write nor call there', async (context) => {
    const tally = createTally(context)
    const caller = town().caller('administrator here, viewer there')
    const at = (side: Side) => peerAt(town(), caller, `/o/${side}/t/default/mcp`)
    const call = async (side: Side) => (await callTool(at(side), 'same__whoami')).text
    const restart = async (side: Side) => {
      const path = `/api/v1/admin/tenants/${side}/connectors/same/process/restart`
      return request(town().gateway.address, caller, { method: 'POST', path })
    }
    tally.check((await call('default')).includes(WORDS.default), 'calls here')
    tally.check((await call('zebrafish')).includes('role.forbidden'), 'may not call there')
    tally.check((await ask(at('zebrafish'), 'tools/list')).text.includes(WORDS.zebrafish), 'may list there')
    tally.check((await restart('default')).status === 202, 'writes here')
    tally.check((await restart('zebrafish')).fault === 'role.forbidden', 'cannot write there')
    tally.close()
  })
})

const Nothing = z.object({})

/**
 * Never run: it would not compile if a store function could be asked without an organization's own `sql`, or if that could be
 * had without the organization's id.
 */
async function typed(db: Db, id: OrganizationId, system: SystemSql): Promise<void> {
  await db.organization(id, async (sql: OrgSql) => {
    await listConnections(sql)
    await listKeys(sql)
  })
  // @ts-expect-error an organization's transaction needs its id
  await db.organization(async () => {})
  // @ts-expect-error what sees every organization is not what sees one
  await listConnections(system)
  // @ts-expect-error the same for keys
  await listKeys(system)
  // @ts-expect-error the same for catalogs
  await listCatalogs(system)
  // @ts-expect-error the same for toolsets
  await listToolsets(system)
  // @ts-expect-error the same for members
  await listRoles(system)
  // @ts-expect-error the pool is not handed out at all
  await db.query('select 1')
}
