/**
 * A company that signs in at nine o'clock: 1,000 people within a minute, once with passwords of Toolway and once through a real OpenID
 * provider (`oidc-provider`, in this process), at a running gateway: `node test/load/sign-in.ts ADDRESS KEY [PEOPLE] [SECONDS]`.
 *
 * KEY administers the platform. The gateway runs with TOOLWAY_TRUSTED_PROXIES=127.0.0.1, because each person has an address of their own.
 * A sign-in begins when it is due, whatever has become of those before it, and its time counts from then.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { createAsk } from '../e2e/peers/people/administrators.ts'

const [address = '', key = '', ...sizes] = process.argv.slice(2)
const [people = 1_000, seconds = 60] = sizes.map(Number)
const CLIENT = { id: 'toolway', secret: 'a secret of sixteen or more' }
const PASSWORD = 'correct horse battery'
const LANES = 4
const MOST_STEPS = 10

const ask = createAsk({ address }, key)
const emailOf = (who: number) => `person${who}@bench.example`
const fromOf = (who: number) => ({ 'x-forwarded-for': `10.${who >> 16}.${(who >> 8) & 255}.${who & 255}` })

/** The default one keeps a thousand entries, which is fewer than so many people make. */
class Memory implements Adapter {
  static readonly #rows = new Map<string, AdapterPayload>()
  readonly #kind: string
  constructor(kind: string) {
    this.#kind = kind
  }
  #at = (id: string) => `${this.#kind} ${id}`
  find = (id: string) => Promise.resolve(Memory.#rows.get(this.#at(id)))
  upsert = (id: string, payload: AdapterPayload) => Promise.resolve(void Memory.#rows.set(this.#at(id), payload))
  destroy = (id: string) => Promise.resolve(void Memory.#rows.delete(this.#at(id)))
  consume = (id: string) => {
    const row = Memory.#rows.get(this.#at(id))
    if (row !== undefined) row.consumed = Math.floor(Date.now() / 1000)
    return Promise.resolve()
  }
  revokeByGrantId = () => Promise.resolve()
  findByUserCode = () => Promise.resolve(undefined)
  findByUid(uid: string) {
    return Promise.resolve([...Memory.#rows.values()].find((row) => row.uid === uid))
  }
}

/** A person who is sent to it is the one of the `login_hint`. */
async function startProvider() {
  const server = createServer((request, response) => void handle(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const allowed = new Set<string>()
  const provider = new Provider(issuer, {
    adapter: Memory,
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [`${issuer}/unused`] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, email: sub, email_verified: true, name: sub }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['a key for the bench'] },
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({ clientId: CLIENT.id, accountId: ctx.oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  provider.Client.prototype.redirectUriAllowed = (uri) => allowed.has(uri)
  const callback = provider.callback()
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/interaction/') !== true) return callback(request, response)
    const { params } = await provider.interactionDetails(request, response)
    return provider.interactionFinished(request, response, { login: { accountId: String(params['login_hint']) } })
  }
  return { issuer, allow: (uri: string) => void allowed.add(uri), close: () => void server.close() }
}

/** One after another through redirects, with the cookies of each place. */
async function walk(start: string, headers: Record<string, string>): Promise<{ gatewayMs: number }> {
  const jars = new Map<string, Map<string, string>>()
  let at = start
  let gatewayMs = 0
  for (let step = 0; step < MOST_STEPS; step++) {
    const { origin } = new URL(at)
    const isGateway = origin === new URL(address).origin
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const from = performance.now()
    const response = await fetch(at, { redirect: 'manual', headers: { ...(isGateway ? headers : {}), cookie } })
    const text = await response.text()
    if (isGateway) gatewayMs += performance.now() - from
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      jar.set(name, value)
    }
    if (jar.has('toolway_session') || [...jar.keys()].some((name) => name.includes('toolway_refresh')))
      return { gatewayMs }
    const to = response.headers.get('location') ?? /content="0; url=([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    if (to === undefined)
      throw new Error(`${response.status} at ${new URL(at).pathname}: ${/role="alert">([^<]*)/.exec(text)?.[1] ?? ''}`)
    at = new URL(to, at).href
  }
  throw new Error('led on too often')
}

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)]
const figures = (times: readonly number[]) => {
  const sorted = times.toSorted((a, b) => a - b)
  return [0.5, 0.95, 0.99, 1].map((share) => `p${share * 100} ${at(sorted, share)?.toFixed(0)} ms`).join(', ')
}

/** By a schedule that waits for no answer. */
async function atNine(name: string, signIn: (who: number) => Promise<{ gatewayMs: number } | void>): Promise<void> {
  const [whole, own, errors] = [[] as number[], [] as number[], new Map<string, number>()]
  const begun = performance.now()
  const all = Array.from({ length: people }, async (_, who) => {
    const due = begun + (who * seconds * 1_000) / people
    await pause(Math.max(due - performance.now(), 1))
    try {
      const done = await signIn(who)
      whole.push(performance.now() - due)
      if (done !== undefined) own.push(done.gatewayMs)
    } catch (thrown) {
      const problem = thrown instanceof Error ? thrown.message : String(thrown)
      errors.set(problem, (errors.get(problem) ?? 0) + 1)
    }
  })
  await Promise.all(all)
  const took = (performance.now() - begun) / 1_000
  console.log(`${name}: ${whole.length} of ${people} signed in within ${took.toFixed(1)} s; ${figures(whole)}`)
  if (own.length > 0) console.log(`  of it at the gateway: ${figures(own)}`)
  for (const [problem, count] of errors) console.log(`  ${count} errors: ${problem.slice(0, 200)}`)
}

async function addPeople(): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < people) {
      const email = emailOf(next++)
      const made = await ask('POST /api/v1/admin/users', {
        email,
        name: email,
        password: PASSWORD,
        platform_admin: false,
      })
      if (made.status !== 201 && made.status !== 409) throw new Error(made.text)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

async function signInByPassword(who: number): Promise<void> {
  const response = await fetch(`${address}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fromOf(who) },
    body: JSON.stringify({ email: emailOf(who), password: PASSWORD }),
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`)
}

// Somebody has to be there before a provider adds people.
await addPeople()
await atNine('passwords', signInByPassword)
const provider = await startProvider()
const added = await ask('PUT /api/v1/admin/tenants/default/identity-providers/bench', {
  ...{ title: 'Bench', enabled: true, private: true, client_secret: CLIENT.secret },
  settings: { kind: 'oidc', issuer: provider.issuer, client_id: CLIENT.id, newcomers: 'member' },
})
if (added.status !== 200) throw new Error(added.text)
const redirect = String(added.body['redirect_uri'])
provider.allow(redirect)
const start = `${address}${new URL(redirect).pathname.replace('/callback', '')}`
const newcomer = (who: number) => `new${who}@bench.example`
await atNine('OpenID, the first time', (who) =>
  walk(`${start}?email=${encodeURIComponent(newcomer(who))}`, fromOf(who)),
)
await atNine('OpenID, again', (who) => walk(`${start}?email=${encodeURIComponent(newcomer(who))}`, fromOf(who)))
provider.close()
