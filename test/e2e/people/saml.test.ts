/**
 * SAML providers as rows: people sign in by a form, and each response that is not exactly the one that was asked for is refused with a
 * record and a sentence. The provider of the tests writes responses of any form; that of crewjam/saml is a program of its own.
 */
// @module-tag long
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { SAML_PROBLEMS, type SamlProblem } from '../../../packages/gateway/src/identity/federated/saml-problems.ts'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addTestOrganization } from '../../../packages/gateway/src/testing/organization.ts'
import { addPerson, createBrowser } from '../../../packages/gateway/src/testing/people.ts'
import { buildSamlProviderOfGo } from '../../../tools/counterparts.ts'
import { IS_SHORT } from '../../setup/form.ts'
import { selfSigned } from '../peers/authorities/self-signed.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { startSamlProviderOfGo } from '../peers/people/saml-go-provider.ts'
import {
  ADA,
  createSamlProvider,
  readRequest,
  RSA_SHA1,
  wrappings,
  type AuthnRequest,
  type SamlPeer,
} from '../peers/people/saml-provider.ts'

const PUBLIC = 'http://localhost:8787'

async function fixture() {
  const gateway = await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: PUBLIC } })
  await addPerson(gateway.db, { email: 'admin@example.com', platformAdmin: true })
  await addTestOrganization(gateway.db, 'acme')
  await addTestOrganization(gateway.db, 'globex')
  await gateway.restart()
  const ask = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  return { gateway, ask, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
}
type Fixture = Awaited<ReturnType<typeof fixture>>

const settings = (peer: SamlPeer, more: object = {}) => ({
  kind: 'saml',
  entity_id: peer.entityId,
  sso_url: 'https://id.example.com/sso?realm=1',
  certificates: [peer.cert],
  addresses: 'provider',
  newcomers: 'member',
  ...more,
})
const AT = (organization: string) => `/api/v1/admin/tenants/${organization}/identity-providers/login`

const Added = z.looseObject({
  service_provider: z.strictObject({ entity_id: z.string(), acs_url: z.string(), metadata_url: z.string() }),
  certificate_expires_at: z.string(),
})

async function addProvider({ ask }: Fixture, organization: string, content: object, more: object = {}) {
  const answer = await ask(`PUT ${AT(organization)}`, {
    title: 'Example ID',
    settings: content,
    enabled: true,
    ...more,
  })
  expect(answer.status, answer.text).toBe(200)
  const added = Added.parse(answer.body)
  return { ...added, path: new URL(added.service_provider.acs_url).pathname.replace('/callback', '') }
}

type Browser = ReturnType<typeof createBrowser>

async function start(browser: Browser, path: string): Promise<AuthnRequest> {
  const response = await browser.ask(path)
  expect(response.status, await response.clone().text()).toBe(303)
  return readRequest(response.headers.get('location') ?? '')
}

/** As browsers do it: the provider's page posts without our cookie, and our own page posts once more. */
async function post(browser: Browser, address: string, path: string, response: string) {
  const fields = { SAMLResponse: Buffer.from(response).toString('base64') }
  const first = await fetch(`${address}${path}/callback`, {
    method: 'POST',
    body: new URLSearchParams({ ...fields, RelayState: '' }),
    headers: { origin: 'https://id.example.com' },
  })
  const page = await first.text()
  const inputs = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const again = Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value]))
  expect(again).toEqual({ ...fields, again: '1' })
  expect(page).toContain(`<form method="post" action="${PUBLIC}${path}/callback">`)
  expect(first.headers.get('content-security-policy')).toContain(`form-action ${PUBLIC}${path}/callback;`)
  expect(first.headers.get('access-control-allow-origin')).toBeNull()
  return browser.submit(`${path}/callback`, again, { origin: PUBLIC })
}

const problemOn = async (page: Response) => [page.status, /role="alert">([^<]*)/.exec(await page.text())?.[1]]
const refusal = (problem: SamlProblem) => [
  401,
  expect.stringContaining(SAML_PROBLEMS[problem].replaceAll("'", '&#39;')) as string,
]
const me = async (browser: Browser) => (await (await browser.ask('/api/v1/auth/me')).json()) as object

const refusalsIn = ({ gateway: { db } }: Fixture) =>
  db.system(
    (sql) =>
      sql(z.object({ organization_id: z.string(), problem: z.string() }))`
        select organization_id, detail->>'problem' as problem from records
         where kind = 'sign_in' and outcome = 'refused' order by at`,
  )

describe('a SAML provider', () => {
  test('signs in its people by a form, and shows what to enter there', async () => {
    await using all = await fixture()
    const endsAt = Date.UTC(2031, 0, 2, 3, 4, 5)
    const [peer, next] = [createSamlProvider(), createSamlProvider(undefined, endsAt)]
    const mappings = [{ group: 'admins', role: 'tenant_admin' }]
    const acme = await addProvider(all, 'acme', settings(peer, { certificates: [next.cert, peer.cert], mappings }))
    expect(acme.certificate_expires_at < new Date(endsAt).toISOString()).toBe(true)
    const { acs_url: acs, entity_id: entityId, metadata_url: metadataUrl } = acme.service_provider
    const browser = createBrowser(all.gateway.address)
    const metadata = await browser.ask(new URL(metadataUrl).pathname)
    expect([metadata.headers.get('content-type'), await metadata.text()]).toEqual([
      'application/samlmetadata+xml',
      expect.stringMatching(new RegExp(`entityID="${entityId}"[^]*WantAssertionsSigned="true"[^]*Location="${acs}"`)),
    ])

    const request = await start(browser, acme.path)
    expect([request.issuer, request.address]).toEqual([entityId, acs])
    const back = await post(browser, all.gateway.address, acme.path, peer.respond(request))
    expect(back.status).toBe(200)
    expect(await me(browser)).toMatchObject({
      user: { email: ADA.email, name: 'Ada' },
      organizations: [{ slug: 'acme', role: 'tenant_member' }],
    })
    // The certificate of the roll-over, a signed response around it, and a group.
    const second = await start(browser, acme.path)
    const whole = next.sign(next.respond(second, { groups: ['admins', 'staff'] }), { element: 'Response' })
    expect((await post(browser, all.gateway.address, acme.path, whole)).status).toBe(200)
    expect(await me(browser)).toMatchObject({ organizations: [{ role: 'tenant_admin' }] })
    const listed = await all.ask('GET /api/v1/admin/tenants/acme/identity-providers')
    expect(listed.body).toMatchObject({
      items: [{ last_problem: null, has_secret: false, settings: { kind: 'saml' } }],
    })
  })

  test('takes an address as proven only where its row or its attribute says so', async () => {
    await using all = await fixture()
    const peer = createSamlProvider()
    const acme = await addProvider(all, 'acme', settings(peer, { addresses: 'claim' }))
    const browser = createBrowser(all.gateway.address)
    const page = await post(browser, all.gateway.address, acme.path, peer.respond(await start(browser, acme.path)))
    expect(await problemOn(page)).toEqual([401, expect.stringContaining('your email address is verified')])
  })

  test('is tried without letting anybody in, also while it is disabled', async () => {
    await using all = await fixture()
    const peer = createSamlProvider()
    const acme = await addProvider(all, 'acme', settings(peer), { enabled: false })
    const { url } = z.object({ url: z.string() }).parse((await all.ask(`POST ${AT('acme')}/trial`)).body)
    const browser = createBrowser(all.gateway.address)
    const request = await start(browser, url.slice(PUBLIC.length))
    const page = await post(browser, all.gateway.address, acme.path, peer.respond(request))
    expect(await page.text()).toMatch(/name_id[^]*ada-1/)
    expect((await browser.ask('/api/v1/auth/me')).status).toBe(401)
  })
})

describe('a response is refused, with a record,', () => {
  const SHA1 = 'http://www.w3.org/2000/09/xmldsig#sha1'
  const COMMENTS = 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments'
  type Make = (peer: SamlPeer, request: AuthnRequest, other: SamlPeer) => string
  const CASES: readonly (readonly [string, SamlProblem, Make])[] = [
    ['that is not signed', 'unsigned', (peer, request) => peer.response(request, peer.assertion(request))],
    [
      'whose response alone is signed',
      'unsigned',
      (peer, request) => peer.sign(peer.response(request, peer.assertion(request)), { element: 'Response' }),
    ],
    [
      'another part of which is signed',
      'structure',
      (peer, request) => {
        const signed = peer.respond(request)
        const signature = /<ds:Signature.*<\/ds:Signature>/s.exec(signed)?.[0] ?? ''
        return signed.replace(signature, '').replace('</saml:AuthnContext>', `</saml:AuthnContext>${signature}`)
      },
    ],
    ['signed by another provider', 'signature', (_, request, other) => other.respond(request)],
    ['changed after it was signed', 'signature', (peer, request) => peer.respond(request).replace('ada-1', 'bob-1')],
    ['signed with SHA-1', 'algorithm', (peer, request) => peer.respond(request, {}, { algorithm: RSA_SHA1 })],
    ['with a digest of SHA-1', 'algorithm', (peer, request) => peer.respond(request, {}, { digest: SHA1 })],
    [
      'signed with its comments',
      'algorithm',
      (peer, request) => peer.respond(request, {}, { canonicalization: COMMENTS }),
    ],
    [
      'with a comment in the name',
      'markup',
      (peer, request) => peer.respond(request, { nameId: 'admin@acme.example<!---->.evil.example' }),
    ],
    [
      'with an external entity',
      'markup',
      (peer, request) =>
        `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${peer.respond(request).replace('ada-1', '&x;')}`,
    ],
    [
      'with an entity bomb',
      'markup',
      (peer, request) =>
        `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>${peer.respond(request).replace('ada-1', '&b;')}`,
    ],
    ['with an undeclared entity', 'malformed', (peer, request) => peer.respond(request).replace('ada-1', '&x;')],
    ['that is no XML', 'malformed', () => 'hello'],
    [
      'nested without end',
      'malformed',
      (peer, request) => peer.response(request, `${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}`),
    ],
    [
      'with attributes without end',
      'malformed',
      (peer, request) =>
        peer.response(request, `<a ${Array.from({ length: 9_000 }, (_, at) => `b${at}=">"`).join(' ')}/>`),
    ],
    [
      'for another audience',
      'audience',
      (peer, request) => peer.respond(request, { audience: 'https://other.example' }),
    ],
    [
      'for another recipient',
      'address',
      (peer, request) => peer.respond(request, { recipient: 'https://other.example/acs' }),
    ],
    [
      'for another destination',
      'address',
      (peer, request) => peer.respond(request, { destination: 'https://other.example/acs' }),
    ],
    ['of another issuer', 'issuer', (peer, request) => peer.respond(request, { issuer: 'https://other.example' })],
    ['that is too old', 'time', (peer, request) => peer.respond(request, { ahead: -20 * 60_000 })],
    ['of the future', 'time', (peer, request) => peer.respond(request, { ahead: 20 * 60_000 })],
    ['to no request', 'unasked', (peer, request) => peer.respond(request, { inResponseTo: null })],
    ['to another request', 'attempt', (peer, request) => peer.respond(request, { inResponseTo: '_other' })],
    [
      'whose assertion is to another request',
      'attempt',
      (peer, request) => peer.respond(request, { confirmedRequest: '_other' }),
    ],
    ['of a failure', 'status', (peer, request) => peer.respond(request, { status: 'Responder' })],
    ['about nobody', 'subject', (peer, request) => peer.respond(request, { nameId: '' })],
    [
      'about somebody for a moment',
      'subject',
      (peer, request) => peer.respond(request, { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }),
    ],
    [
      'with an encrypted assertion',
      'encrypted',
      (peer, request) =>
        peer.response(
          request,
          '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"></saml:EncryptedAssertion>',
        ),
    ],
  ]
  const wrapped = Array.from(
    { length: 8 },
    (_, form) =>
      [
        `of the form ${form + 1} of signature wrapping`,
        'structure',
        (peer: SamlPeer, request: AuthnRequest) => wrappings(peer, request)[form] ?? '',
      ] as const,
  )

  test('C-ID-10: in each form of an attack', async () => {
    await using all = await fixture()
    const [peer, other] = [createSamlProvider(), createSamlProvider()]
    const acme = await addProvider(all, 'acme', settings(peer))
    await addProvider(all, 'globex', settings(other))
    for (const [name, problem, make] of [...CASES, ...wrapped]) {
      const browser = createBrowser(all.gateway.address)
      const document = make(peer, await start(browser, acme.path), other)
      const began = performance.now()
      const page = await post(browser, all.gateway.address, acme.path, document)
      expect(performance.now() - began, name).toBeLessThan(3_000)
      const [status, text] = await problemOn(page)
      if (problem === 'structure' && name.includes('wrapping'))
        expect([status, text], name).toEqual([401, expect.stringMatching(/more than one assertion|is not signed/)])
      else expect([status, text], name).toEqual(refusal(problem))
      expect((await browser.ask('/api/v1/auth/me')).status, name).toBe(401)
    }
    const records = await refusalsIn(all)
    expect(records).toHaveLength(CASES.length + wrapped.length)
    expect(new Set(records.map(({ organization_id: id }) => id)).size).toBe(1)
    const listed = await all.ask('GET /api/v1/admin/tenants/acme/identity-providers')
    expect(listed.body).toMatchObject({ items: [{ last_problem: expect.any(String) as string }] })
  })

  test('in another browser, a second time, and at the address of another organization', async () => {
    await using all = await fixture()
    const { address } = all.gateway
    const [peer, other] = [createSamlProvider(), createSamlProvider()]
    const [acme, globex] = [
      await addProvider(all, 'acme', settings(peer)),
      await addProvider(all, 'globex', settings(other)),
    ]
    const [browser, stranger] = [createBrowser(address), createBrowser(address)]
    const foreign = [401, expect.stringContaining('was not started in this browser') as string]
    const request = await start(browser, acme.path)
    const document = peer.respond(request, { assertionId: '_once' })
    expect(await problemOn(await post(stranger, address, acme.path, document))).toEqual(foreign)
    await start(stranger, acme.path)
    expect(await problemOn(await post(stranger, address, acme.path, document))).toEqual(refusal('attempt'))
    // Begun at the provider, in a browser that has begun nothing here.
    const own = peer.respond(request, { inResponseTo: null })
    const fresh = createBrowser(address)
    expect(await problemOn(await post(fresh, address, acme.path, own))).toEqual(refusal('unasked'))
    // The provider of acme, and its response, at globex.
    await start(stranger, globex.path)
    expect(await problemOn(await post(stranger, address, globex.path, document))).toEqual(refusal('attempt'))
    const there = await start(stranger, globex.path)
    expect(await problemOn(await post(stranger, address, globex.path, peer.respond(there)))).toEqual(
      refusal('signature'),
    )
    const cookies = [...browser.jar]
    const restore = () => cookies.forEach(([name, cookie]) => browser.jar.set(name, cookie))
    expect((await post(browser, address, acme.path, document)).status).toBe(200)
    restore()
    expect(await problemOn(await post(browser, address, acme.path, document))).toEqual(refusal('used'))
    // An assertion comes once, whatever the attempt.
    const next = await start(stranger, acme.path)
    expect(
      await problemOn(await post(stranger, address, acme.path, peer.respond(next, { assertionId: '_once' }))),
    ).toEqual(refusal('used'))
    expect((await refusalsIn(all)).length).toBeGreaterThanOrEqual(5)
    expect((await stranger.ask('/api/v1/auth/me')).status).toBe(401)
    // As an address, and too long.
    expect(await problemOn(await stranger.ask(`${acme.path}/callback?SAMLResponse=AAAA`))).toEqual(foreign)
    const long = await stranger.submit(`${acme.path}/callback`, { SAMLResponse: 'A'.repeat(300_000) })
    expect(long.status).toBe(413)
  })
})

describe('the settings of a SAML provider', () => {
  test('come from metadata, and are refused where they cannot work', async () => {
    await using all = await fixture()
    const peer = createSamlProvider()
    const put = async (content: object, more: object = {}) =>
      all.ask(`PUT ${AT('acme')}`, { title: 'ID', settings: content, ...more })
    const base64 = peer.cert.replaceAll(/-----[A-Z ]+-----|\s/g, '')
    const metadata = (content: string) =>
      `<?xml version="1.0"?><!-- of a provider --><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://id.example.com/saml"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${content}</md:IDPSSODescriptor></md:EntityDescriptor>`
    const key = `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>\n${base64}\n</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
    const service = `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://id.example.com/sso"/>`
    const read = await put({ kind: 'saml_metadata', metadata: metadata(key + key + service), session_hours: 4 })
    expect(read.body).toMatchObject({
      settings: {
        kind: 'saml',
        ...{ entity_id: 'https://id.example.com/saml', sso_url: 'https://id.example.com/sso', session_hours: 4 },
        certificates: [peer.cert.trim()],
      },
    })
    const bad: readonly (readonly [number, RegExp, object, object?])[] = [
      [422, /no signing certificate/, { kind: 'saml_metadata', metadata: metadata(service) }],
      [422, /no sign-in address/, { kind: 'saml_metadata', metadata: metadata(key) }],
      [422, /no identity provider/, { kind: 'saml_metadata', metadata: '<a/>' }],
      [422, /document type/, { kind: 'saml_metadata', metadata: `<!DOCTYPE a [<!ENTITY b "c">]>${metadata(key)}` }],
      [422, /RSA key/, settings(peer, { certificates: [selfSigned().cert] })],
      [422, /RSA key/, settings(peer, { certificates: [selfSigned([], { rsa: 1024 }).cert] })],
      [422, /PEM form/, settings(peer, { certificates: ['hello'] })],
      [422, /certificates/, settings(peer, { certificates: [] })],
      [422, /SAML provider has none/, settings(peer), { client_secret: 'a secret' }],
      [400, /https/, settings(peer, { sso_url: 'http://id.example.com/sso' })],
    ]
    for (const [status, text, content, more] of bad) {
      const answer = await put(content, more)
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)])
    }
  })
})

// Built by nobody whose tests leave this file out.
const go = IS_SHORT ? { lacking: 'it is for the long form' } : buildSamlProviderOfGo()
if ('lacking' in go && !IS_SHORT) console.warn(`The SAML provider of crewjam/saml is not tested: ${go.lacking}.`)

test.skipIf('lacking' in go)(
  'C-ID-09: the provider of crewjam/saml signs in its people, entered by metadata on both sides',
  async () => {
    if ('lacking' in go) throw new Error(go.lacking)
    await using peer = await startSamlProviderOfGo(go.program)
    await using all = await fixture()
    const content = {
      ...{ kind: 'saml_metadata', metadata: await peer.metadata(), addresses: 'provider', newcomers: 'refuse' },
      attributes: { name: ['cn'], groups: ['eduPersonAffiliation'] },
      mappings: [{ group: 'staff', role: 'tenant_viewer' }],
    }
    const acme = await addProvider(all, 'acme', content, { private: true })
    const browser = createBrowser(all.gateway.address)
    await peer.enter(await (await browser.ask(`${acme.path}/metadata`)).text())
    await peer.is({
      NameID: 'ada-7',
      NameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      UserEmail: ADA.email,
      UserCommonName: 'Ada & Co',
      Groups: ['staff', 'other'],
    })
    const there = await fetch((await browser.ask(acme.path)).headers.get('location') ?? '')
    const page = await there.text()
    const value = /name="SAMLResponse" value="([^"]+)"/
      .exec(page)?.[1]
      ?.replaceAll('&#43;', '+')
      .replaceAll('&#61;', '=')
    const document = Buffer.from(value ?? '', 'base64').toString()
    const back = await post(browser, all.gateway.address, acme.path, document)
    expect(await problemOn(back)).toEqual([200, undefined])
    expect(await me(browser)).toMatchObject({
      user: { email: ADA.email, name: 'Ada & Co' },
      organizations: [{ slug: 'acme', role: 'tenant_viewer' }],
    })
  },
)
