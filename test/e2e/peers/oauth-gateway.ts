/**
 * A gateway with a person who has an account, and OAuth by hand in front of it: for what no honest client would send.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Declared } from '../../../packages/gateway/src/features/declaration/index.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import { startEffects, type EffectsServer } from './servers/effects-server.ts'
import { createPerson, type Answers, type Journey, type Person } from './people/oauth-person.ts'
import { openGateway } from './open-gateway.ts'
import { until } from './until.ts'

export const EMAIL = 'ada@example.com'

export interface OAuthGateway extends AsyncDisposable {
  readonly gateway: TestGateway
  readonly effects: EffectsServer
  person(answers?: Partial<Answers>): Person
}

export interface OAuthGatewayOptions {
  readonly role?: 'tenant_admin' | 'tenant_member' | 'tenant_viewer'
  readonly settings?: Readonly<Record<string, string>>
  readonly others?: readonly Pick<Declared, 'slug' | 'name'>[]
  readonly platformAdmin?: boolean
}

/** One connection, `effects`, and a member; `others` are organizations of which she is a member, too. */
export async function openOAuthGateway({
  role = 'tenant_member',
  settings = {},
  others = [],
  platformAdmin = false,
}: OAuthGatewayOptions = {}): Promise<OAuthGateway> {
  const effects = await startEffects()
  const wire = { kind: 'http', url: effects.url, private: true, headers: {} } as const
  const gateway = await openGateway({
    connections: [{ alias: 'effects', wire }],
    settings,
    others: others.map((one) => ({ ...one, connections: [], toolsets: [], keys: [] })),
  })
  const more = await organizationsOf(gateway, others)
  await addPerson(gateway.db, {
    email: EMAIL,
    platformAdmin,
    roles: [[gateway.organization.id, role], ...more.map((id) => [id, 'tenant_member'] as const)],
  })
  await until('the gateway knows her', async () => {
    const person = createPerson(gateway.address, { email: EMAIL })
    await person.browser.submit('/sign-in', { email: EMAIL, password: 'correct horse battery' })
    return (await person.browser.ask('/api/v1/auth/grants')).status === 200
  })
  return {
    gateway,
    effects,
    person: (answers = {}) => createPerson(gateway.address, { email: EMAIL, ...answers }),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await effects[Symbol.asyncDispose]()
    },
  }
}

async function organizationsOf({ db }: TestGateway, others: readonly { slug: string }[]) {
  const { listOrganizations } = await import('../../../packages/gateway/src/organizations/organizations.ts')
  const all = await db.system(listOrganizations)
  return others.map(({ slug }) => {
    const found = all.find((one) => one.slug === slug)
    if (found === undefined) throw new Error(`there is no organization ${slug}`)
    return found.id
  })
}

export const REDIRECT = 'http://127.0.0.1:39999/callback'

export interface Said {
  readonly status: number
  readonly body: Record<string, string | undefined>
  readonly headers: Headers
}

async function said(response: Response): Promise<Said> {
  const text = await response.text()
  const body = text.startsWith('{') ? (JSON.parse(text) as Said['body']) : { text }
  return { status: response.status, body, headers: response.headers }
}

/** A client by hand: everything that it sends can be changed. */
export function createRawClient(gateway: TestGateway, { redirect = REDIRECT } = {}) {
  const { address } = gateway
  const verifier = randomBytes(32).toString('base64url')
  let id = ''

  const post = async (path: string, fields: Record<string, string | undefined>): Promise<Said> => {
    const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined)
    return said(await fetch(`${address}${path}`, { method: 'POST', body: new URLSearchParams(given) }))
  }

  return {
    verifier,
    get id() {
      return id
    },
    async register(more: Record<string, unknown> = {}): Promise<Said> {
      const answer = await said(
        await fetch(`${address}/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            client_name: 'By hand',
            redirect_uris: [redirect],
            token_endpoint_auth_method: 'none',
            grant_types: ['authorization_code', 'refresh_token'],
            ...more,
          }),
        }),
      )
      id = answer.body['client_id'] ?? ''
      return answer
    },
    /** Where it sends its person; a field that is undefined is left out. */
    authorization(changed: Record<string, string | undefined> = {}): URL {
      const url = new URL('/authorize', address)
      const fields: Record<string, string | undefined> = {
        response_type: 'code',
        client_id: id,
        redirect_uri: redirect,
        state: 'own state',
        scope: 'tools:read tools:write',
        resource: gateway.url,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...changed,
      }
      for (const [name, value] of Object.entries(fields)) if (value !== undefined) url.searchParams.set(name, value)
      return url
    },
    exchange: (code: string, changed: Record<string, string | undefined> = {}) =>
      post('/token', {
        grant_type: 'authorization_code',
        code,
        client_id: id,
        redirect_uri: redirect,
        code_verifier: verifier,
        resource: gateway.url,
        ...changed,
      }),
    refresh: (token: string, changed: Record<string, string | undefined> = {}) =>
      post('/token', { grant_type: 'refresh_token', refresh_token: token, client_id: id, ...changed }),
    revoke: (token: string) => post('/revoke', { token, client_id: id }),
  }
}

export const codeOf = ({ back }: Journey): string => {
  const code = back?.searchParams.get('code')
  if (code === null || code === undefined) throw new Error(`no code came back: ${String(back)}`)
  return code
}

/** The status of an empty list at an endpoint, and what is said to who may not. */
export async function probeAuth(url: string, token: string | undefined): Promise<Said> {
  return said(
    await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    }),
  )
}
