/** Plays every row of `oauth-answers.test.fixture.ts` against the real code, by one server that answers what the row says. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Authority, Fault } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ClientIdentity, Tokens } from '../ports.ts'
import { adapterOf } from '../vendors/provider-adapters.ts'
import { ANSWER_ROWS, type AnswerRow, type PlayedAnswer, type Subject } from './oauth-answers.test.fixture.ts'
import { createOutgoingOAuth } from './outgoing-oauth.ts'
import type { ReadAnswer } from './word-failure.ts'

const NOW = Date.UTC(2026, 10, 20)
const SUBJECTS: readonly Subject[] = ['resource', 'server', 'registration', 'code', 'refresh', 'revocation']
const egress = { alias: 'notes', privateOrigins: 'any' as const }
const client: ClientIdentity = {
  ...{ clientId: 'c', secret: 'the-client-secret', method: 'client_secret_basic', appId: undefined },
}
const GOOD: Readonly<Record<Subject, object>> = {
  resource: { resource: '{origin}/mcp', authorization_servers: ['{origin}'] },
  server: {
    issuer: '{origin}',
    authorization_endpoint: '{origin}/authorize',
    token_endpoint: '{origin}/token',
    registration_endpoint: '{origin}/register',
    revocation_endpoint: '{origin}/revoke',
    code_challenge_methods_supported: ['S256'],
  },
  registration: { client_id: 'new' },
  code: { access_token: 'at', token_type: 'Bearer', expires_in: 3600, refresh_token: 'rt' },
  refresh: { access_token: 'at', token_type: 'Bearer', expires_in: 3600, refresh_token: 'rt' },
  revocation: {},
}
const PATHS: Readonly<Record<Subject, string>> = {
  resource: '/.well-known/oauth-protected-resource/mcp',
  server: '/.well-known/oauth-authorization-server',
  registration: '/register',
  code: '/token',
  refresh: '/token',
  revocation: '/revoke',
}

let origin = ''
let answers: Record<string, PlayedAnswer[]> = {}
let requests: string[] = []
let repairs: ReadAnswer[] = []
const oauth = createOutgoingOAuth({
  now: () => NOW,
  adapter: adapterOf,
  onRead: (answer) => answer.repaired.length > 0 && repairs.push(answer),
})
/** In identity tokens, too, whose parts are encoded. */
const filled = (text: string) =>
  text
    .replaceAll('{origin}', origin)
    .replace(/(?<="id_token":"[\w-]+\.)[\w-]{40,}/, (part) =>
      Buffer.from(Buffer.from(part, 'base64url').toString('utf8').replaceAll('{origin}', origin)).toString('base64url'),
    )

const server = createServer((request, response) => {
  void bodyOf(request).then((body) => {
    if (request.method === 'POST') requests.push(body)
    const left = answers[request.url ?? ''] ?? [{ status: 404, text: '' }]
    const {
      status = 200,
      type = 'application/json',
      headers = {},
      text = '',
    } = (left.length > 1 ? left.shift() : left[0]) ?? {}
    response.writeHead(status, { ...(type === '' ? {} : { 'content-type': type }), ...headers }).end(filled(text))
  })
})
/** Of a request: JSON or a form. */
const membersOf = (body: string): Record<string, unknown> =>
  body.startsWith('{') ? (JSON.parse(body) as Record<string, unknown>) : Object.fromEntries(new URLSearchParams(body))

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function played(of: Subject, { members, body, text, ...answer }: PlayedAnswer): PlayedAnswer {
  const whole = body === undefined ? { ...GOOD[of], ...members } : body
  return { ...answer, text: text ?? JSON.stringify(whole) }
}

const authority = (): Authority => ({
  provider: 'mcp',
  issuer: origin,
  authorizationEndpoint: `${origin}/authorize`,
  tokenEndpoint: `${origin}/token`,
  registrationEndpoint: `${origin}/register`,
  revocationEndpoint: `${origin}/revoke`,
  issInResponse: false,
  clientDocuments: false,
  tokenAuthMethods: [],
})

const SECRET = 'the-secret-credential'
/** What each subject is asked by, and what of its answer a row can speak of. */
const ASK: Readonly<Record<Subject, () => Promise<object>>> = {
  resource: () => oauth.discover({ url: `${origin}/mcp`, challenge: undefined, egress }),
  server: () => oauth.discover({ url: `${origin}/mcp`, challenge: undefined, egress }),
  registration: () =>
    oauth.register(
      authority(),
      { redirectUris: ['https://g.example/cb'], name: 'Toolway', scopes: ['a', 'b'] },
      egress,
    ),
  async code() {
    const answer = new URLSearchParams({ code: SECRET, state: 's' })
    const at = { authority: authority(), client, redirectUri: 'https://g.example/cb', verifier: 'v'.repeat(43), answer }
    return shown(await oauth.exchange(at, egress))
  },
  refresh: async () =>
    shown(await oauth.refresh({ authority: authority(), client, refreshToken: SECRET, scopes: [] }, egress)),
  async revocation() {
    await oauth.revoke({ authority: authority(), client, token: SECRET, hint: 'refresh_token' }, egress)
    return {}
  },
}
/** Seconds and the account's id in place of what holds them. */
const shown = ({ expiresAt, account, ...tokens }: Tokens) => ({
  ...tokens,
  expiresAt: expiresAt === undefined ? undefined : (expiresAt.getTime() - NOW) / 1000,
  account: account.id,
})

async function play(row: AnswerRow): Promise<unknown> {
  const plain = (of: Subject) => [played(of, {})]
  answers = { [PATHS.resource]: plain('resource'), [PATHS.server]: plain('server') }
  answers[PATHS[row.of]] = [row, ...(row.then ?? [])].map((answer) => played(row.of, answer))
  requests = []
  repairs = []
  return ASK[row.of]().catch((thrown: unknown) => thrown)
}

describe.each(SUBJECTS)('an answer of the kind %s', (subject) => {
  test.each(ANSWER_ROWS.filter(({ of }) => of === subject).map((row) => [row.title, row] as const))(
    '%s: gets its verdict',
    async (_, row) => {
      const found = await play(row)
      const { gives, refused, sent } = row
      if (refused !== undefined) {
        const [code, problem] = refused
        expect(found, row.why).toMatchObject({
          code,
          facts: { connection: 'notes', problem: expect.stringMatching(problem) },
        })
        const { message } = found as Fault
        for (const secret of [SECRET, 'the-client-secret']) expect(message).not.toContain(secret)
      } else {
        expect(found, row.why).not.toBeInstanceOf(Error)
        for (const [name, value] of Object.entries(gives ?? {}))
          expect((found as Record<string, unknown>)[name], `${name}: ${row.why}`).toEqual(
            typeof value === 'string' ? filled(value) : value,
          )
      }
      const members = requests.map(membersOf)
      if (sent !== undefined) {
        expect(members.length).toBe(sent.length)
        for (const [at, words] of sent.entries())
          for (const [name, value] of Object.entries(words)) expect(members[at]?.[name], name).toEqual(value)
      }
    },
  )
})

test('every kind of answer has both verdicts, each row says why, and no title is there twice', () => {
  expect(ANSWER_ROWS.length).toBeGreaterThanOrEqual(150)
  for (const { gives, refused, why } of ANSWER_ROWS) {
    expect((gives === undefined) !== (refused === undefined)).toBe(true)
    expect(why.length).toBeGreaterThan(5)
  }
  for (const subject of SUBJECTS) {
    const rows = ANSWER_ROWS.filter(({ of }) => of === subject)
    expect(new Set(rows.map(({ refused }) => refused === undefined)).size, subject).toBe(2)
    expect(new Set(rows.map(({ title }) => title)).size, subject).toBe(rows.length)
  }
})

test('what is repaired is noted with its document and its member, and never with a value', async () => {
  const rowOf = (of: Subject, title: string) => ANSWER_ROWS.find((row) => row.of === of && row.title === title)
  const notes = async (of: Subject, title: string) => {
    const row = rowOf(of, title)
    if (row === undefined) throw new Error(`there is no row ${title}`)
    await play(row)
    return repairs.map(({ document, repaired }) => `${document}: ${repaired.join('; ')}`)
  }
  expect(await notes('refresh', 'token_type missing')).toEqual([
    `token response of ${origin}/token: token_type is missing, so it is Bearer`,
  ])
  expect(await notes('resource', 'scopes_supported by comma')).toEqual([
    `protected-resource metadata of ${origin}${PATHS.resource}: scopes_supported is no list of texts`,
  ])
  expect(await notes('registration', 'refused application_type')).toEqual([
    expect.stringMatching(/registration response of .*: a registration with application_type and scope was refused/),
  ])
  expect(await notes('refresh', 'as the RFC has it')).toEqual([])
  expect(await notes('refresh', 'refresh_token null')).toEqual([])
})
