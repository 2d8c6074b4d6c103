/**
 * A person with an account at one server, and the clients that she calls it with: told once for accounts of a real authorization server
 * and for keys. She is played over http, on the gateway's own pages; how accounts die is the server's.
 */
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startAuthority } from './authorities/authority.ts'
import { startProtected } from './authorities/protected-server.ts'
import { connectClient, type ClientParts, type McpClient } from './clients/client.ts'
import { ask } from './clients/raw-client.ts'
import { createConnectingPerson } from './people/connecting-person.ts'
import { join as joinPerson } from './people/people.ts'
import { startGuarded } from './servers/guarded-server.ts'
import { httpWire } from './servers/real-servers.ts'
import { until } from './until.ts'

export interface Story extends AsyncDisposable {
  readonly gateway: TestGateway
  /** Of the endpoint of the connection. */
  readonly url: string
  /** With which her clients come. */
  readonly token: string
  /** The links that were opened since it began. */
  readonly opened: readonly string[]
  /** The tools that ran at the server. */
  called(): readonly string[]
  /** A page is opened, and everything done that it asks for. */
  open(link: string): Promise<void>
  client(parts: Pick<ClientParts, 'kind' | 'headers'> & { readonly opens?: boolean }): Promise<McpClient>
  /** The account is good no more, and another can be connected. */
  lose(): Promise<void>
  /** Outcome, code and detail of the calls on record with that id, the oldest first. */
  records(correlation: string): Promise<readonly { outcome: string; code: string | null; detail: unknown }[]>
}

/** The credential that can be lost, and the value entered on a page to replace it. */
interface BaseWithDatabase {
  readonly url: string
  readonly kind: 'auto' | 'key'
  called(): readonly string[]
  lose(): Promise<void>
  key(): string | undefined
}

const EMAIL = 'ada@example.com'
const Ended = z.object({ outcome: z.string(), code: z.string().nullable(), detail: z.unknown() })

/** An account at an authorization server, whose refresh token is taken away. */
export async function startAccountStory(): Promise<Story> {
  const stack = new AsyncDisposableStack()
  const authority = stack.use(await startAuthority('registers'))
  const server = stack.use(await startProtected(authority))
  return begin(stack, {
    url: server.url,
    kind: 'auto',
    called: () => server.called.map(({ tool }) => tool),
    lose: () => authority.forget({ access: true }),
    key: () => undefined,
  })
}

export interface KeyStory extends Story {
  /** Whether its server says in its 401 with what it wants to be asked. */
  challenges(does: boolean): void
  /** Times that a call presented the key, let in or not: itself, or the `initialize` before it. */
  presented(): number
}

/** A key, which its server takes back. */
export async function startKeyStory(): Promise<KeyStory> {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await startGuarded('key-0'))
  let keys = 0
  const story = await begin(stack, {
    url: server.url,
    kind: 'key',
    called: () => server.called,
    async lose() {
      server.tokens.clear()
      server.tokens.add(`key-${++keys}`)
    },
    key: () => `key-${keys}`,
  })
  const more = {
    challenges: (does: boolean) => void (server.challenges = does),
    presented: () => server.requests.filter(({ method }) => /^(?:initialize|tools\/call)$/.test(method)).length,
  }
  return Object.assign(story, more)
}

async function begin(stack: AsyncDisposableStack, core: BaseWithDatabase): Promise<Story> {
  const wire = { ...httpWire(core.url), auth: { kind: core.kind } }
  const gateway = stack.use(await startTestGateway({ connections: [{ alias: 'notes', wire }] }))
  const { address, db, organization } = gateway
  const { token, client } = await joinPerson(EMAIL, { db, address, roles: [[organization.id, 'tenant_member']] })
  const url = gateway.connectionUrl('notes')
  const opened: string[] = []
  const journeys: Promise<unknown>[] = []

  async function travel(link: string): Promise<void> {
    const key = core.key()
    const last = await createConnectingPerson(address, { email: EMAIL, ...(key === undefined ? {} : { key }) }).open(
      link,
    )
    if (!last.url.searchParams.has('connected')) throw new Error(`nothing was connected: ${last.html}`)
  }
  function open(link: string): Promise<void> {
    opened.push(link)
    const journey = travel(link)
    journeys.push(journey.catch(() => {}))
    return journey
  }

  const link = await client('POST /api/v1/admin/tenants/default/connectors/notes/link')
  await open(String(link.body['url']))
  await until('the tools are there', async () =>
    JSON.stringify((await ask({ url, key: token, era: 'modern' }, 'tools/list')).answer).includes('who_am_i'),
  )
  opened.length = 0
  return {
    gateway,
    url,
    token,
    opened,
    open,
    called: () => core.called(),
    client: ({ opens, ...parts }) =>
      connectClient({ ...parts, url, key: token, ...(opens === true ? { opens: open } : {}) }),
    async lose() {
      // A sign-in that is still under way would bring an account from before the loss.
      await Promise.all(journeys.splice(0))
      await core.lose()
    },
    records: (correlation) =>
      db.system(
        (sql) => sql(Ended)`
          select outcome, code, detail from records
           where method = 'tools/call' and correlation_id = ${correlation} order by at, id`,
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
