/** The gateway's own pages in the language that a browser prefers: German or English. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { createBrowser, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { LINK } from '../peers/approval-story.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { createRawClient } from '../peers/oauth-gateway.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { join } from '../peers/people/people.ts'
import { startEffects } from '../peers/servers/effects-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'

const GERMAN = 'de-CH,de;q=0.9,en;q=0.5'
const ADA = 'ada@example.com'
const HOSTILE = '<script>alert(1)</script> {email} <b>'
const ESCAPED = '&lt;script&gt;alert(1)&lt;/script&gt; {email} &lt;b&gt;'

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let signedIn: ReturnType<typeof createBrowser>
/** Addresses of pages. */
let paths: Readonly<Record<'connect' | 'approval', string>>
beforeAll(async () => {
  const effects = parts.use(await startEffects())
  const auth = { kind: 'key', owners: ['member'], header: 'x-api-key', prefix: '' } as never
  gateway = parts.use(
    await startTestGateway({
      connections: [
        { alias: 'work', wire: httpWire(effects.url), trusted: true },
        { alias: 'locked', title: 'Locked {email} <b>', wire: { ...httpWire(effects.url), auth } },
      ],
    }),
  )
  await gateway.settled('work')
  const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const person = await join(ADA, { ...gateway, roles: [[gateway.organization.id, 'tenant_admin']] })
  const link = await person.client('POST /api/v1/admin/tenants/default/connectors/locked/link', {})
  const rule = { name: 'ask', action: 'approve', reason: 'First look', match: { effects: ['write'] }, parameters: {} }
  await platform('POST /api/v1/organizations/default/rules', rule)
  const { text } = await callTool(
    { url: gateway.connectionUrl('work'), key: gateway.key, era: 'modern' },
    'write_note',
    { text: '<i>' },
  )
  paths = {
    connect: new URL(link.body.url).pathname,
    approval: `/approvals/${LINK.exec(text)?.[1]}`,
  }
  signedIn = createBrowser(gateway.address)
  await signedIn.submit('/sign-in', { email: ADA, password: PASSWORD })
})
afterAll(() => parts.disposeAsync())

interface Shown {
  readonly status: number
  readonly html: string
}

/** A page, whose language its headers and its markup agree on. */
async function show(browser: typeof signedIn, path: string, language: string, expected: string): Promise<Shown> {
  return shown(await browser.ask(path, { headers: { 'accept-language': language } }), expected)
}

async function shown(response: Response, expected: string): Promise<Shown> {
  const html = await response.text()
  expect(html).toContain(`<html lang="${expected}">`)
  expect(response.headers.get('content-language')).toBe(expected)
  expect(response.headers.get('vary')).toBe('Accept-Language')
  return { status: response.status, html }
}

/** The address of the consent page of a client with a hostile name. */
async function consentOf(browser: typeof signedIn): Promise<string> {
  const client = createRawClient(gateway)
  await client.register({ client_name: HOSTILE })
  const { pathname, search } = client.authorization()
  const asked = await browser.ask(pathname + search)
  return asked.headers.get('location') ?? ''
}

describe.each([
  {
    language: GERMAN,
    lang: 'de',
    signIn: ['<h1>Anmelden</h1>', 'Passwort', 'Eingeladen oder Passwort vergessen? <a href="/sign-in/code">'],
    home: [`Sie sind als <strong>${ADA}</strong> angemeldet.`, 'Abmelden'],
    consent: [
      `Ein Programm namens <strong>${ESCAPED}</strong> möchte auf Ihre Tools zugreifen.`,
      `<h1>${ESCAPED} Zugriff erlauben?</h1>`,
      'Lesen und Schreiben',
      'Ablehnen',
    ],
    connect: ['<h1>Schlüssel für Locked {email} &lt;b&gt; eingeben</h1>', 'Testen und speichern', 'x-api-key'],
    approval: ['<h1>Diesen Aufruf freigeben?</h1>', 'Ablauf', 'Argumente', '<span lang="en">', '&lt;i&gt;'],
    missing: 'Seite nicht gefunden',
    wrong: 'E-Mail-Adresse oder Passwort ist falsch.',
    done: 'Grund: es dauerte länger als zehn Minuten.',
  },
  {
    language: 'fr',
    lang: 'en',
    signIn: ['<h1>Sign in</h1>', 'Password', 'Invited or forgot your password? <a href="/sign-in/code">'],
    home: [`You are signed in as <strong>${ADA}</strong>.`, 'Sign out'],
    consent: [
      `A program named <strong>${ESCAPED}</strong> requests access to your tools.`,
      `<h1>Allow ${ESCAPED}?</h1>`,
      'Read and write',
      'Deny',
    ],
    connect: ['<h1>Enter a key for Locked {email} &lt;b&gt;</h1>', 'Test and save', 'x-api-key'],
    approval: ['<h1>Approve this call?</h1>', 'Expiry', 'Arguments', '&lt;i&gt;'],
    missing: 'Page not found',
    wrong: 'Wrong email or password.',
    done: 'Reason: signing in took longer than ten minutes.',
  },
])('a browser that prefers $language', ({ language, lang, ...words }) => {
  const expectAll = ({ html }: Shown, wanted: readonly string[]) => {
    for (const one of wanted) expect(html).toContain(one)
    expect(html).not.toContain('<script')
  }

  test('signs in', async () => {
    const nobody = createBrowser(gateway.address)
    expectAll(await show(nobody, '/sign-in', language, lang), words.signIn)
    const fields = { email: ADA, password: 'something else' }
    const refused = await shown(await nobody.submit('/sign-in', fields, { 'accept-language': language }), lang)
    expect(refused.status).toBe(401)
    expect(refused.html).toContain(words.wrong)
    expectAll(await show(signedIn, '/sign-in', language, lang), words.home)
  })

  test('reads which program asks for access, whatever its name', async () => {
    expectAll(await show(signedIn, await consentOf(signedIn), language, lang), words.consent)
  })

  test('connects an account', async () => {
    expectAll(await show(signedIn, paths.connect, language, lang), words.connect)
    expectAll(await show(signedIn, '/connect/done?error=invalid_state&why=late', language, lang), [words.done])
  })

  test('reads which call waits for approval', async () => {
    expectAll(await show(signedIn, paths.approval, language, lang), words.approval)
  })

  test('is told that there is no such page', async () => {
    const headers = { 'accept-language': language, accept: 'text/html' }
    const page = await shown(await signedIn.ask('/nothing-here', { headers }), lang)
    expect([page.status, page.html.includes(words.missing)]).toEqual([404, true])
  })
})

test('words of the library that has no German are marked as English', async () => {
  const client = createRawClient(gateway)
  await client.register()
  const { pathname, search } = client.authorization({ code_challenge: undefined })
  const page = await show(signedIn, pathname + search, GERMAN, 'de')
  expect(page.status).toBe(400)
  expect(page.html).toMatch(/role="alert"><span lang="en">[^<]+<\/span>/)
  expect(page.html).toContain('Autorisierung fehlgeschlagen')
})
