/**
 * What OAuth servers answer, and what becomes of it: each row is one answer, as seen in bug reports or varied from them, with its verdict
 * and why. `oauth-answers.test.ts` plays every row against the real code.
 *
 * Tolerant where a member is optional or has one meaning only; strict where a guard would be weakened. Such rows say `Guard:`.
 */
import type { FaultCode } from '@toolway/contract'

export type Subject = 'resource' | 'server' | 'registration' | 'code' | 'refresh' | 'revocation'

/** `{origin}` stands for the origin of the server that plays it. */
export interface PlayedAnswer {
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Members that differ from a good answer; undefined leaves one out. */
  readonly members?: Readonly<Record<string, unknown>>
  /** The whole body, in place of a good answer. */
  readonly body?: unknown
  /** The same as text. */
  readonly text?: string
}

export interface AnswerRow extends PlayedAnswer {
  readonly of: Subject
  readonly title: string
  readonly why: string
  /** Taken: what is read, as far as the row is about it. */
  readonly gives?: Readonly<Record<string, unknown>>
  /** Refused: the code, and what the sentence says. */
  readonly refused?: readonly [FaultCode, RegExp]
  /** Members of each request that was sent to it, in order, as far as the row is about them. */
  readonly sent?: readonly Readonly<Record<string, unknown>>[]
  /** Answers to repeated requests; the first one is the row's own. */
  readonly then?: readonly PlayedAnswer[]
}

type Told = Partial<AnswerRow>
const taken =
  (of: Subject) =>
  (title: string, answer: Told, gives: Readonly<Record<string, unknown>>, why: string): AnswerRow => ({
    ...{ of, title, gives, why },
    ...answer,
  })
const refused =
  (of: Subject) =>
  (title: string, answer: Told, problem: RegExp, why: string, code: FaultCode = 'authority.malformed'): AnswerRow => ({
    ...{ of, title, why, refused: [code, problem] as const },
    ...answer,
  })
const as = (members: Readonly<Record<string, unknown>>): Told => ({ members })

const ABSENT = 'means absent, and the RFC calls it optional'
const UNUSABLE = 'it is optional and unusable, so it is left out; its neighbours stay'
const ONE_MEANING = 'it can mean one thing only'

/** An identity token whose claims are good but for these. */
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const SECOND = Math.floor(Date.now() / 1000)
export const identityToken = (claims: Readonly<Record<string, unknown>>, header: object = { alg: 'RS256' }): string =>
  `${part(header)}.${part({ iss: '{origin}', aud: 'c', sub: 'ada', iat: SECOND, exp: SECOND + 600, ...claims })}.c2ln`

// --- protected-resource metadata (RFC 9728) ------------------------------------------------------------------------------

const [takenR, refusedR] = [taken('resource'), refused('resource')]
const HERE = { issuer: '{origin}' }
const RESOURCE: AnswerRow[] = [
  takenR('as the RFC has it', {}, { ...HERE, resource: '{origin}/mcp' }, 'it is right'),
  takenR('scopes_supported null', as({ scopes_supported: null }), { ...HERE, scopes: undefined }, `null ${ABSENT}`),
  takenR('scopes_supported ""', as({ scopes_supported: '' }), { scopes: undefined }, `"" ${ABSENT}`),
  takenR('scopes_supported as text', as({ scopes_supported: 'a b' }), { scopes: ['a', 'b'] }, ONE_MEANING),
  takenR('scopes_supported by comma', as({ scopes_supported: 'a,b, c' }), { scopes: ['a', 'b', 'c'] }, ONE_MEANING),
  takenR(
    'scopes_supported as a list of one text of two',
    as({ scopes_supported: ['a b'] }),
    { scopes: ['a', 'b'] },
    'a scope has no blank',
  ),
  takenR(
    'scopes_supported with null and a number in it',
    as({ scopes_supported: ['a', null, 7] }),
    { scopes: ['a'] },
    'one bad item takes no other along',
  ),
  takenR('scopes_supported an object', as({ scopes_supported: { a: 1 } }), { scopes: undefined }, UNUSABLE),
  takenR('scopes_supported a number', as({ scopes_supported: 7 }), { scopes: undefined }, UNUSABLE),
  takenR('resource_name null', as({ resource_name: null }), HERE, `null ${ABSENT}`),
  takenR('resource_name a number', as({ resource_name: 7 }), HERE, UNUSABLE),
  takenR('unknown members of any kind', as({ x: null, y: [[]], jwks_uri: '' }), HERE, 'nobody reads them'),
  takenR('authorization_servers as text', as({ authorization_servers: '{origin}' }), HERE, ONE_MEANING),
  takenR(
    'authorization_servers with null in it',
    as({ authorization_servers: [null, '', '{origin}'] }),
    HERE,
    'one bad item takes no other along',
  ),
  takenR(
    'authorization_servers twice the same',
    as({ authorization_servers: ['{origin}', '{origin}'] }),
    HERE,
    'the first one is taken',
  ),
  takenR(
    'authorization_servers with a slash',
    as({ authorization_servers: ['{origin}/'] }),
    HERE,
    'an empty path and / are one address (RFC 3986, section 6.2.3)',
  ),
  takenR(
    'authorization_servers with blanks around',
    as({ authorization_servers: [' {origin} '] }),
    HERE,
    'no address begins or ends with a blank',
  ),
  takenR(
    'authorization_servers null',
    as({ authorization_servers: null }),
    HERE,
    'optional in RFC 9728: the server itself, where it has metadata',
  ),
  takenR('authorization_servers empty', as({ authorization_servers: [] }), HERE, 'as if it were absent'),
  takenR(
    'authorization_servers missing',
    as({ authorization_servers: undefined }),
    HERE,
    'as if there were no such document',
  ),
  takenR(
    'authorization_servers of objects',
    as({ authorization_servers: [{ issuer: '{origin}' }] }),
    HERE,
    'none is readable, as if it were absent',
  ),
  takenR(
    'resource with a slash',
    as({ resource: '{origin}/mcp/' }),
    { resource: '{origin}/mcp/' },
    'the same server; sent back to the letter',
  ),
  takenR('resource at the origin', as({ resource: '{origin}' }), { resource: '{origin}' }, 'the server lies under it'),
  takenR('as text/html', { type: 'text/html' }, HERE, 'files without an ending have any type'),
  takenR(
    'as application/octet-stream',
    { type: 'application/octet-stream' },
    HERE,
    'files without an ending have any type',
  ),
  takenR(
    'as application/json; charset=utf-8',
    { type: 'application/json; charset=UTF-8' },
    HERE,
    'a parameter changes nothing',
  ),
  takenR(
    'behind a byte order mark',
    { text: '\uFEFF{"resource":"{origin}/mcp","authorization_servers":["{origin}"]}' },
    HERE,
    'no part of JSON, and harmless',
  ),
  takenR(
    'a page with status 200',
    { type: 'text/html', text: '<h1>Welcome</h1>' },
    { ...HERE, resource: undefined },
    'sites answer every address: there is no such document',
  ),
  takenR(
    'an error with status 200',
    { body: { error: 'not_found' } },
    { ...HERE, resource: undefined },
    'an error is an error: there is no such document',
  ),
  takenR(
    'an empty object',
    { body: {} },
    { ...HERE, resource: undefined },
    'JSON of something else: there is no such document',
  ),
  takenR(
    'JSON null',
    { body: null },
    { ...HERE, resource: undefined },
    'JSON of something else: there is no such document',
  ),
  takenR('a list', { body: [] }, { ...HERE, resource: undefined }, 'JSON of something else: there is no such document'),
  takenR(
    'status 401',
    { status: 401 },
    { ...HERE, resource: undefined },
    'not published: as revision 2025-03-26 has it',
  ),
  refusedR(
    'resource null',
    as({ resource: null }),
    /protected-resource metadata of .*: resource /,
    'Guard: without it nobody knows for whom a token is asked',
  ),
  refusedR('resource a list', as({ resource: ['{origin}/mcp'] }), /: resource /, 'Guard: a token is for one audience'),
  refusedR('resource ""', as({ resource: '' }), /is for another server/, 'Guard: a token is for one audience'),
  refusedR(
    'resource of another host',
    as({ resource: 'https://other.example/mcp' }),
    /metadata of http.*resource is https:\/\/other\.example/,
    'Guard: a token for somebody else would be asked for',
  ),
  refusedR(
    'resource of a sibling',
    as({ resource: '{origin}/mc' }),
    /is for another server/,
    'Guard: another resource of the same host',
  ),
  refusedR(
    'resource in capitals of its path',
    as({ resource: '{origin}/MCP' }),
    /is for another server/,
    'Guard: paths are told apart by case',
  ),
  refusedR(
    'authorization_servers without TLS elsewhere',
    as({ authorization_servers: ['http://1.1.1.1'] }),
    /not protected by TLS/,
    'Guard: a secret would cross the open net',
  ),
  refusedR(
    'authorization_servers a script',
    as({ authorization_servers: ['javascript:alert(1)'] }),
    /is not a web address/,
    'Guard: no address of the web',
  ),
  refusedR(
    'authorization_servers of nobody',
    as({ authorization_servers: ['{origin}/nobody'] }),
    /that the protected-resource metadata of .* lists has no metadata: .*HTTP 404/,
    'nothing is assumed of a server that is named',
  ),
  refusedR(
    'status 500',
    { status: 500 },
    /metadata of .* responded with HTTP 500/,
    'it may be there in a moment',
    'authority.unreachable',
  ),
  refusedR('status 429', { status: 429 }, /HTTP 429/, 'it may be there in a moment', 'authority.unreachable'),
]

// --- authorization server metadata (RFC 8414) -----------------------------------------------------------------------------

const [takenS, refusedS] = [taken('server'), refused('server')]
const OPTIONAL_ENDPOINTS = ['registration_endpoint', 'revocation_endpoint'] as const
const KEYS = { registration_endpoint: 'registrationEndpoint', revocation_endpoint: 'revocationEndpoint' }
const SERVER: AnswerRow[] = [
  takenS(
    'as the RFC has it',
    {},
    { registrationEndpoint: '{origin}/register', revocationEndpoint: '{origin}/revoke' },
    'it is right',
  ),
  ...OPTIONAL_ENDPOINTS.flatMap((name) => [
    takenS(`${name} null`, as({ [name]: null }), { [KEYS[name]]: undefined }, `null ${ABSENT}`),
    takenS(`${name} ""`, as({ [name]: '' }), { [KEYS[name]]: undefined }, `"" ${ABSENT}`),
    takenS(`${name} false`, as({ [name]: false }), { [KEYS[name]]: undefined }, UNUSABLE),
    takenS(`${name} an object`, as({ [name]: { url: '{origin}/x' } }), { [KEYS[name]]: undefined }, UNUSABLE),
    takenS(`${name} without a host`, as({ [name]: '/register' }), { [KEYS[name]]: undefined }, UNUSABLE),
    takenS(
      `${name} without TLS elsewhere`,
      as({ [name]: 'http://1.1.1.1/x' }),
      { [KEYS[name]]: undefined },
      'Guard: it is not used; the rest works without',
    ),
    takenS(
      `${name} a script`,
      as({ [name]: 'javascript:alert(1)' }),
      { [KEYS[name]]: undefined },
      'Guard: it is not used; the rest works without',
    ),
  ]),
  takenS('scopes_supported null', as({ scopes_supported: null }), { scopesSupported: undefined }, `null ${ABSENT}`),
  takenS(
    'scopes_supported as text',
    as({ scopes_supported: 'a offline_access' }),
    { scopesSupported: ['a', 'offline_access'] },
    ONE_MEANING,
  ),
  takenS(
    'scopes_supported by comma in a list',
    as({ scopes_supported: ['a,b'] }),
    { scopesSupported: ['a', 'b'] },
    ONE_MEANING,
  ),
  takenS(
    'scopes_supported with objects',
    as({ scopes_supported: [{ name: 'a' }, 'b'] }),
    { scopesSupported: ['b'] },
    'one bad item takes no other along',
  ),
  takenS(
    'methods null',
    as({ token_endpoint_auth_methods_supported: null }),
    { tokenAuthMethods: [] },
    `null ${ABSENT}: Basic (RFC 8414)`,
  ),
  takenS(
    'methods as text',
    as({ token_endpoint_auth_methods_supported: 'client_secret_post' }),
    { tokenAuthMethods: ['client_secret_post'] },
    ONE_MEANING,
  ),
  takenS(
    'methods with null in it',
    as({ token_endpoint_auth_methods_supported: [null, 'none'] }),
    { tokenAuthMethods: ['none'] },
    'one bad item takes no other along',
  ),
  takenS('methods a number', as({ token_endpoint_auth_methods_supported: 1 }), { tokenAuthMethods: [] }, UNUSABLE),
  takenS('PKCE methods as text', as({ code_challenge_methods_supported: 'S256' }), HERE, ONE_MEANING),
  takenS(
    'PKCE methods with plain and null',
    as({ code_challenge_methods_supported: [null, 'plain', 'S256'] }),
    HERE,
    'S256 is among them, and only S256 is used',
  ),
  takenS(
    'iss parameter "true"',
    as({ authorization_response_iss_parameter_supported: 'true' }),
    { issInResponse: true },
    `${ONE_MEANING}, and it is the stricter one`,
  ),
  takenS(
    'iss parameter null',
    as({ authorization_response_iss_parameter_supported: null }),
    { issInResponse: false },
    `null ${ABSENT}`,
  ),
  takenS(
    'iss parameter 1',
    as({ authorization_response_iss_parameter_supported: 1 }),
    { issInResponse: false },
    UNUSABLE,
  ),
  takenS(
    'client documents "TRUE"',
    as({ client_id_metadata_document_supported: 'TRUE' }),
    { clientDocuments: true },
    ONE_MEANING,
  ),
  takenS(
    'client documents null',
    as({ client_id_metadata_document_supported: null }),
    { clientDocuments: false },
    `null ${ABSENT}`,
  ),
  takenS(
    'client documents []',
    as({ client_id_metadata_document_supported: [] }),
    { clientDocuments: false },
    UNUSABLE,
  ),
  takenS(
    'issuer with a slash',
    as({ issuer: '{origin}/' }),
    { issuer: '{origin}/' },
    'an empty path and / are one address; its own spelling is kept, as its answers have it',
  ),
  takenS(
    'unknown members null',
    as({ jwks_uri: null, ui_locales_supported: null, response_types_supported: null }),
    HERE,
    'nobody reads them',
  ),
  takenS('as text/plain', { type: 'text/plain' }, HERE, 'files without an ending have any type'),
  takenS('without a type', { type: '' }, HERE, 'files without an ending have none'),
  refusedS(
    'issuer null',
    as({ issuer: null }),
    /server metadata of .*: issuer /,
    'Guard: nobody knows whose document it is',
  ),
  refusedS(
    'issuer missing',
    as({ issuer: undefined }),
    /has no metadata: .*JSON without issuer/,
    'Guard: nobody knows whose document it is',
  ),
  refusedS('issuer a list', as({ issuer: ['{origin}'] }), /: issuer /, 'Guard: one document has one issuer'),
  refusedS(
    'issuer of another host',
    as({ issuer: 'https://evil.example' }),
    /is for another issuer: https:\/\/evil\.example instead of http/,
    'Guard: its author would get the other’s codes',
  ),
  refusedS(
    'issuer with a path',
    as({ issuer: '{origin}/tenant' }),
    /for another issuer/,
    'Guard: tenants are told apart by paths',
  ),
  refusedS('issuer with two slashes', as({ issuer: '{origin}//' }), /for another issuer/, 'Guard: // is a path'),
  refusedS(
    'issuer with a query',
    as({ issuer: '{origin}/?a=b' }),
    /for another issuer/,
    'Guard: only the slash of an empty path may differ',
  ),
  refusedS(
    'issuer in capitals',
    as({ issuer: 'HTTP://127.0.0.1/' }),
    /for another issuer/,
    'Guard: compared as text but for that slash',
  ),
  refusedS(
    'issuer with a blank',
    as({ issuer: '{origin} ' }),
    /for another issuer/,
    'Guard: compared as text but for that slash',
  ),
  refusedS(
    'token_endpoint null',
    as({ token_endpoint: null }),
    /server metadata of .*: token_endpoint /,
    'nothing works without it',
  ),
  refusedS(
    'token_endpoint missing',
    as({ token_endpoint: undefined }),
    /: token_endpoint /,
    'nothing works without it',
  ),
  refusedS(
    'token_endpoint ""',
    as({ token_endpoint: '' }),
    /its token endpoint is not a web address/,
    'nothing works without it',
  ),
  refusedS(
    'token_endpoint without a host',
    as({ token_endpoint: '/token' }),
    /its token endpoint is not a web address/,
    'Guard: a secret goes there, so nothing is guessed',
  ),
  refusedS(
    'token_endpoint without TLS elsewhere',
    as({ token_endpoint: 'http://1.1.1.1/token' }),
    /not protected by TLS/,
    'Guard: a secret would cross the open net',
  ),
  refusedS(
    'token_endpoint with a user name',
    as({ token_endpoint: 'https://a:b@c.example/' }),
    /contains a user name/,
    'Guard: it hides where it leads',
  ),
  refusedS(
    'authorization_endpoint null',
    as({ authorization_endpoint: null }),
    /: authorization_endpoint /,
    'nothing works without it',
  ),
  refusedS(
    'authorization_endpoint a script',
    as({ authorization_endpoint: 'javascript:alert(1)' }),
    /authorization endpoint is not a web address/,
    'Guard: a browser is sent there',
  ),
  refusedS(
    'authorization_endpoint a file',
    as({ authorization_endpoint: 'file:///etc/passwd' }),
    /not a web address/,
    'Guard: a browser is sent there',
  ),
  refusedS(
    'PKCE methods missing',
    as({ code_challenge_methods_supported: undefined }),
    /server metadata of .* does not declare support for PKCE with S256/,
    'Guard: MCP refuses such servers; a stolen code would be enough',
  ),
  refusedS(
    'PKCE methods null',
    as({ code_challenge_methods_supported: null }),
    /PKCE with S256/,
    'Guard: null is absent, and absent is refused',
  ),
  refusedS(
    'PKCE methods plain',
    as({ code_challenge_methods_supported: ['plain'] }),
    /PKCE with S256/,
    'Guard: plain protects nothing',
  ),
  refusedS(
    'PKCE methods s256',
    as({ code_challenge_methods_supported: ['s256'] }),
    /PKCE with S256/,
    'Guard: method names are told apart by case (RFC 7636)',
  ),
  refusedS(
    'a page',
    { type: 'text/html', text: '<h1>' },
    /has no metadata: .*HTML instead of JSON/,
    'nothing is assumed of a server that is named',
  ),
  refusedS(
    'an error with status 200',
    { body: { error: 'server_error', error_description: 'down' } },
    /the error server_error \(“down”\)/,
    'an error is an error',
  ),
  refusedS(
    'status 503',
    { status: 503 },
    /server metadata of .* responded with HTTP 503/,
    'it may be there in a moment',
    'authority.unreachable',
  ),
]

// --- registration (RFC 7591) ----------------------------------------------------------------------------------------------

const [takenC, refusedC] = [taken('registration'), refused('registration')]
const NO_SECRET = { clientId: 'new', secret: undefined, method: 'none' }
const SECRET = { clientId: 'new', secret: 'a-secret', method: 'client_secret_basic', secretExpiresAt: undefined }
const withSecret = (members: Readonly<Record<string, unknown>>): Told => as({ client_secret: 'a-secret', ...members })
const says = (error: string, description?: string, status = 400): PlayedAnswer => ({
  status,
  body: { error, ...(description === undefined ? {} : { error_description: description }) },
})
const NEW: PlayedAnswer = { status: 201, body: { client_id: 'new' } }
const ALL = { application_type: 'web', scope: 'a b', token_endpoint_auth_method: 'client_secret_basic' }
const FEWER = { application_type: undefined, scope: undefined, token_endpoint_auth_method: 'client_secret_basic' }
const OPEN = { ...FEWER, token_endpoint_auth_method: 'none' }
const REGISTRATION: AnswerRow[] = [
  takenC('without a secret', {}, NO_SECRET, 'it is right'),
  takenC('with a secret', withSecret({ client_secret_expires_at: 0 }), SECRET, 'it is right'),
  takenC('with status 200', { status: 200 }, NO_SECRET, 'the RFC says 201, and nothing depends on it'),
  takenC('with status 202', { status: 202 }, NO_SECRET, 'the client is there'),
  takenC('as text/plain', { type: 'text/plain' }, NO_SECRET, 'it is JSON all the same'),
  takenC('client_secret null', as({ client_secret: null }), NO_SECRET, `null ${ABSENT}`),
  takenC('client_secret ""', as({ client_secret: '' }), NO_SECRET, `"" ${ABSENT}`),
  takenC(
    'client_secret null for a method with one',
    as({ client_secret: null, token_endpoint_auth_method: 'client_secret_basic' }),
    NO_SECRET,
    'who has no secret proves nothing with it',
  ),
  takenC('client_secret a number', as({ client_secret: 7 }), NO_SECRET, UNUSABLE),
  takenC(
    'client_id a number',
    as({ client_id: 4711 }),
    { ...NO_SECRET, clientId: '4711' },
    'a few servers number their clients; such a number is exact',
  ),
  takenC(
    'client_secret_expires_at null',
    withSecret({ client_secret_expires_at: null }),
    SECRET,
    'null is no time: as long as it serves',
  ),
  takenC('client_secret_expires_at missing', withSecret({}), SECRET, 'required beside a secret, and often left out'),
  takenC('client_secret_expires_at "0"', withSecret({ client_secret_expires_at: '0' }), SECRET, ONE_MEANING),
  takenC(
    'client_secret_expires_at as text',
    withSecret({ client_secret_expires_at: '1800000000' }),
    { secretExpiresAt: new Date(1_800_000_000_000) },
    ONE_MEANING,
  ),
  takenC(
    'client_secret_expires_at with a fraction',
    withSecret({ client_secret_expires_at: 1800000000.5 }),
    { secretExpiresAt: new Date(1_800_000_000_500) },
    ONE_MEANING,
  ),
  takenC(
    'client_secret_expires_at -1',
    withSecret({ client_secret_expires_at: -1 }),
    SECRET,
    'no time of a calendar: as long as it serves',
  ),
  takenC(
    'client_secret_expires_at 1e20',
    withSecret({ client_secret_expires_at: 1e20 }),
    SECRET,
    'no time of a calendar: as long as it serves',
  ),
  takenC('client_secret_expires_at a date', withSecret({ client_secret_expires_at: '2030-01-01' }), SECRET, UNUSABLE),
  takenC('method null', withSecret({ token_endpoint_auth_method: null }), SECRET, `null ${ABSENT}: as asked for`),
  takenC(
    'method unknown',
    withSecret({ token_endpoint_auth_method: 'private_key_jwt' }),
    SECRET,
    'the secret that it gives is used as asked for',
  ),
  takenC(
    'method none with a secret',
    withSecret({ token_endpoint_auth_method: 'none' }),
    { method: 'client_secret_post' },
    'a secret that is given is used',
  ),
  takenC(
    'method post',
    withSecret({ token_endpoint_auth_method: 'client_secret_post' }),
    { method: 'client_secret_post' },
    'the server decides',
  ),
  takenC(
    'members null',
    as({ client_name: null, redirect_uris: null, scope: null, grant_types: null }),
    NO_SECRET,
    'nobody reads them',
  ),
  takenC('error null beside a client', as({ error: null }), NO_SECRET, 'says that there is no error'),
  takenC(
    'refused application_type',
    { ...says('invalid_client_metadata', 'unknown: application_type'), then: [NEW], sent: [ALL, FEWER] },
    NO_SECRET,
    'nobody was registered, so it is asked again with less',
  ),
  takenC(
    'refused by invalid_request',
    { ...says('invalid_request'), then: [NEW], sent: [ALL, FEWER] },
    NO_SECRET,
    'what some servers call the same',
  ),
  takenC(
    'refused by invalid_scope',
    { ...says('invalid_scope'), then: [NEW], sent: [ALL, FEWER] },
    NO_SECRET,
    'the server knows its scopes better',
  ),
  takenC(
    'refused by 422 without a code',
    { status: 422, body: { detail: 'no extra fields' }, then: [NEW], sent: [ALL, FEWER] },
    NO_SECRET,
    'validators of frameworks answer so',
  ),
  takenC(
    'refused with a secret',
    { ...says('invalid_client_metadata'), then: [says('invalid_client_metadata'), NEW], sent: [ALL, FEWER, OPEN] },
    NO_SECRET,
    'a client without a secret has PKCE',
  ),
  refusedC(
    'client_id missing',
    as({ client_id: undefined }),
    /registration response of .*: has no client_id/,
    'there is no client',
  ),
  refusedC('client_id null', as({ client_id: null }), /has no client_id/, 'there is no client'),
  refusedC('client_id ""', as({ client_id: '' }), /has no client_id/, 'there is no client'),
  refusedC(
    'client_id 2^60',
    { text: '{"client_id":1152921504606846977}' },
    /client_id is not a text/,
    'its digits would be lost: another client',
  ),
  refusedC(
    'client_id an object',
    as({ client_id: { id: 'new' } }),
    /client_id is not a text/,
    'not as any server has it',
  ),
  refusedC(
    'a client in a client',
    { body: { client: { client_id: 'new' } } },
    /has no client_id/,
    'not as any server has it',
  ),
  refusedC('a page', { type: 'text/html', text: '<p>' }, /is not a JSON object/, 'it is none'),
  refusedC('a list', { body: [{ client_id: 'new' }] }, /is not a JSON object/, 'it is none'),
  refusedC(
    'a redirect',
    { status: 302, headers: { location: 'https://elsewhere.example/' }, text: '' },
    /responded with HTTP 302/,
    'Guard: a registration is sent nowhere else',
  ),
  refusedC(
    'an error with status 200',
    says('access_denied', 'closed', 200),
    /refused to register this gateway \(access_denied \(“closed”\)\)/,
    'an error is an error',
    'authority.refused',
  ),
  refusedC(
    'invalid_redirect_uri',
    { ...says('invalid_redirect_uri', 'https only'), sent: [ALL] },
    /invalid_redirect_uri \(“https only”\)/,
    'less would not mend it',
    'authority.refused',
  ),
  refusedC(
    'status 401',
    { status: 401, text: '', sent: [ALL] },
    /\(HTTP 401\)/,
    'it registers only whom it knows',
    'authority.refused',
  ),
  refusedC(
    'status 403 with words',
    { status: 403, body: { error: 'access_denied', message: 'by invitation' }, sent: [ALL] },
    /access_denied \(“by invitation”\)/,
    'its words say why',
    'authority.refused',
  ),
  refusedC(
    'everything refused',
    {
      ...says('invalid_client_metadata', 'first words'),
      then: [says('invalid_client_metadata', 'second'), says('invalid_client_metadata', 'third')],
      sent: [ALL, FEWER, OPEN],
    },
    /first words/,
    'twice again at most; the first complaint is about all of it',
    'authority.refused',
  ),
  refusedC('status 503', { status: 503, text: '' }, /HTTP 503/, 'it may work in a moment', 'authority.unreachable'),
]

// --- tokens (RFC 6749, section 5.1), for a code and for a refresh token ------------------------------------------------------

const GOOD = { access: 'at', refresh: 'rt', tokenType: 'Bearer' }
const tokenRows = (of: 'code' | 'refresh'): AnswerRow[] => {
  const [take, refuse] = [taken(of), refused(of)]
  return [
    take('as the RFC has it', {}, GOOD, 'it is right'),
    take(
      'token_type missing',
      as({ token_type: undefined }),
      GOOD,
      'required, and left out by Shopify, LinkedIn, Slack: Bearer is the only type that anybody has',
    ),
    take('token_type null', as({ token_type: null }), GOOD, 'as if it were missing'),
    take('token_type ""', as({ token_type: '' }), GOOD, 'as if it were missing'),
    take('token_type bearer', as({ token_type: 'bearer' }), GOOD, 'case does not matter (RFC 6749, section 5.1)'),
    take('token_type "Bearer "', as({ token_type: 'Bearer ' }), GOOD, ONE_MEANING),
    take('refresh_token null', as({ refresh_token: null }), { ...GOOD, refresh: undefined }, `null ${ABSENT}`),
    take('refresh_token ""', as({ refresh_token: '' }), { ...GOOD, refresh: undefined }, `"" ${ABSENT}`),
    take('refresh_token a number', as({ refresh_token: 7 }), { ...GOOD, refresh: undefined }, UNUSABLE),
    take('expires_in null', as({ expires_in: null }), { ...GOOD, expiresAt: undefined }, `null ${ABSENT}`),
    take('expires_in ""', as({ expires_in: '' }), { expiresAt: undefined }, `"" ${ABSENT}`),
    take('expires_in as text', as({ expires_in: '60' }), { expiresAt: 60 }, ONE_MEANING),
    take('expires_in "60.0"', as({ expires_in: '60.0' }), { expiresAt: 60 }, ONE_MEANING),
    take('expires_in with a fraction', as({ expires_in: 60.5 }), { expiresAt: 60.5 }, ONE_MEANING),
    take(
      'expires_in 0',
      as({ expires_in: 0 }),
      { expiresAt: undefined },
      'no token is made to be over at once: used until it is refused',
    ),
    take(
      'expires_in -1',
      as({ expires_in: -1 }),
      { expiresAt: undefined },
      'said for “never”: used until it is refused',
    ),
    take('expires_in "soon"', as({ expires_in: 'soon' }), { expiresAt: undefined }, UNUSABLE),
    take('expires_in a date', as({ expires_in: '2030-01-01T00:00:00Z' }), { expiresAt: undefined }, UNUSABLE),
    take('expires_in true', as({ expires_in: true }), { expiresAt: undefined }, UNUSABLE),
    take('expires_in an object', as({ expires_in: {} }), { expiresAt: undefined }, UNUSABLE),
    take('scope null', as({ scope: null }), { scopes: undefined }, `null ${ABSENT}: as asked for`),
    take('scope ""', as({ scope: '' }), { scopes: undefined }, `"" ${ABSENT}: as asked for`),
    take(
      'scope by comma',
      as({ scope: 'a,b' }),
      { scopes: ['a', 'b'] },
      'GitHub and Linear do so; no known scope has a comma',
    ),
    take('scope a list', as({ scope: ['a', 'b'] }), { scopes: ['a', 'b'] }, ONE_MEANING),
    take('scope with blanks around', as({ scope: ' a  b\n' }), { scopes: ['a', 'b'] }, ONE_MEANING),
    take('scope an object', as({ scope: {} }), { scopes: undefined }, UNUSABLE),
    take('scopes in place of scope', as({ scope: undefined, scopes: ['a'] }), { scopes: ['a'] }, 'as metadata call it'),
    take('error null beside a token', as({ error: null }), GOOD, 'says that there is no error'),
    take('error "" beside a token', as({ error: '' }), GOOD, 'says that there is no error'),
    take('id_token null', as({ id_token: null }), GOOD, `null ${ABSENT}`),
    take('id_token ""', as({ id_token: '' }), GOOD, `"" ${ABSENT}`),
    take('id_token an object', as({ id_token: { sub: 'ada' } }), { ...GOOD, account: undefined }, UNUSABLE),
    take('id_token that is none', as({ id_token: 'abc' }), { ...GOOD, account: undefined }, UNUSABLE),
    take(
      'id_token encrypted',
      as({ id_token: 'a.b.c.d.e' }),
      { ...GOOD, account: undefined },
      'only names the account: it stays without a name',
    ),
    take(
      'id_token without sub',
      as({ id_token: identityToken({ sub: undefined }) }),
      { ...GOOD, account: undefined },
      'only names the account: it stays without a name',
    ),
    take(
      'id_token without exp',
      as({ id_token: identityToken({ exp: undefined }) }),
      { ...GOOD, account: undefined },
      'only names the account: it stays without a name',
    ),
    take(
      'id_token unsigned',
      as({ id_token: identityToken({}, { alg: 'none' }) }),
      { ...GOOD, account: undefined },
      'Guard: not read; the token itself is good',
    ),
    take(
      'id_token by ES256',
      as({ id_token: identityToken({}, { alg: 'ES256' }) }),
      { ...GOOD, account: 'ada' },
      'TLS vouches for it, whatever signs it',
    ),
    take(
      'id_token by HS256',
      as({ id_token: identityToken({}, { alg: 'HS256' }) }),
      { ...GOOD, account: 'ada' },
      'TLS vouches for it, whatever signs it',
    ),
    take(
      'id_token of the issuer with a slash',
      as({ id_token: identityToken({ iss: '{origin}/' }) }),
      { ...GOOD, account: 'ada' },
      'an empty path and / are one address',
    ),
    take(
      'id_token with an empty nonce',
      as({ id_token: identityToken({ nonce: '' }) }),
      { ...GOOD, account: undefined },
      'only names the account: it stays without a name',
    ),
    take('as text/html', { type: 'text/html' }, GOOD, 'it is JSON all the same'),
    take(
      'as a form',
      { type: 'application/x-www-form-urlencoded', text: 'access_token=at&refresh_token=rt&scope=a%2Cb' },
      { ...GOOD, scopes: ['a', 'b'] },
      'servers of before RFC 6749 do so',
    ),
    take('with status 201', { status: 201 }, GOOD, 'the tokens are there'),
    take(
      'behind a byte order mark',
      { text: '\uFEFF{"access_token":"at","refresh_token":"rt"}' },
      GOOD,
      'no part of JSON, and harmless',
    ),
    refuse(
      'access_token missing',
      as({ access_token: undefined }),
      /token response of .*access_token/,
      'there is none',
    ),
    refuse('access_token null', as({ access_token: null }), /access_token/, 'there is none'),
    refuse('access_token ""', as({ access_token: '' }), /access_token/, 'there is none'),
    refuse('access_token a number', as({ access_token: 4711 }), /access_token/, 'its digits may be lost'),
    refuse(
      'access_token of two lines',
      as({ access_token: 'a\r\nx: 1' }),
      /not valid in a header/,
      'Guard: it would add a header',
    ),
    refuse(
      'access_token of 65 KB',
      as({ access_token: 'x'.repeat(65 * 1024 + 1) }),
      /too large/,
      'Guard: no server reads such a header',
    ),
    refuse(
      'tokens inside data',
      { body: { data: { access_token: 'at' } } },
      /access_token/,
      'not as any server of MCP has it',
    ),
    refuse(
      'token_type DPoP',
      as({ token_type: 'DPoP' }),
      /dpop instead of Bearer/,
      'Guard: it is bound to a key that we do not have',
    ),
    refuse(
      'token_type mac',
      as({ token_type: 'mac' }),
      /token_type/,
      'Guard: sent as Bearer it would be shown to whoever sees it',
    ),
    refuse('token_type a list', as({ token_type: ['Bearer'] }), /token_type/, 'Guard: nobody knows what it is'),
    refuse(
      'id_token for another client',
      as({ id_token: identityToken({ aud: 'somebody' }) }),
      /for another client/,
      'Guard: the whole answer may be meant for somebody else',
    ),
    refuse(
      'id_token of another issuer',
      as({ id_token: identityToken({ iss: 'https://evil.example' }) }),
      /for another client/,
      'Guard: the whole answer may be somebody else’s',
    ),
    refuse(
      'id_token of an issuer below',
      as({ id_token: identityToken({ iss: '{origin}/tenant' }) }),
      /for another client/,
      'Guard: tenants are told apart by paths',
    ),
    refuse(
      'id_token that is over',
      as({ id_token: identityToken({ exp: SECOND - 3_600 }) }),
      /check the clocks/,
      'Guard: an old answer played again',
    ),
    refuse(
      'an error with status 200',
      says('invalid_grant', 'Token has been revoked', 200),
      /^invalid_grant \(“Token has been revoked”\)$/,
      'the grant is dead, whatever the status',
      'authority.refused',
    ),
    refuse(
      'an error with status 200 beside a token',
      { status: 200, body: { error: 'invalid_grant', access_token: 'at' } },
      /^invalid_grant$/,
      'Guard: an error is an error',
      'authority.refused',
    ),
    refuse(
      'an error inside an object',
      { status: 400, body: { error: { code: 'invalid_grant', message: 'gone' } } },
      /^invalid_grant \(“gone”\)$/,
      'nested by some gateways',
      'authority.refused',
    ),
    refuse(
      'an error as a form',
      { status: 400, type: 'application/x-www-form-urlencoded', text: 'error=invalid_grant' },
      /^invalid_grant$/,
      'servers of before RFC 6749 do so',
      'authority.refused',
    ),
    refuse(
      'an error whose words repeat what was sent',
      says('invalid_grant', 'the-secret-credential is spent, and so is the-client-secret'),
      /^invalid_grant \(“••• is spent, and so is •••”\)$/,
      'Guard: nothing secret is shown',
      'authority.refused',
    ),
    refuse(
      'an error whose words have control characters',
      says('invalid_grant', 'a\u001b[31m\r\nb\u202Ec'),
      /^invalid_grant \(“a \[31m b c”\)$/,
      'Guard: no terminal and no line is changed by it',
      'authority.refused',
    ),
    refuse(
      'an error of 4 KB of words',
      says('invalid_grant', 'word '.repeat(800)),
      /^invalid_grant \(“[^”]{200}”\)$/,
      'bounded',
      'authority.refused',
    ),
    refuse(
      'an error whose code is a sentence',
      says('<b>no way</b>'),
      /^an error without a name$/,
      'Guard: no code of an OAuth error',
      'authority.refused',
    ),
    refuse(
      'invalid_client with a challenge',
      { ...says('invalid_client', 'who?', 401), headers: { 'www-authenticate': 'Basic realm="x"' } },
      /^invalid_client/,
      'its words count',
      'authority.refused',
    ),
    refuse(
      'status 400 without an error',
      { status: 400, body: { message: 'bad' } },
      /HTTP 400 without an OAuth error/,
      'a proxy may answer so: nothing is ended for it',
    ),
    refuse(
      'a redirect',
      { status: 302, headers: { location: 'https://elsewhere.example/' }, text: '' },
      /HTTP 302/,
      'Guard: a secret is sent nowhere else',
    ),
    refuse('a page', { type: 'text/html', text: '<h1>' }, /token response of .*is not JSON/, 'it is none'),
    refuse('a list', { body: [] }, /token response of /, 'it is none'),
    refuse(
      'a passing error with status 200',
      says('temporarily_unavailable', undefined, 200),
      /temporarily_unavailable/,
      'it may work in a moment',
      'authority.unreachable',
    ),
    refuse(
      'status 500 with an error',
      says('invalid_grant', 'x', 500),
      /HTTP 500/,
      'a server that is broken ends no account',
      'authority.unreachable',
    ),
    refuse('status 429', { status: 429, body: {} }, /HTTP 429/, 'it may work in a moment', 'authority.unreachable'),
  ]
}

// --- revocation (RFC 7009) --------------------------------------------------------------------------------------------------

const [takenV, refusedV] = [taken('revocation'), refused('revocation')]
const REVOCATION: AnswerRow[] = [
  takenV('as the RFC has it', { text: '' }, {}, 'it is right'),
  takenV('status 204', { status: 204, text: '' }, {}, 'the token is gone'),
  takenV('a page', { type: 'text/html', text: '<p>ok</p>' }, {}, 'the body does not matter (section 2.2)'),
  takenV('JSON null', { body: null }, {}, 'the body does not matter'),
  takenV('error null', { body: { error: null } }, {}, 'says that there is no error'),
  takenV('invalid_token', says('invalid_token'), {}, 'the server no longer knows it, which is what was asked for'),
  refusedV(
    'an error with status 200',
    says('unsupported_token_type', 'only refresh tokens', 200),
    /^unsupported_token_type \(“only refresh tokens”\)$/,
    'an error is an error',
    'authority.refused',
  ),
  refusedV(
    'invalid_client',
    says('invalid_client', 'who?', 401),
    /^invalid_client \(“who\?”\)$/,
    'its words say why',
    'authority.refused',
  ),
  refusedV(
    'words that repeat the token',
    says('unauthorized_client', 'no: the-secret-credential'),
    /“no: •••”/,
    'Guard: nothing secret is shown',
    'authority.refused',
  ),
  refusedV('status 404', { status: 404, text: '' }, /HTTP 404/, 'nobody is there to do it', 'authority.refused'),
  refusedV(
    'a redirect',
    { status: 302, headers: { location: 'https://elsewhere.example/' }, text: '' },
    /HTTP 302/,
    'Guard: a secret is sent nowhere else',
    'authority.refused',
  ),
  refusedV('status 503', { status: 503, text: '' }, /HTTP 503/, 'it may work in a moment', 'authority.unreachable'),
]

/** What the client proves itself with, in each request. */
const NAMED = { client_id: 'c' }
const PROOF: AnswerRow[] = [
  taken('code')(
    'the client is named in the form',
    { sent: [{ ...NAMED, client_secret: undefined }] },
    {},
    'beside Basic: servers on the Python SDK look there alone',
  ),
  taken('refresh')(
    'the client is named in the form',
    { sent: [{ ...NAMED, client_secret: undefined }] },
    {},
    'beside Basic: servers on the Python SDK look there alone',
  ),
  takenV(
    'the client is named in the form',
    { sent: [{ ...NAMED, client_secret: undefined }] },
    {},
    'beside Basic: servers on the Python SDK look there alone',
  ),
  takenV(
    'client_secret missed in the form',
    {
      ...says('invalid_request', 'client_secret: Field required'),
      then: [{ text: '' }],
      sent: [{ client_secret: undefined }, { ...NAMED, client_secret: '' }],
    },
    {},
    'servers on the Python SDK want the member there beside Basic; it is empty, and nothing was revoked before',
  ),
  refusedV(
    'invalid_request twice',
    { ...says('invalid_request', 'no'), then: [says('invalid_request', 'again no')], sent: [{}, {}] },
    /again no/,
    'once more at most',
    'authority.refused',
  ),
]

export const ANSWER_ROWS: readonly AnswerRow[] = [
  ...RESOURCE,
  ...SERVER,
  ...REGISTRATION,
  ...tokenRows('code'),
  ...tokenRows('refresh'),
  ...REVOCATION,
  ...PROOF,
]
