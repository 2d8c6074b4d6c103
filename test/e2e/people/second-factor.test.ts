/** Second factors over HTTP with real gateways: how they are added and asked for, and everything that must not get past them. */
import { Secret, TOTP } from 'otpauth'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, askAdmin, createBrowser, PASSWORD, signIn } from '../../../packages/gateway/src/testing/people.ts'
import { createPasskey, usePasskey, type AuthenticatorPasskey, type Site } from '../peers/people/authenticator.ts'

const ADA = 'ada@example.com'
const BOB = 'bob@example.com'
const SITE: Site = { origin: 'http://localhost:8787', host: 'localhost' }
const OWN = '/auth/second-factor'

async function start(settings: Record<string, string> = {}) {
  const gateway = await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: SITE.origin, ...settings } })
  await addPerson(gateway.db, { email: 'root@example.com', platformAdmin: true })
  for (const email of [ADA, BOB])
    await addPerson(gateway.db, { email, roles: [[gateway.organization.id, 'tenant_member']] })
  await gateway.restart()
  return gateway
}

/** A code of that many steps from now. Each step counts once, so that tests take one of the three that count. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

async function addApp({ address }: TestGateway, token: string) {
  const begun = await askAdmin(address, `POST ${OWN}/apps/begin`, { token })
  const { challenge, secret } = begun.body
  const body = { challenge, code: codeOf(secret, -1), name: 'Phone' }
  const added = await askAdmin(address, `POST ${OWN}/apps`, { token, body })
  return { secret: String(secret), added, body }
}

async function addPasskey({ address }: TestGateway, token: string, site = SITE, shape = {}) {
  const begun = await askAdmin(address, `POST ${OWN}/passkeys/begin`, { token })
  const { passkey, answer } = createPasskey(begun.body.options, site, shape)
  const body = { challenge: begun.body.challenge, passkey: answer, name: 'Laptop' }
  const added = await askAdmin(address, `POST ${OWN}/passkeys`, { token, body })
  return { passkey, added, body }
}

const login = ({ address }: { address: string }, email: string, more = {}) =>
  askAdmin(address, 'POST /auth/login', { body: { email, password: PASSWORD, ...more } })
const stepOf = async (gateway: { address: string }, email = ADA) => (await login(gateway, email)).body.second_step
const finish = ({ address }: { address: string }, body: object) =>
  askAdmin(address, 'POST /auth/login/second-factor', { body })
const typeOf = ({ body }: { body: { type?: string } }) => body.type?.split(':').at(-1)
const require = ({ db, organization }: TestGateway, settings: object) =>
  db.system(
    (sql) => sql(z.object({}))`
      update organizations set settings = settings || ${JSON.stringify(settings)}::jsonb, updated_at = now()
       where id = ${organization.id}`,
  )
const membersOf = (gateway: TestGateway, token: string) =>
  askAdmin(gateway.address, `GET /admin/tenants/${gateway.organization.slug}/alerts`, { token })

describe('a person with an authenticator app', () => {
  test('C-ID-06: is asked for a code after the password, and each code and each recovery code counts once', async () => {
    await using gateway = await start()
    const first = await signIn(gateway.address, ADA)
    const other = await signIn(gateway.address, ADA)
    const { secret, added, body } = await addApp(gateway, first.access_token)
    expect(added.status).toBe(201)
    const codes: string[] = added.body.recovery_codes
    expect(codes).toHaveLength(10)
    // The secret that was proven once is not added twice, and sign-ins that were proven by less are over.
    expect(typeOf(await askAdmin(gateway.address, `POST ${OWN}/apps`, { token: first.access_token, body }))).toBe(
      'factor.late',
    )
    expect((await askAdmin(gateway.address, 'GET /auth/me', { token: other.access_token })).status).toBe(401)
    expect((await askAdmin(gateway.address, 'GET /auth/me', { token: first.access_token })).status).toBe(200)

    const { status, body: asked } = await login(gateway, ADA)
    expect([status, Object.keys(asked)]).toEqual([200, ['second_step']])
    const { challenge } = asked.second_step
    expect(typeOf(await finish(gateway, { challenge, code: codeOf(secret, -1) }))).toBe('factor.wrong')
    expect(typeOf(await finish(gateway, { challenge, code: codeOf(secret, 4) }))).toBe('factor.wrong')
    const code = codeOf(secret)
    const done = await finish(gateway, { challenge, code })
    expect(done.status).toBe(200)
    expect((await askAdmin(gateway.address, 'GET /auth/me', { token: done.body.access_token })).status).toBe(200)
    // Neither the code nor the challenge is good again, at no replica.
    await using replica = await gateway.another()
    expect(typeOf(await finish(replica, { challenge: (await stepOf(gateway)).challenge, code }))).toBe('factor.wrong')
    expect(typeOf(await finish(replica, { challenge, code: codes[0] }))).toBe('factor.late')

    const recovery = await finish(gateway, { challenge: (await stepOf(gateway)).challenge, code: codes[1] })
    expect(recovery.status).toBe(200)
    expect(typeOf(await finish(gateway, { challenge: (await stepOf(gateway)).challenge, code: codes[1] }))).toBe(
      'factor.wrong',
    )
    const list = await askAdmin(gateway.address, `GET ${OWN}`, { token: recovery.body.access_token })
    expect(list.body).toMatchObject({ recovery_codes: 9, items: [{ kind: 'app', name: 'Phone' }] })
  })

  test('two requests with one code or one recovery code: one of them is let in', async () => {
    await using gateway = await start()
    const { secret, added } = await addApp(gateway, (await signIn(gateway.address, ADA)).access_token)
    const steps = [await stepOf(gateway), await stepOf(gateway), await stepOf(gateway), await stepOf(gateway)]
    const [code, recovery] = [codeOf(secret), added.body.recovery_codes[0]]
    const results = await Promise.all(
      steps.map(({ challenge }, at) => finish(gateway, { challenge, code: at < 2 ? code : recovery })),
    )
    expect(results.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 401, 401])
  })

  test('guessing ends after ten codes, wherever they come from, and so does a right one then', async () => {
    await using gateway = await start()
    const { secret } = await addApp(gateway, (await signIn(gateway.address, ADA)).access_token)
    const { challenge } = await stepOf(gateway)
    const statuses: number[] = []
    for (let at = 0; at < 12; at++) statuses.push((await finish(gateway, { challenge, code: '000000' })).status)
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10)
    expect((await finish(gateway, { challenge, code: codeOf(secret) })).status).toBe(429)
  })

  test('somebody else’s code, and a challenge that is changed, is of somebody else or of another purpose, is refused', async () => {
    await using gateway = await start()
    const ada = (await signIn(gateway.address, ADA)).access_token
    const bob = (await signIn(gateway.address, BOB)).access_token
    await addApp(gateway, ada)
    const ofBob = await addApp(gateway, bob)
    const { challenge } = await stepOf(gateway)
    expect(typeOf(await finish(gateway, { challenge, code: codeOf(ofBob.secret) }))).toBe('factor.wrong')
    expect(typeOf(await finish(gateway, { challenge, code: ofBob.added.body.recovery_codes[0] }))).toBe('factor.wrong')
    const begun = await askAdmin(gateway.address, `POST ${OWN}/apps/begin`, { token: ada })
    for (const wrong of [`${challenge}A`, challenge.slice(4), begun.body.challenge, 'x'])
      expect(typeOf(await finish(gateway, { challenge: wrong, code: '123456' }))).toBe('factor.late')
    // What Ada has begun to add is not added to Bob.
    const body = { challenge: begun.body.challenge, code: codeOf(begun.body.secret), name: 'x' }
    expect(typeOf(await askAdmin(gateway.address, `POST ${OWN}/apps`, { token: bob, body }))).toBe('factor.late')
    // A password that changes makes what was begun with the old one worthless.
    const { challenge: before } = await stepOf(gateway, BOB)
    await gateway.db.system((sql) => sql(z.object({}))`update users set epoch = epoch + 1 where email = ${BOB}`)
    const late = await finish(gateway, { challenge: before, code: ofBob.added.body.recovery_codes[1] })
    expect(late.status).toBe(401)
  })
})

describe('a passkey', () => {
  const site = (origin: string, host: string): Site => ({ origin, host })

  async function fixture() {
    const gateway = await start()
    const token = (await signIn(gateway.address, ADA)).access_token
    const { passkey, added } = await addPasskey(gateway, token)
    expect(added.status).toBe(201)
    const answerStep = async (
      used: AuthenticatorPasskey,
      options: { site?: Site; shape?: object; challenge?: string } = {},
    ) => {
      const step = await stepOf(gateway)
      const answer = usePasskey(
        used,
        { challenge: options.challenge ?? step.passkey.challenge },
        options.site ?? SITE,
        options.shape,
      )
      return finish(gateway, { challenge: step.challenge, passkey: answer })
    }
    return { gateway, token, passkey, answerStep, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
  }

  test('C-ID-06: signs in after the password, and alone on the sign-in page', async () => {
    await using held = await fixture()
    const { gateway, passkey, answerStep } = held
    expect((await answerStep(passkey)).status).toBe(200)

    const browser = createBrowser(gateway.address)
    const page = await (await browser.ask('/sign-in')).text()
    const options = /data-passkey="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"') ?? '{}'
    const answer = JSON.stringify(usePasskey(passkey, JSON.parse(options), SITE))
    // Another browser cannot finish what this one began.
    const elsewhere = await createBrowser(gateway.address).submit('/sign-in/passkey', { passkey: answer })
    expect(elsewhere.status).toBe(401)
    const response = await browser.submit('/sign-in/passkey', { passkey: answer, next: '/somewhere' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/somewhere'])
    expect((await browser.ask('/api/v1/auth/me')).status).toBe(200)
    const again = await browser.submit('/sign-in/passkey', { passkey: answer })
    expect(again.status).toBe(401)
  })

  test('of another origin, another site, without the person’s verification, or with a count that does not rise is refused', async () => {
    await using held = await fixture()
    const { gateway, token, passkey, answerStep } = held
    const wrong: [string, Parameters<typeof answerStep>[1]][] = [
      ['another origin', { site: site('https://evil.example', SITE.host) }],
      ['another port', { site: site('http://localhost:9999', SITE.host) }],
      ['another site', { site: site(SITE.origin, 'evil.example') }],
      ['not verified', { shape: { flags: 0b1 } }],
      ['a lower count', { shape: { count: 1 } }],
      ['another challenge', { challenge: 'AAAA' }],
    ]
    for (const [why, how] of wrong) expect([why, typeOf(await answerStep(passkey, how))]).toEqual([why, 'factor.wrong'])
    for (const [origin, host] of [
      ['https://evil.example', SITE.host],
      [SITE.origin, 'evil.example'],
    ] as const)
      expect(typeOf((await addPasskey(gateway, token, site(origin, host))).added)).toBe('passkey.wrong')
    expect(typeOf((await addPasskey(gateway, token, SITE, { flags: 0b100_0001 })).added)).toBe('passkey.wrong')
  })

  test('of somebody else opens no account, and is added to none', async () => {
    await using held = await fixture()
    const { gateway, passkey, answerStep } = held
    const bob = (await signIn(gateway.address, BOB)).access_token
    const ofBob = await addPasskey(gateway, bob)
    expect(typeOf(await answerStep(ofBob.passkey))).toBe('factor.wrong')
    expect(typeOf(await answerStep({ ...ofBob.passkey, userHandle: passkey.userHandle }))).toBe('factor.wrong')
    const again = await askAdmin(gateway.address, `POST ${OWN}/passkeys`, { token: bob, body: ofBob.body })
    expect(typeOf(again)).toBe('factor.late')
  })

  test('of a person whom a provider signs in does not open the account alone', async () => {
    await using held = await fixture()
    const { gateway, passkey } = held
    await gateway.db.system(
      (sql) => sql(z.object({}))`update users set provider = 'https://id.example' where email = ${ADA}`,
    )
    const browser = createBrowser(gateway.address)
    const page = await (await browser.ask('/sign-in')).text()
    const options = /data-passkey="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"') ?? '{}'
    const answer = JSON.stringify(usePasskey(passkey, JSON.parse(options), SITE))
    expect((await browser.submit('/sign-in/passkey', { passkey: answer })).status).toBe(401)
  })
})

describe('the pages', () => {
  test('lead from the password to the code and on; nobody’s browser finishes what another one began', async () => {
    await using gateway = await start()
    const { secret } = await addApp(gateway, (await signIn(gateway.address, ADA)).access_token)
    const browser = createBrowser(gateway.address)
    const response = await browser.submit('/sign-in', { email: ADA, password: PASSWORD, next: '/a' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-in/second-factor?next=%2Fa'])
    expect((await browser.ask('/api/v1/auth/me')).status).toBe(401)
    expect(await (await browser.ask('/sign-in/second-factor?next=%2Fa')).text()).toContain('name="code"')
    const stranger = createBrowser(gateway.address)
    expect((await stranger.submit('/sign-in/second-factor', { code: codeOf(secret) })).status).toBe(401)
    expect((await browser.submit('/sign-in/second-factor', { code: '000000', next: '/a' })).status).toBe(401)
    const done = await browser.submit('/sign-in/second-factor', { code: codeOf(secret), next: '/a' })
    expect([done.status, done.headers.get('location')]).toEqual([303, '/a'])
    expect((await browser.ask('/api/v1/auth/me')).status).toBe(200)
  })
})

describe('where a second factor is required', () => {
  test.each([['an organization'], ['the installation']])(
    'C-ID-20: %s takes no token of a person without one, renewed or not, until they add one; the last one stays',
    async (who) => {
      await using gateway = await start(who === 'the installation' ? { TOOLWAY_SECOND_FACTOR: 'required' } : {})
      if (who === 'an organization') await require(gateway, { second_factor: 'required' })
      await gateway.restart()
      const first = await signIn(gateway.address, ADA)
      expect(typeOf(await membersOf(gateway, first.access_token))).toBe('factor.needed')
      const call = await fetch(gateway.url, {
        method: 'POST',
        headers: { authorization: `Bearer ${first.access_token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      expect(call.status).toBe(403)
      const body = { refresh_token: first.refresh_token }
      const renewed = await askAdmin(gateway.address, 'POST /auth/refresh', { body })
      const token = renewed.body.access_token
      expect(typeOf(await membersOf(gateway, token))).toBe('factor.needed')
      const ownKey = await askAdmin(gateway.address, 'POST /auth/keys', { token, body: { name: 'x' } })
      expect(ownKey.status).not.toBe(201)
      // A key is nobody's sign-in.
      expect((await fetch(gateway.url, { headers: { authorization: `Bearer ${gateway.key}` } })).status).not.toBe(403)

      const { added } = await addApp(gateway, token)
      expect(added.status).toBe(201)
      expect((await membersOf(gateway, token)).status).toBe(200)
      const { id } = added.body.second_factor
      const gone = await askAdmin(gateway.address, `DELETE ${OWN}/${id}`, { token })
      expect([gone.status, typeOf(gone)]).toEqual([409, 'factor.required'])
    },
  )
})

describe('sign-ins', () => {
  const later = ({ db }: TestGateway, column: 'created_at' | 'used_at' | 'proven_at', interval: string) =>
    db.system((sql) =>
      column === 'created_at'
        ? sql(z.object({}))`update sign_ins set created_at = created_at - ${interval}::interval`
        : column === 'used_at'
          ? sql(z.object({}))`update sign_ins set used_at = used_at - ${interval}::interval`
          : sql(z.object({}))`update sign_ins set proven_at = proven_at - ${interval}::interval`,
    )
  const renew = (gateway: TestGateway, pair: { refresh_token: string }) =>
    askAdmin(gateway.address, 'POST /auth/refresh', { body: { refresh_token: pair.refresh_token } })

  test.each([
    ['too old', { sign_in_hours: 2 }, 'created_at', '3 hours'],
    ['not used for too long', { sign_in_idle_minutes: 30 }, 'used_at', '1 hour'],
  ] as const)('C-ID-21: end with the organization’s rule: %s', async (_, settings, column, interval) => {
    await using gateway = await start()
    await require(gateway, settings)
    await gateway.restart()
    const pair = await signIn(gateway.address, ADA)
    expect((await membersOf(gateway, pair.access_token)).status).toBe(200)
    await later(gateway, column, interval)
    expect((await renew(gateway, pair)).status).toBe(401)
    expect((await askAdmin(gateway.address, 'GET /auth/me', { token: pair.access_token })).status).toBe(401)
  })

  test('a rule of one organization leaves a sign-in as it is for another one', async () => {
    await using gateway = await startTestGateway({
      others: [{ slug: 'other', name: 'Other', connections: [], toolsets: [], keys: [] }],
    })
    const [other] = await gateway.db.system(
      (sql) => sql(z.object({ id: z.string() }))`select id from organizations where slug = 'other'`,
    )
    await addPerson(gateway.db, {
      email: ADA,
      roles: [
        [gateway.organization.id, 'tenant_member'],
        [(other?.id ?? '') as never, 'tenant_member'],
      ],
    })
    await require(gateway, { sign_in_hours: 2 })
    await gateway.restart()
    const pair = await signIn(gateway.address, ADA)
    await later(gateway, 'created_at', '3 hours')
    const { status, body } = await renew(gateway, pair)
    expect(status).toBe(200)
    expect(typeOf(await membersOf(gateway, body.access_token))).toBe('login.over')
    const there = await askAdmin(gateway.address, 'GET /admin/tenants/other/alerts', { token: body.access_token })
    expect(there.status).toBe(200)
  })

  test('what weakens security asks again after ten minutes; a person with a second factor proves that', async () => {
    await using gateway = await start()
    const { access_token: token } = await signIn(gateway.address, ADA)
    await later(gateway, 'proven_at', '11 minutes')
    const begin = () => askAdmin(gateway.address, `POST ${OWN}/apps/begin`, { token })
    expect(typeOf(await begin())).toBe('proof.old')
    const prove = (body: object) => askAdmin(gateway.address, 'POST /auth/proof', { token, body })
    expect(typeOf(await prove({ password: 'something else' }))).toBe('password.wrong')
    expect((await prove({ password: PASSWORD })).status).toBe(204)
    const { secret } = await addApp(gateway, token)
    await later(gateway, 'proven_at', '11 minutes')
    expect(typeOf(await begin())).toBe('proof.old')
    expect(typeOf(await prove({ password: PASSWORD }))).toBe('factor.wrong')
    // A new password makes the sign-in no younger.
    const changed = await askAdmin(gateway.address, 'POST /auth/password', {
      token,
      body: { current_password: PASSWORD, new_password: 'another long password' },
    })
    const next = changed.body.access_token
    expect(typeOf(await askAdmin(gateway.address, `POST ${OWN}/recovery-codes`, { token: next }))).toBe('proof.old')
    const code = { code: codeOf(secret) }
    expect((await askAdmin(gateway.address, 'POST /auth/proof', { token: next, body: code })).status).toBe(204)
    expect((await askAdmin(gateway.address, `POST ${OWN}/recovery-codes`, { token: next })).status).toBe(201)
  })

  test('are listed with how they were proven, and end all at once', async () => {
    await using gateway = await start()
    const first = await signIn(gateway.address, ADA)
    const second = await signIn(gateway.address, ADA)
    const list = await askAdmin(gateway.address, 'GET /auth/sign-ins', { token: first.access_token })
    expect(list.body.items).toMatchObject([{ methods: ['pwd'], address: '127.0.0.1' }, { current: true }])
    const ended = await askAdmin(gateway.address, 'DELETE /auth/sign-ins', { token: first.access_token })
    expect([ended.status, ended.body]).toEqual([200, { ended: 1 }])
    expect((await askAdmin(gateway.address, 'GET /auth/me', { token: second.access_token })).status).toBe(401)
  })
})

describe('an administrator', () => {
  test('resets the second factor of a member who is theirs alone, on record and with an alert', async () => {
    await using gateway = await start()
    const { organization, address, db } = gateway
    await addPerson(db, { email: 'boss@example.com', roles: [[organization.id, 'tenant_admin']] })
    await gateway.restart()
    const ada = await signIn(address, ADA)
    await addApp(gateway, ada.access_token)
    const boss = (await signIn(address, 'boss@example.com')).access_token
    const reset = (user: string) =>
      askAdmin(address, `DELETE /admin/tenants/${organization.slug}/members/${user}/second-factor`, { token: boss })
    await db.system((sql) => sql(z.object({}))`update users set platform_admin = true where email = ${ADA}`)
    expect(typeOf(await reset(ada.user.id))).toBe('factor.platform')
    await db.system((sql) => sql(z.object({}))`update users set platform_admin = false where email = ${ADA}`)
    expect(typeOf(await reset('usr_nobody'))).toBe('thing.unknown')
    expect((await reset(ada.user.id)).status).toBe(204)
    expect((await askAdmin(address, 'GET /auth/me', { token: ada.access_token })).status).toBe(401)
    expect((await login(gateway, ADA)).body.second_step).toBeUndefined()
    const alerts = await db.system(
      (sql) => sql(z.object({ kind: z.string() }))`select kind from alerts where kind = 'factor.reset'`,
    )
    expect(alerts).toHaveLength(1)
  })

  test('S3-AUD-01: finds every change of a second factor on record, and its own reset of it', async () => {
    await using gateway = await start()
    const { address, db } = gateway
    const ada = await signIn(address, ADA)
    const token = ada.access_token
    const { added } = await addApp(gateway, token)
    const { id } = added.body.second_factor
    const renamed = await askAdmin(address, `PATCH ${OWN}/${id}`, { token, body: { name: 'Old phone' } })
    expect(renamed.body).toMatchObject({ name: 'Old phone' })
    expect((await askAdmin(address, `POST ${OWN}/recovery-codes`, { token })).status).toBe(201)
    await addPasskey(gateway, token)
    expect((await askAdmin(address, `DELETE ${OWN}/${id}`, { token })).status).toBe(204)
    const root = (await signIn(address, 'root@example.com')).access_token
    const { status } = await askAdmin(address, `DELETE /admin/users/${ada.user.id}/second-factor`, { token: root })
    expect(status).toBe(204)
    const own = await askAdmin(address, 'GET /auth/me', { token: root })
    const onSelf = await askAdmin(address, `DELETE /admin/users/${own.body.user.id}/second-factor`, { token: root })
    expect(typeOf(onSelf)).toBe('factor.platform')
    const records = await db.system(
      (sql) =>
        sql(z.object({ method: z.string(), outcome: z.string() }))`
        select method, outcome from records where method like 'second_factor.%' order by at, id`,
    )
    expect(records.filter(({ outcome }) => outcome === 'ok').map(({ method }) => method)).toEqual([
      'second_factor.add',
      'second_factor.change',
      'second_factor.codes',
      'second_factor.add',
      'second_factor.remove',
      'second_factor.reset',
    ])
  })
})
