/**
 * Tests that every operation that changes something leaves its record by the time it is answered. Every operation of the admin
 * interface is called by a permitted caller; one that is in no list here fails.
 */
// @module-tag long
import type { UserId } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from '../../packages/gateway/src/app/operations.ts'
import { entryOfChange, type Actor } from '../../packages/gateway/src/records/change.ts'
import { storeRecords } from '../../packages/gateway/src/records/records.ts'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { addKey } from '../e2e/peers/people/administrators.ts'
import { describeEachTown } from './each-town.ts'
import { plantApproval, plantFile } from './plants.ts'
import { request, type Bearer } from './request.ts'
import { SAMPLES } from './samples.ts'
import type { Names, Town } from './town.ts'

/**
 * The order: operations that create and change, then those that remove, the organization last. A standing grant ends with any
 * change of its connection.
 */
const FIRST = 'endLastingApproval'
/** Each takes away what others work with. */
const LAST = ['removeMember', 'removeUser', 'removeOrganization']
const order = ({ method, id }: Operation): number =>
  id === FIRST ? -1 : method === 'DELETE' ? 1 + LAST.indexOf(id) + 1 : 0
const WRITES = OPERATIONS.map(({ operation }) => operation)
  .filter(({ method }) => method !== 'GET')
  .sort((one, other) => order(one) - order(other))

/**
 * These look, or go on with a sign-in that is on record (`sign_in.reuse` is a record of its own), or make a link, of which nothing is
 * kept: how the way ended is on record.
 */
const NO_CHANGE = new Set([
  ...['verifyAuth', 'refresh', 'findCodeOwner', 'linkConnection', 'beginOwnProviderAuth', 'connectIntegration'],
  ...[
    'checkDraftRule',
    'explainPolicy',
    'replayPolicy',
    'testPolicy',
    'previewOpenApi',
    'previewList',
    'previewMemberImport',
  ],
  ...['pickTools', 'pickConnections', 'changePick'],
  ...['departForAccount', 'probeAddress', 'compareConnection'],
  // The key of a run is on record when it is made.
  'runAgent',
  // Nothing is as old as what the sample removes.
  'pruneRecords',
])
/** These need an authenticator, or end the sign-ins of the callers here: `test/e2e/people/second-factor.test.ts` looks for their records. */
const WITH_AUTHENTICATOR = new Set([
  ...['beginPasskey', 'addPasskey', 'beginAuthenticatorApp', 'addAuthenticatorApp', 'renameSecondFactor'],
  ...['removeSecondFactor', 'newRecoveryCodes', 'beginProof', 'proveAgain', 'finishLogin', 'endSignIns'],
  ...['resetSecondFactor', 'resetMemberSecondFactor'],
  // These need a provider: `test/e2e/people/identity-links.test.ts`.
  ...['beginIdentityLink', 'removeIdentityLink'],
])
/** Operations that fail because no receiver is reachable; the failure is on record, too. */
const FAILING = new Set(['testWebhook', 'testRecordStream', 'testInstallationRecordStream'])
/** These need a password or a code. */
const SIGNING = [
  'addSetUpCode',
  'register',
  'login',
  'addPasswordCode',
  'choosePassword',
  'changePassword',
  'logout',
] as const

const Row = z.object({ method: z.string(), outcome: z.string(), principal: z.string() })
const recordsOf = ({ db }: TestGateway, correlation: string) =>
  db.system((sql) => sql(Row)`select method, outcome, principal from records where correlation_id = ${correlation}`)

const WALKED_FILE = `file_${'w'.repeat(26)}`

interface Answer {
  readonly id?: string
  readonly client_id?: string
}
type Own = (made: Readonly<Record<string, Answer>>) => {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: unknown
}
const byId =
  (param: string, operation: string): Own =>
  (made) => ({ params: { [param]: made[operation]?.id ?? '' } })
/** Where a sample names what was declared or is another's: what the walk itself made before. */
const OWN: Readonly<Record<string, Own>> = {
  addUser: () => ({ body: { email: 'walker@example.com' } }),
  addPlatformKey: () => ({ body: { name: 'new', scope: 'platform_admin' } }),
  importKeys: () => ({
    body: {
      lines: JSON.stringify({
        name: 'old',
        prefix: 'smcp_pa_',
        role: 'platform_admin',
        hash: `$2b$04$${'a'.repeat(53)}`,
      }),
    },
  }),
  // The import itself is on record even where no line of it counts; who comes by one is on record besides.
  importMembers: () => ({ body: { csv: 'email\nno address' } }),
  changeConnection: byId('connection', 'addConnection'),
  toggleConnection: byId('connection', 'addConnection'),
  removeConnection: byId('connection', 'addConnection'),
  refreshOpenApi: byId('connection', 'addOpenApi'),
  addAccountKey: (made) => ({
    params: { connection: made['addConnection']?.id ?? '' },
    body: { key: 'k3y', owner: 'organization' },
  }),
  changeAccount: () => ({ params: { account: 'crd_walk2' } }),
  removeAccount: () => ({ params: { account: 'crd_walk2' } }),
  acceptTool: () => ({ params: { tool: 'walk1' }, body: { hash: '1'.repeat(64) } }),
  rejectTool: () => ({ params: { tool: 'walk2' }, body: { hash: '1'.repeat(64) } }),
  answerApproval: () => ({ params: { approval: `apr_${'w'.repeat(26)}` } }),
  endLastingApproval: () => ({ params: { lasting: `lgr_${'w'.repeat(26)}` } }),
  changeIntegration: byId('connection', 'addIntegration'),
  disconnectIntegration: byId('connection', 'addIntegration'),
  removeIntegration: byId('connection', 'addIntegration'),
  addUploadLink: byId('file', 'addFile'),
  addDownloadLink: () => ({ params: { file: WALKED_FILE } }),
  removeFile: byId('file', 'addFile'),
  putGroup: () => ({ params: { group: 'walk' } }),
  joinGroup: () => ({ params: { group: 'walk' } }),
  leaveGroup: () => ({ params: { group: 'walk' } }),
  removeGroup: () => ({ params: { group: 'walk' } }),
  putToolset: () => ({ params: { toolset: 'walk' } }),
  removeToolset: () => ({ params: { toolset: 'walk' } }),
  changeRule: byId('rule', 'addRule'),
  removeRule: byId('rule', 'addRule'),
  changePlatformRule: byId('rule', 'addPlatformRule'),
  removePlatformRule: byId('rule', 'addPlatformRule'),
  changeOrganizationRule: byId('rule', 'addOrganizationRule'),
  removeOrganizationRule: byId('rule', 'addOrganizationRule'),
  changeInstallationRecordStream: byId('stream', 'addInstallationRecordStream'),
  testInstallationRecordStream: byId('stream', 'addInstallationRecordStream'),
  removeInstallationRecordStream: byId('stream', 'addInstallationRecordStream'),
  tryInstallationIdentityProvider: () => ({ params: { provider: 'login' } }),
  removeInstallationIdentityProvider: () => ({ params: { provider: 'login' } }),
  proveIdentityDomain: () => ({ body: { vouch: true } }),
  removeLeaver: () => ({ params: { user: 'usr_walk' } }),
  trustKey: () => ({ params: { key: 'key_walk' } }),
  removePlatformKey: byId('key', 'addPlatformKey'),
  removeOrganizationKey: byId('key', 'addOrganizationKey'),
  removeMyKey: byId('key', 'addMyKey'),
  endGrant: () => ({ params: { grant: 'fam_walk1' } }),
  endOwnGrant: () => ({ params: { grant: 'fam_walk2' } }),
  endSignIn: () => ({ params: { id: 'fam_walk3' } }),
  redactRecord: () => ({ params: { record: 'rec_walk' } }),
  removeOAuthClient: (made) => ({ params: { client: made['addOAuthClient']?.client_id ?? '' } }),
}

const WALKER: Actor = {
  ...{ id: 'walker', type: 'system', keyId: undefined, correlationId: 'walk' },
  ...{ address: undefined, userAgent: undefined },
}

/**
 * Inserts rows that only a browser or a provider would create: grants and a sign-in of the platform’s administrator, tools held
 * for review, and a credential.
 */
const plant = ({ gateway: { db, organization }, names }: Town) =>
  db.system(async (sql) => {
    const Nothing = z.object({})
    const [root] = await sql(z.object({ id: z.string() }))`select id from users where email = 'root@example.com'`
    await sql(
      Nothing,
    )`insert into members (organization_id, user_id, role) values (${organization.id}, ${root?.id}, 'tenant_admin')`
    for (const id of ['fam_walk1', 'fam_walk2', 'fam_walk3'])
      await sql(Nothing)`
        insert into sign_ins (id, user_id, client, expires_at) values (${id}, ${root?.id}, 'c', now() + interval '1 hour')`
    for (const id of ['fam_walk1', 'fam_walk2'])
      await sql(Nothing)`
        insert into oauth_grants (id, organization_id, user_id, client_id, client_name, client_host, resource, effect_limit, epoch)
        values (${id}, ${organization.id}, ${root?.id}, 'c', 'Same', 'same.example', 'r', 'read', 0)`
    await sql(Nothing)`
      insert into leavers (organization_id, user_id, email, name, suspended)
      values (${organization.id}, 'usr_walk', 'walk@example.com', 'Walk', false)`
    // Of an earlier version, in which an organization's administrator could make it.
    await sql(Nothing)`
      insert into keys (id, organization_id, name, hint, hash, origin, trusted)
      values ('key_walk', ${organization.id}, 'walk', '', ${Buffer.from('walk')}, 'admin', true)`
    // A tool that a server changes under a lock is held for review.
    for (const tool of ['walk1', 'walk2'])
      await sql(Nothing)`
        insert into tool_locks (organization_id, connection_id, tool, held_hash, held, held_at)
        values (${organization.id}, ${names.default.connection}, ${tool}, ${'1'.repeat(64)}, '{}', now())`
    await sql(Nothing)`
      insert into credentials (id, organization_id, provider, sealed_access_token)
      values ('crd_walk', ${organization.id}, 'github', 'sealed'), ('crd_walk2', ${organization.id}, 'mcp', 'sealed')`
    const change = { action: 'walk', resource: 'walk', id: 'walk', detail: { to: 'redact' } }
    await storeRecords(sql, [{ ...entryOfChange(WALKER, organization.id, change), id: 'rec_walk' }])
  })

const rootOf = async ({ db }: TestGateway): Promise<UserId> => {
  const [root] = await db.system(
    (sql) => sql(z.object({ id: z.string() }))`select id from users where email = 'root@example.com'`,
  )
  return root?.id as UserId
}

/** The callers, tried in this order until one is permitted: some operations are for the platform, some for any signed-in user. */
const CALLERS = ['platform administrator', 'platform key', 'tenant_admin of default']

function askedOf({ id, method, path }: Operation, names: Names, made: Readonly<Record<string, Answer>>) {
  const { params, query, body } = SAMPLES[id] ?? {}
  const own = OWN[id]?.(made)
  const named: Record<string, string> = { organization: 'default', ...params?.(names), ...own?.params }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named[name] ?? ''))
  const words = new URLSearchParams(query?.(names)).toString()
  const said = own?.body ?? body?.(names)
  return { method, path: words === '' ? filled : `${filled}?${words}`, ...(said === undefined ? {} : { body: said }) }
}

describeEachTown('every operation that changes something', {}, (town) => {
  test('S3-AUD-01, S3-AUD-04: leaves its record, which is there when it is answered', async () => {
    const { gateway } = town()
    await plant(town())
    await plantApproval(gateway.db, gateway.organization.id, `apr_${'w'.repeat(26)}`, 'walk')
    const root = await rootOf(gateway)
    await plantFile(gateway.db, gateway.organization.id, root, { id: WALKED_FILE, text: 'walk' })
    const made: Record<string, Answer> = {}
    const silent: string[] = []
    for (const operation of WRITES) {
      const { id } = operation
      if (NO_CHANGE.has(id) || WITH_AUTHENTICATOR.has(id) || SIGNING.some((one) => one === id)) continue
      const asked = askedOf(operation, town().names.default, made)
      const tries: string[] = []
      let isRecorded = false
      for (const name of CALLERS) {
        const correlation = `${id}-${name}`.replaceAll(' ', '-')
        const headers = { 'x-correlation-id': correlation }
        const { status, fault, text } = await request(gateway.address, town().caller(name), { ...asked, headers })
        const records = await recordsOf(gateway, correlation)
        tries.push(`${status} ${fault ?? ''} ${JSON.stringify(records)}`)
        if (status >= 300) continue
        isRecorded = records.length === 1 && records[0]?.outcome === (FAILING.has(id) ? 'failed' : 'ok')
        made[id] = text === '' ? {} : (JSON.parse(text) as Answer)
        break
      }
      if (!isRecorded) silent.push(`${id}: ${tries.join(' | ')}`)
    }
    expect(silent).toEqual([])
  })
})

test('S3-AUD-01, S3-AUD-04: so does everything about passwords, codes and signing in', async () => {
  await using gateway = await startTestGateway()
  const operator = await addKey(gateway, { role: 'platform_admin' })
  const [email, password, next] = ['ada@example.com', 'correct horse battery', 'battery horse correct']
  const tried: string[] = []
  const send = async (id: (typeof SIGNING)[number], body: object | undefined, token?: string, user = '') => {
    const operation = WRITES.find((one) => one.id === id)
    const caller: Bearer | undefined = token === undefined ? undefined : { authorization: `Bearer ${token}` }
    const { status, text } = await request(gateway.address, caller, {
      method: operation?.method ?? '',
      path: (operation?.path ?? '').replace('{user}', user),
      headers: { 'x-correlation-id': `signing-${id}` },
      ...(body === undefined ? {} : { body }),
    })
    expect(status, `${id} ${text}`).toBeLessThan(300)
    const records = await recordsOf(gateway, `signing-${id}`)
    expect(
      records.map(({ outcome }) => outcome),
      id,
    ).toContain('ok')
    const by = id === 'addSetUpCode' ? /^key_/ : /^usr_/
    for (const { principal } of records) expect(principal, id).toMatch(by)
    tried.push(id)
    return (text === '' ? {} : JSON.parse(text)) as Record<string, string> & { user: { id: string } }
  }
  const { code } = await send('addSetUpCode', undefined, operator)
  const first = await send('register', { setup_code: code, email, name: 'Ada', password })
  const { user } = await send('login', { email, password })
  await send('changePassword', { current_password: password, new_password: next }, first['access_token'])
  const again = await request(gateway.address, undefined, {
    ...{ method: 'POST', path: '/api/v1/auth/login', body: { email, password: next } },
  })
  const { access_token: token = '' } = JSON.parse(again.text) as Record<string, string>
  const given = await send('addPasswordCode', undefined, token, user.id)
  const chosen = await send('choosePassword', { code: given['code'], password })
  expect(chosen).toBeDefined()
  const last = await request(gateway.address, undefined, {
    ...{ method: 'POST', path: '/api/v1/auth/login', body: { email, password } },
  })
  await send('logout', { refresh_token: (JSON.parse(last.text) as Record<string, string>)['refresh_token'] })
  expect(tried.toSorted()).toEqual(SIGNING.toSorted())
})
