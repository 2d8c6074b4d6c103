/**
 * An organization whose rules ask before a call is made, with its people: an agent by a key, somebody who calls as herself, and those
 * who may say yes. The server behind counts what reaches it.
 */
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { createBrowser, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { callTool, type RawPeer } from './clients/raw-client.ts'
import { addKey, createAsk, type Ask } from './people/administrators.ts'
import { formIn } from './people/oauth-person.ts'
import { join } from './people/people.ts'
import { startEffects, type EffectsServer } from './servers/effects-server.ts'
import { httpWire } from './servers/real-servers.ts'
import { until } from './until.ts'

export const LINK = /http:\S+\/approvals\/(apr_[a-z0-9]{26})/
export const APPROVALS = '/api/v1/organizations/default/approvals'

export interface Approver {
  readonly email: string
  readonly id: string
  readonly token: string
  readonly admin: Ask
}

export interface ApprovalStory extends AsyncDisposable {
  readonly gateway: TestGateway
  readonly upstream: EffectsServer
  /** Of the endpoint of the connection `work`. */
  readonly url: string
  /** A program: nobody is behind it. */
  readonly agent: string
  readonly platform: Ask
  /** `ada` calls; the others administer, `eve` is a member like her. */
  readonly people: Readonly<Record<'ada' | 'bob' | 'cleo' | 'eve', Approver>>
  /** Adds a rule of the action `approve`, until it is disposed of or taken away by its name; one of its own for each. */
  rule(name: string, parameters?: object, match?: object): Promise<AsyncDisposable>
  unrule(name: string): Promise<void>
  /** One call by hand, and what it was told. */
  call(
    tool: string,
    given?: Record<string, unknown>,
    how?: Partial<RawPeer> & { meta?: Record<string, unknown> },
  ): Promise<Told>
  /** The records of that kind about a question, the oldest first. */
  records(id: string): Promise<string[]>
}

export interface Told {
  readonly text: string
  readonly isError: boolean
  /** `APPROVAL_REQUIRED` and its like. */
  readonly code: string | undefined
  readonly id: string | undefined
  readonly result: Record<string, unknown>
}

const RULES = '/api/v1/organizations/default/rules'

export async function startApprovalStory(): Promise<ApprovalStory> {
  await using parts = new AsyncDisposableStack()
  const upstream = parts.use(await startEffects())
  const gateway = parts.use(
    await startTestGateway({ connections: [{ alias: 'work', wire: httpWire(upstream.url), trusted: true }] }),
  )
  await gateway.settled('work')
  const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const { id } = gateway.organization
  const person = async (name: string, role: 'tenant_admin' | 'tenant_member') => {
    const { user, token } = await join(`${name}@example.com`, { ...gateway, roles: [[id, role]] })
    return { email: user.email, id: user.id, token, admin: createAsk(gateway, token) }
  }
  const people = {
    ada: await person('ada', 'tenant_member'),
    bob: await person('bob', 'tenant_admin'),
    cleo: await person('cleo', 'tenant_admin'),
    eve: await person('eve', 'tenant_member'),
  }
  const url = gateway.connectionUrl('work')
  const added = new Map<string, string>()
  const unrule = async (name: string) => void (await platform(`DELETE ${RULES}/${added.get(name)}`))
  const owned = parts.move()

  return {
    gateway,
    upstream,
    url,
    agent: gateway.key,
    platform,
    people,
    async rule(name, parameters = {}, match = { effects: ['write', 'destructive'] }) {
      const said = { name, action: 'approve', reason: 'Somebody looks first', match, parameters }
      const { status, text, body } = await platform(`POST ${RULES}`, said)
      if (status !== 201) throw new Error(`the rule was not added: ${status} ${text}`)
      added.set(name, String(body['id']))
      return { [Symbol.asyncDispose]: () => unrule(name) }
    },
    unrule,
    async call(tool, given = {}, { meta, ...peer } = {}) {
      const { answer, text: whole } = await callTool(
        { url, key: gateway.key, era: 'modern', ...peer },
        tool,
        given,
        meta === undefined ? {} : { meta },
      )
      const result = answer.result ?? {}
      const text = answer.result?.content?.[0]?.text ?? whole
      const fault = (result['_meta'] as Record<string, { code?: string }> | undefined)?.['dev.toolway/fault']
      return { text, isError: result['isError'] === true, code: fault?.code, id: LINK.exec(text)?.[1], result }
    },
    async records(approval) {
      const rows = await gateway.db.system(
        (sql) => sql(z.object({ method: z.string() }))`
          select method from records where resource_type = 'approval' and resource_id = ${approval} order by seq`,
      )
      return rows.map(({ method }) => method)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Somebody in a browser of their own: signs in where that is asked, and gives an answer on the page. */
export async function answerOnPage(
  gateway: Pick<TestGateway, 'address'>,
  path: string,
  email: string,
  answer?: 'grant' | 'deny',
  note = '',
) {
  const browser = createBrowser(gateway.address)
  await browser.ask(path)
  const form = formIn(await (await browser.ask(`/sign-in?next=${encodeURIComponent(path)}`)).text())
  if (form === undefined) throw new Error('there is no form to sign in')
  await browser.submit(form.action, { ...form.fields, email, password: PASSWORD })
  const page = await browser.ask(path)
  const html = await page.text()
  if (answer === undefined) return { status: page.status, html, browser }
  const fields = formIn(html)
  if (fields === undefined || !('note' in fields.fields)) return { status: page.status, html, browser }
  const given = await browser.submit(fields.action, { ...fields.fields, note, answer })
  const after = await browser.ask(given.headers.get('location') ?? path)
  return {
    status: given.status === 303 ? after.status : given.status,
    html: given.status === 303 ? await after.text() : await given.text(),
    browser,
  }
}

/** The state of a question, once it is that. */
export const becomes = ({ platform }: Pick<ApprovalStory, 'platform'>, id: string, state: string) =>
  until(`${id} is ${state}`, async () => (await platform(`GET ${APPROVALS}/${id}`)).body['state'] === state)
