import { Fault, type UserId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { listFailedConnects } from '../../../credentials/account-states.ts'
import { OPERATOR } from '../../../identity/principal.ts'
import { ACTOR, asUser, authorityOf, connectFixture, PUBLIC } from '../../../testing/connect-fixture.ts'
import { describeEachPostgres } from '../../../testing/database.ts'
import { flowSecretSealContext, flowVerifierSealContext } from '../../../vault/sealed-columns.ts'
import { documentIdOf } from './client-metadata.ts'
import type { OAuthRedirect } from './flows.ts'
import { FlowProblem } from './callback-check.ts'

type Fixture = Awaited<ReturnType<typeof connectFixture>>

const Text = z.object({ text: z.string() })
const Nothing = z.object({})
const Sealed = z.object({
  id: z.string(),
  sealed_verifier: z.instanceof(Buffer),
  sealed_client_secret: z.instanceof(Buffer).nullable(),
})

const begin = (at: Fixture, userId?: UserId) =>
  at.flows.begin({
    connectRequest: {
      organizationId: at.organizationId,
      connectionId: at.connectionId,
      userId,
      account: undefined,
      scopes: ['extra'],
    },
    principal: userId === undefined ? OPERATOR : asUser(userId),
    actor: ACTOR,
  })

const stateOf = ({ url }: OAuthRedirect) => url.searchParams.get('state') ?? ''
/** A browser that keeps what it was given by these departures. */
const browserOf = (...oauthRedirects: OAuthRedirect[]) => {
  const jar = new Map(
    oauthRedirects.map(({ cookie }) => [cookie.split('=', 1)[0] ?? '', /=([^;]*)/.exec(cookie)?.[1] ?? '']),
  )
  return (name: string) => jar.get(name)
}
const back = (at: Fixture, answer: Record<string, string>, cookie: (name: string) => string | undefined) =>
  at.flows.finish({ answer: new URLSearchParams(answer), redirectUri: `${PUBLIC}/oauth/callback`, cookie }, ACTOR)
const comeBack = (at: Fixture, oauthRedirect: OAuthRedirect, answer: Record<string, string> = { code: 'code' }) =>
  back(at, { ...answer, state: stateOf(oauthRedirect) }, browserOf(oauthRedirect))

async function refusal(way: Promise<unknown>) {
  const thrown = await way.then(
    () => undefined,
    (problem: unknown) => problem,
  )
  if (!(thrown instanceof FlowProblem)) throw new Error(`no refusal, but ${String(thrown)}`)
  return { error: thrown.error, why: thrown.why }
}
const countFlows = async ({ db }: Fixture) =>
  (await db.system((sql) => sql(Text)`select count(*)::text as text from oauth_flows`))[0]?.text

describeEachPostgres('the way to a credential', (createDatabase) => {
  test('S2-DB-02, S2-OAU-05: is kept with verifier and secret sealed, each for its row, and without its state', async () => {
    await using database = await createDatabase()
    const at = await connectFixture(database)
    const oauthRedirect = await begin(at)
    const [row] = await at.db.system(
      (sql) => sql(Sealed)`select id, sealed_verifier, sealed_client_secret from oauth_flows`,
    )
    const id = oauthRedirect.flowId
    const verifier = at.vault.open(row?.sealed_verifier ?? Buffer.alloc(0), flowVerifierSealContext(id))
    const secret = at.vault.open(row?.sealed_client_secret ?? Buffer.alloc(0), flowSecretSealContext(id))
    expect(verifier).toMatch(/^[\w-]{43}$/)
    expect(secret).toBe('secret of registered-1')
    const [whole] = await at.db.system((sql) => sql(Text)`select t::text as text from oauth_flows t`)
    const browser = browserOf(oauthRedirect)(oauthRedirect.cookie.split('=', 1)[0] ?? '') ?? ''
    for (const plain of [verifier, secret, stateOf(oauthRedirect), browser]) {
      expect(plain.length).toBeGreaterThan(10)
      for (const form of [plain, Buffer.from(plain).toString('hex')]) expect(whole?.text).not.toContain(form)
    }
    expect(whole?.text).toContain('https://id.example.com/token')
    expect(whole?.text).toContain('https://id.example.com/register')
    // A client without a secret has none there.
    at.fake.authority = authorityOf({ issuer: 'https://documents.example.com', clientDocuments: true })
    await begin(at)
    const secrets = await at.db.system(
      (sql) => sql(Sealed)`select id, sealed_verifier, sealed_client_secret from oauth_flows`,
    )
    expect(secrets.filter((one) => one.sealed_client_secret === null)).toHaveLength(1)
  })

  test('S2-OAU-03, S2-OAU-07, U-14: ends once, in time and in the browser that began; anything else changes nothing', async () => {
    await using database = await createDatabase()
    const at = await connectFixture(database)
    const first = await begin(at)
    // No other host of our domain can give a browser one of these, and so have it finish what somebody else began.
    expect(first.cookie).toMatch(
      /^__Host-toolway_flow_[\da-f]{16}=[\w-]{43}; Path=\/; Max-Age=600; SameSite=Lax; HttpOnly; Secure$/,
    )
    const none = () => undefined
    const code = 'code'
    expect(await refusal(back(at, { code, state: 'never-heard-of' }, none))).toEqual({
      error: 'invalid_state',
      why: 'unknown',
    })
    expect(await refusal(back(at, { code, state: stateOf(first) }, none))).toEqual({
      error: 'invalid_state',
      why: 'foreign',
    })
    expect(await refusal(back(at, { code }, browserOf(first)))).toEqual({ error: 'missing_state', why: 'nothing' })
    expect(await refusal(back(at, { state: stateOf(first) }, browserOf(first)))).toMatchObject({
      error: 'missing_code',
    })
    // The cookie of another flow of the same browser is not this one's.
    const second = await begin(at)
    const [name, value] = [first.cookie.split('=', 1)[0], /=([^;]*)/.exec(second.cookie)?.[1]]
    expect(
      await refusal(back(at, { code, state: stateOf(first) }, (wanted) => (wanted === name ? value : undefined))),
    ).toMatchObject({ why: 'foreign' })
    expect(await countFlows(at)).toBe('2')
    expect(at.fake.exchanged).toHaveLength(0)
    expect(at.kept).toHaveLength(0)

    // Two tabs: each comes back by itself.
    const both = browserOf(first, second)
    await back(at, { code, state: stateOf(second) }, both)
    await back(at, { code, state: stateOf(first) }, both)
    expect(at.kept).toHaveLength(2)
    expect(await refusal(back(at, { code, state: stateOf(first) }, both))).toEqual({
      error: 'invalid_state',
      why: 'spent',
    })
    expect(at.fake.exchanged).toHaveLength(2)

    const late = await begin(at)
    await at.db.system((sql) => sql(Nothing)`update oauth_flows set expires_at = now() - interval '1 second'`)
    expect(await refusal(comeBack(at, late))).toEqual({ error: 'invalid_state', why: 'late' })
    expect(at.kept).toHaveLength(2)
  })

  test('brings home a credential that is bound to what the person set out for', async () => {
    await using database = await createDatabase()
    const at = await connectFixture(database)
    const ada = await at.member('ada')
    await comeBack(at, await begin(at, ada))
    expect(at.kept).toMatchObject([
      {
        organizationId: at.organizationId,
        connectionId: at.connectionId,
        userId: ada,
        kind: 'oauth',
        authority: at.fake.authority,
        client: { clientId: 'registered-1', secret: 'secret of registered-1' },
        server: 'https://mcp.example.com/mcp',
        scopes: ['extra'],
      },
    ])
    expect(at.fake.exchanged[0]?.verifier).toMatch(/^[\w-]{43}$/)
    const records = await at.db.system(
      (sql) => sql(Text)`select principal || ' ' || outcome as text from records where method = 'credential.connect'`,
    )
    expect(records).toEqual([{ text: `${ada} ok` }])
  })

  test('leads nowhere for who left, and for a connection that is another one by now', async () => {
    await using database = await createDatabase()
    const at = await connectFixture(database)
    const [ada, bob] = [await at.member('ada'), await at.member('bob')]
    const [left, demoted, moved, gone] = [await begin(at, ada), await begin(at, bob), await begin(at), await begin(at)]
    await at.leave(ada)
    expect(await refusal(comeBack(at, left))).toEqual({ error: 'invalid_state', why: 'member' })
    // The membership goes with its flows.
    await at.db.system((sql) => sql(Nothing)`delete from members where user_id = ${bob}`)
    await at.reload()
    expect(await refusal(comeBack(at, demoted))).toEqual({ error: 'invalid_state', why: 'unknown' })
    const turn = async (change: string) => {
      await at.db.system(
        (sql) => sql(Nothing)`update connections set settings = settings || ${change}::jsonb, updated_at = now()`,
      )
      await at.reload()
    }
    await turn('{"url":"https://elsewhere.example.com/mcp"}')
    expect(await refusal(comeBack(at, moved))).toEqual({ error: 'invalid_state', why: 'address' })
    await at.db.system((sql) => sql(Nothing)`update connections set enabled = false`)
    await at.reload()
    expect(await refusal(comeBack(at, gone))).toEqual({ error: 'invalid_state', why: 'gone' })
    expect(at.fake.exchanged).toHaveLength(0)
    expect(at.kept).toHaveLength(0)
  })

  test("tells the vendor's own word only where the answer is surely the vendor's", async () => {
    await using database = await createDatabase()
    const at = await connectFixture(database)
    at.fake.failure = new Fault('authority.refused', { connection: 'docs', problem: 'it said no' })
    const iss = 'https://id.example.com'
    expect(await refusal(comeBack(at, await begin(at), { error: 'access_denied' }))).toMatchObject({
      error: 'access_denied',
    })
    expect(
      await refusal(comeBack(at, await begin(at), { error: 'access_denied', iss: 'https://evil.example' })),
    ).toMatchObject({
      error: 'token_exchange_failed',
    })
    at.fake.authority = authorityOf({ issInResponse: true })
    expect(await refusal(comeBack(at, await begin(at), { error: 'access_denied' }))).toMatchObject({
      error: 'token_exchange_failed',
    })
    expect(await refusal(comeBack(at, await begin(at), { error: 'access_denied', iss }))).toMatchObject({
      error: 'access_denied',
    })
    at.fake.failure = new Fault('authority.unreachable', { connection: 'docs', problem: 'nobody answers' })
    expect(await refusal(comeBack(at, await begin(at)))).toEqual({ error: 'token_exchange_failed', why: 'unreachable' })
    const records = await at.db.system(
      (sql) => sql(Text)`select outcome as text from records where method = 'credential.connect'`,
    )
    expect(records.map(({ text }) => text)).toEqual(Array.from({ length: 5 }, () => 'refused'))
    const reasons = await at.db.system(
      (sql) => sql(Text)`
        select coalesce(detail ->> 'reason', '-') as text from records where method = 'credential.connect' order by seq desc`,
    )
    expect(reasons[0]).toEqual({ text: 'nobody answers' })
    const failed = await at.db.organization(at.organizationId, listFailedConnects)
    expect(failed).toEqual([{ connection_id: at.connectionId, reason: 'nobody answers' }])
    at.fake.failure = undefined
    await comeBack(at, await begin(at), { code: 'code', iss })
    expect(await at.db.organization(at.organizationId, listFailedConnects)).toEqual([])
  })

  test('is begun by nobody but whose account it is to be, or who administers the connections', async () => {
    await using database = await createDatabase()
    const at = await connectFixture(database)
    const [ada, bob] = [await at.member('ada'), await at.member('bob', 'tenant_admin')]
    const connectRequest = {
      organizationId: at.organizationId,
      connectionId: at.connectionId,
      account: undefined,
      scopes: [],
    }
    const by = (user: UserId, userId: UserId | undefined) =>
      at.flows.begin({ connectRequest: { ...connectRequest, userId }, principal: asUser(user), actor: ACTOR })
    await expect(by(bob, ada)).rejects.toMatchObject({ code: 'thing.unknown' })
    await expect(by(ada, undefined)).rejects.toMatchObject({ code: 'role.forbidden' })
    await by(bob, undefined)
    await by(ada, ada)
    expect(at.fake.sent).toHaveLength(2)
  })
})

describeEachPostgres('the client that we are', (createDatabase) => {
  test('S2-OAU-04, S2-QRK-04: is an administrator’s, else our document, else one that registers itself once, else none', async () => {
    await using database = await createDatabase()
    const at = await connectFixture(database)
    const idOf = (oauthRedirect: OAuthRedirect) => oauthRedirect.url.searchParams.get('client_id')
    // A server that registers: once, also for two who begin at the same time, and with every address of ours.
    const [one, other] = await Promise.all([begin(at), begin(at)])
    expect([idOf(one), idOf(other), idOf(await begin(at))]).toEqual(['registered-1', 'registered-1', 'registered-1'])
    expect(at.fake.registered).toEqual([
      { redirectUris: [`${PUBLIC}/oauth/callback`, `${PUBLIC}/api/v1/integrations/oauth/callback`] },
    ])
    // One that takes documents: nothing is registered there.
    at.fake.authority = authorityOf({ issuer: 'https://documents.example.com', clientDocuments: true })
    expect(idOf(await begin(at))).toBe(documentIdOf(PUBLIC))
    // Where nobody can read a document of ours, there is none.
    at.state.publicUrl = 'http://127.0.0.1:8080'
    expect(idOf(await begin(at))).toBe('registered-2')
    at.state.publicUrl = PUBLIC
    // One that takes nobody: then a person says, for this issuer.
    at.fake.authority = { ...authorityOf({ issuer: 'https://closed.example.com' }), registrationEndpoint: undefined }
    const sent = at.fake.sent.length
    await expect(begin(at)).rejects.toMatchObject({ code: 'authority.client' })
    expect(at.fake.sent).toHaveLength(sent)
    const { authority } = at.fake
    const { organizationId } = at
    await at.clients.give(
      { organizationId, authority, actor: ACTOR },
      { clientId: 'given', secret: 'a secret of ours' },
    )
    expect(idOf(await begin(at))).toBe('given')
    // It is nobody's elsewhere: another authorization server is not told of it, even where the same MCP server names it.
    at.fake.authority = { ...authority, issuer: 'https://closed.example.com/other' }
    await expect(begin(at)).rejects.toMatchObject({ code: 'authority.client' })
    // And it goes before all the others.
    at.fake.authority = authorityOf({ issuer: 'https://documents.example.com', clientDocuments: true })
    await at.clients.give(
      { organizationId, authority: at.fake.authority, actor: ACTOR },
      { clientId: 'ours', secret: undefined },
    )
    expect(idOf(await begin(at))).toBe('ours')
    expect(at.fake.registered).toHaveLength(2)
  })

  test('registers anew where its secret ran out or its addresses are others', async () => {
    await using database = await createDatabase()
    const at = await connectFixture(database)
    await begin(at)
    await at.db.system((sql) => sql(Nothing)`update oauth_apps set secret_expires_at = now() - interval '1 minute'`)
    const later = await begin(at)
    expect(later.url.searchParams.get('client_id')).toBe('registered-2')
    at.state.publicUrl = 'https://moved.example.com'
    expect((await begin(at)).url.searchParams.get('client_id')).toBe('registered-3')
  })
})
