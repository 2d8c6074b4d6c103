/**
 * The actions for each scenario about signing in. A user connects an account of the organization, and then a client calls the
 * server's tool; or the gateway must detect an error, and nobody gets access.
 */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import type { Person } from './client-person.ts'
import type { Context, Story } from './story.ts'

const TOOL = 'test-tool'
const PATIENCE_MS = 15_000

async function connect(person: Person, link?: string): Promise<void> {
  const done = await person.connect(link)
  assert.equal(done.connected, true, done.connected ? '' : done.refused)
}

/** Returns the status of the connection once it is neither `new` nor one of `passing`, or when the time is up. */
async function settled(person: Person, ...passing: string[]): Promise<string> {
  for (const until = Date.now() + PATIENCE_MS; ;) {
    const status = await person.status()
    if ((status !== 'new' && !passing.includes(status)) || Date.now() > until) return status
    await pause(100)
  }
}

/** Until the server lets the gateway in: where it has moved to another authorization server meanwhile, once more. */
async function enter(person: Person): Promise<'lets in'> {
  for (let times = 1; ; times++) {
    await connect(person)
    const status = await settled(person, 'needs_auth')
    if (status === 'connected') return 'lets in'
    assert.ok(times < 2, `the connection is ${status} after a person has connected an account`)
  }
}

interface Called {
  readonly text: string
  readonly link: string | undefined
}

async function call(client: Client): Promise<Called> {
  const result = await client.callTool({ name: TOOL, arguments: {} })
  const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  return {
    text,
    link: result.isError === true ? (/https?:\/\/\S+\/connect\/[\w.~-]+/.exec(text)?.[0] ?? '') : undefined,
  }
}

/** The call; where it says that an account is wanted, a person follows its link and it is made again, as often as that. */
async function callWith(person: Person, client: Client, times: number): Promise<string> {
  for (let asked = 0; ; asked++) {
    const { text, link } = await call(client)
    if (link === undefined) return text
    assert.ok(link !== '' && asked < times, text)
    await connect(person, link)
  }
}

const account = ({ client_id, client_secret }: Context): Story => ({
  ...(client_id === undefined || client_secret === undefined ? {} : { client: { client_id, client_secret } }),
  enter,
  tell: async (client, person) => assert.equal(await callWith(person, client, 0), 'test'),
})

/** One link in the answer of the call leads to what it lacks. */
const again = (): Story => ({
  enter,
  tell: async (client, person) => assert.equal(await callWith(person, client, 1), 'test'),
})

/** The user gets an error, and is not redirected any further. */
const refused = (): Story => ({
  async enter(person) {
    const done = await person.connect()
    assert.equal(done.connected, false)
    return 'stays out'
  },
  tell: () => Promise.reject(new Error('nobody is let in')),
})

/** The account is good and never good enough: nobody asks for another by themselves. */
const never = (): Story => ({
  async enter(person) {
    await connect(person)
    assert.equal(await settled(person, 'connected'), 'needs_auth')
    return 'stays out'
  },
  tell: () => Promise.reject(new Error('nobody is let in')),
})

export const SIGN_IN_STORIES: Readonly<Record<string, (context: Context) => Story>> = {
  'auth/metadata-default': account,
  'auth/metadata-var1': account,
  'auth/metadata-var2': account,
  'auth/metadata-var3': account,
  'auth/basic-cimd': account,
  'auth/scope-from-www-authenticate': account,
  'auth/scope-from-scopes-supported': account,
  'auth/scope-omitted-when-undefined': account,
  'auth/scope-step-up': again,
  'auth/scope-retry-limit': never,
  'auth/token-endpoint-auth-basic': account,
  'auth/token-endpoint-auth-post': account,
  'auth/token-endpoint-auth-none': account,
  'auth/pre-registration': account,
  'auth/2025-03-26-oauth-metadata-backcompat': account,
  'auth/2025-03-26-oauth-endpoint-fallback': account,
  'auth/resource-mismatch': refused,
  'auth/offline-access-scope': account,
  'auth/offline-access-not-supported': account,
  'auth/authorization-server-migration': again,
  'auth/iss-supported': account,
  'auth/iss-not-advertised': account,
  'auth/iss-supported-missing': refused,
  'auth/iss-wrong-issuer': refused,
  'auth/iss-unexpected': refused,
  'auth/iss-normalized': refused,
  'auth/metadata-issuer-mismatch': refused,
}
