/**
 * Every MCP endpoint in every transport and method × every caller × their own organization, the other one, and one that does not
 * exist; sessions, cursors and streams of the one at the doors of the other; and what is served to anybody.
 */
// @module-tag long
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { addressOf } from '../../packages/gateway/src/http/addresses.ts'
import { createTestVault } from '../../packages/gateway/src/testing/gateway.ts'
import { MODERN_META, openSession } from '../e2e/peers/clients/raw-client.ts'
import { IS_SHORT } from '../setup/form.ts'
import { describeEachTown } from './each-town.ts'
import { roleAt, strangerAt } from './expected.ts'
import { leaksIn, type Markers } from './leaks.ts'
import { PAGES } from './pages.ts'
import { inBatches, request, sameOf, type Answered, type Asked } from './request.ts'
import { SIDES, WORDS, type Side } from './sides.ts'
import { createTally, type Tally } from './tally.ts'
import { keyOf, type Caller, type Town } from './town.ts'

type Target = Side | 'missing'
const TARGETS: readonly Target[] = [...SIDES, 'missing']

/** Each form of an address, and what it names in an organization. */
const FORMS = [
  { form: 'toolset', path: ({ organization }: Place) => `/o/${organization}/t/work` },
  { form: 'whole', path: ({ organization }: Place) => `/o/${organization}/t/default` },
  { form: 'alias', path: ({ organization }: Place) => `/api/v1/${organization}/connectors/same` },
  { form: 'id', path: ({ organization, connection }: Place) => `/api/v1/${organization}/connectors/${connection}` },
] as const
/** The same for the console, whose people are known by cookies. */
const CONSOLE_FORMS = [
  { form: 'console toolset', path: ({ organization }: Place) => `/api/v1/console/${organization}/t/work` },
  { form: 'console whole', path: ({ organization }: Place) => `/api/v1/console/${organization}` },
  {
    form: 'console connection',
    path: ({ organization, connection }: Place) => `/api/v1/console/${organization}/connectors/${connection}`,
  },
] as const
type Form = (typeof FORMS)[number] | (typeof CONSOLE_FORMS)[number]

/** How a caller comes in: with its header, or as the browser that has its token in a cookie. Keys are in no cookie. */
type Knock = (caller: Caller, address: string) => { as: Caller; headers: Record<string, string> }
const byHeader: Knock = (caller) => ({ as: caller, headers: {} })
const vault = createTestVault()
const byCookie: Knock = (caller, address) => {
  const token = keyOf(caller)
  const [, claims = ''] = token.split('.')
  const { sid = '' } = (claims === '' ? {} : JSON.parse(Buffer.from(claims, 'base64url').toString())) as {
    sid?: string
  }
  const csrf = vault.sign(sid, 'csrf')
  return {
    as: claims === '' ? { ...caller, roles: 'refused' } : caller,
    headers: { cookie: `toolway_access=${token}`, origin: address, 'x-csrf-token': csrf },
  }
}
interface Place {
  readonly organization: string
  readonly connection: string
}

const ACCEPT = { accept: 'application/json, text/event-stream' }
const modern = (method: string, params: Record<string, unknown> = {}, name?: string): Omit<Asked, 'path'> => ({
  method: 'POST',
  headers: {
    ...ACCEPT,
    ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
    ...(name === undefined ? {} : { 'mcp-name': name }),
  },
  body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: MODERN_META } },
})
const legacy = (method: string, params: Record<string, unknown> = {}, session?: string): Omit<Asked, 'path'> => ({
  method: 'POST',
  headers: {
    ...ACCEPT,
    ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
  },
  body: { jsonrpc: '2.0', id: 1, method, params },
})
const OPENING = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }

/** The requests at an endpoint; `session` belongs to another caller. `looks`: a viewer may. */
const ASKS = (session: string): readonly (Omit<Asked, 'path'> & { ask: string; looks?: boolean; way?: string })[] => [
  { ask: 'list', looks: true, ...modern('tools/list') },
  { ask: 'discover', looks: true, ...modern('server/discover') },
  { ask: 'prompts', looks: true, ...modern('prompts/list') },
  { ask: 'resources', looks: true, ...modern('resources/list') },
  { ask: 'call', ...modern('tools/call', { name: 'whoami', arguments: {} }, 'whoami') },
  { ask: 'call joined', ...modern('tools/call', { name: 'same__whoami', arguments: {} }, 'same__whoami') },
  { ask: 'read', ...modern('resources/read', { uri: 'note://same' }, 'note://same') },
  { ask: 'prompt', ...modern('prompts/get', { name: 'greet' }, 'greet') },
  { ask: 'task', ...modern('tasks/get', { taskId: 'same.x.y' }, 'same.x.y') },
  { ask: 'opening', looks: true, ...legacy('initialize', OPENING) },
  { ask: 'legacy list', looks: true, ...legacy('tools/list') },
  { ask: 'legacy call', ...legacy('tools/call', { name: 'whoami', arguments: {} }) },
  { ask: 'list in a session of another', looks: true, ...legacy('tools/list', {}, session) },
  { ask: 'call in a session of another', ...legacy('tools/call', { name: 'whoami', arguments: {} }, session) },
  {
    ask: 'stream of another',
    looks: true,
    method: 'GET',
    headers: { accept: 'text/event-stream', 'mcp-session-id': session },
  },
  { ask: 'end of another', looks: true, method: 'DELETE', headers: { 'mcp-session-id': session } },
  { ask: 'put', looks: true, method: 'PUT', body: {} },
  {
    ask: 'not JSON',
    looks: true,
    method: 'POST',
    headers: { ...ACCEPT, 'content-type': 'application/json' },
    body: '{',
  },
  { ask: 'stream of the older pair', way: 'sse', looks: true, method: 'GET', headers: { accept: 'text/event-stream' } },
  { ask: 'message to another’s', way: 'messages', looks: true, ...legacy('ping') },
]

/** One of each sort, for the short form: lists, calls and streams of both eras, one's own and in a session of another. */
const SHORT = ['list', 'call joined', 'legacy list', 'legacy call', 'call in a session of another', 'stream of another']

interface Trial {
  readonly town: Town
  readonly markers: Markers
  readonly tally: Tally
}

/** No door of ours answers a stranger who is known otherwise than one who stands before nothing. */
async function tryEndpoint(
  { town, markers, tally }: Trial,
  known: Caller,
  form: Form,
  session: string,
  probeAuth: Knock = byHeader,
) {
  const { gateway, names } = town
  const { as: caller, headers } = probeAuth(known, gateway.address)
  const bearer = probeAuth === byHeader ? caller : undefined
  for (const { ask, looks, way = 'mcp', ...asked } of ASKS(session)) {
    // The older pair has no address of the console's own.
    if (probeAuth === byCookie && way !== 'mcp') continue
    if (IS_SHORT && !SHORT.includes(ask)) continue
    const answers = {} as Record<Target, Answered>
    const at = async (target: Target) => {
      const path = `${form.path(names[target])}/${way}${way === 'messages' ? `?sessionId=${session}` : ''}`
      answers[target] = await request(gateway.address, bearer, {
        ...asked,
        path,
        headers: { ...asked.headers, ...headers },
      })
      const leaks = leaksIn(answers[target], caller, markers, JSON.stringify([asked, path]))
      tally.check(leaks.length === 0, `${caller.name} asks (${ask}) at ${path} and reads ${leaks.join(', ')}`)
    }
    await Promise.all(TARGETS.map(at))
    for (const side of SIDES) {
      const { status, fault, text } = answers[side]
      const said = `${caller.name} asks (${ask}) at ${form.form} of ${side}: ${status} ${fault} ${text.slice(0, 200)}`
      const role = roleAt(caller, side)
      const isOutside = caller.toolset !== undefined && form.form === 'whole'
      if (caller.roles === 'refused') tally.check(status === 401, said)
      else if (role === undefined || isOutside) {
        const stranger = strangerAt(caller, side)
        tally.check(status === stranger.status && fault === stranger.fault, said)
        tally.check(same(answers[side], answers.missing), `${said} and not as nowhere: ${answers.missing.text}`)
      } else {
        tally.check(status !== 401 && fault !== 'place.unknown', said)
        const isForbidden = role === 'tenant_viewer' && looks !== true
        const isOthers = ask.includes('of another')
        tally.check(isOthers ? fault === 'session.unknown' : (fault === 'role.forbidden') === isForbidden, said)
      }
    }
  }
}

const same = (one: Answered, other: Answered) => JSON.stringify(sameOf(one)) === JSON.stringify(sameOf(other))

/** A caller that is not closed by then was let in. */
const LET_IN_MS = 30_000

const close = (address: string, path: string, { authorization }: Caller): Promise<string> => {
  const headers = authorization === undefined ? {} : { authorization }
  const socket = new WebSocket(`${address.replace('http', 'ws')}${path}`, { headers })
  return new Promise((resolve) => {
    let leave: NodeJS.Timeout | undefined
    socket.on('open', () => (leave = setTimeout(() => socket.close(), LET_IN_MS)))
    socket.on('close', (code, reason) => {
      clearTimeout(leave)
      resolve(`${code} ${reason.toString()}`)
    })
    socket.on('error', () => {})
  })
}

const markersIn = async (town: Town): Promise<Markers> => ({
  default: await town.markers('default'),
  zebrafish: await town.markers('zebrafish'),
})

describeEachTown('every endpoint, in every transport, for everybody', {}, (town) => {
  test.for(FORMS.map((form) => [form.form, form] as const))('by %s', async ([, form], context) => {
    const tally = createTally(context)
    const trial = { town: town(), markers: await markersIn(town()), tally }
    for (const target of SIDES) expect(addressOf(`${form.path(trial.town.names[target])}/mcp`)).toBeDefined()
    const { gateway, callers, names } = trial.town
    // A session of somebody who is nobody of these, at the same endpoint of each organization.
    const sessions = await Promise.all(
      SIDES.map((side) =>
        openSession(`${gateway.address}${form.path(names[side])}/mcp`, keyOf(trial.town.caller('platform key'))),
      ),
    )
    const others = callers.filter(({ name }) => name !== 'platform key')
    await inBatches([...others.entries()], ([at, caller]) =>
      tryEndpoint(trial, caller, form, sessions[at % 2]?.session ?? ''),
    )
    tally.close()
  })

  test.for(CONSOLE_FORMS.map((form) => [form.form, form] as const))('by cookie, at %s', async ([, form], context) => {
    const tally = createTally(context)
    const trial = { town: town(), markers: await markersIn(town()), tally }
    for (const target of SIDES) expect(addressOf(`${form.path(trial.town.names[target])}/mcp`)).toBeUndefined()
    const { gateway, callers, names } = trial.town
    const other = await openSession(
      `${gateway.address}/o/${names.default.organization}/t/default/mcp`,
      keyOf(trial.town.caller('platform key')),
    )
    await inBatches(callers, (caller) => tryEndpoint(trial, caller, form, other.session, byCookie))
    tally.close()
  })

  test('S3-AUTH-05: a WebSocket is closed to who has no role there as where nothing is', async (context) => {
    const tally = createTally(context)
    const { gateway, callers, names } = town()
    for (const form of FORMS) {
      await inBatches(callers, async (caller) => {
        const at = (target: Target) => close(gateway.address, `${form.path(names[target])}/mcp`, caller)
        const nowhere = await at('missing')
        for (const side of SIDES) {
          if (roleAt(caller, side) !== undefined) continue
          const there = await at(side)
          tally.check(there === nowhere, `${caller.name} at ${form.form} of ${side}: ${there} in place of ${nowhere}`)
          tally.check(/^44(01|03|04) /.test(there), `${caller.name} at ${form.form} of ${side}: ${there}`)
        }
      })
    }
    tally.close()
  })

  test('without an organization in its path, a door leads to one’s own and nowhere else', async (context) => {
    const tally = createTally(context)
    const { gateway, callers } = town()
    const markers = await markersIn(town())
    for (const caller of callers) {
      const answer = await request(gateway.address, caller, {
        ...modern('tools/call', { name: 'same__whoami', arguments: {} }, 'same__whoami'),
        path: '/mcp',
      })
      const leaks = leaksIn(answer, caller, markers, '')
      tally.check(leaks.length === 0, `${caller.name} reads ${leaks.join(', ')}`)
      // A key or a token leads to what it is bound to; everybody else to the default organization.
      const side = caller.bound ?? 'default'
      const role = roleAt(caller, side)
      const said = `${caller.name} at /mcp: ${answer.status} ${answer.text.slice(0, 200)}`
      if (caller.roles === 'refused') tally.check(answer.status === 401, said)
      else if (role === undefined) tally.check(answer.fault === 'place.unknown', said)
      else if (role === 'tenant_viewer') tally.check(answer.fault === 'role.forbidden', said)
      else tally.check(answer.text.includes(WORDS[side]), said)
    }
    tally.close()
  })

  test('what is served to anybody tells nothing of an organization, nor whether there is one', async (context) => {
    const tally = createTally(context)
    const { gateway, callers } = town()
    const markers = await markersIn(town())
    for (const path of PAGES) {
      for (const caller of callers) {
        const at = (organization: string) =>
          request(gateway.address, caller, { method: 'GET', path: path.replace('{organization}', organization) })
        const [there, nowhere] = [await at('zebrafish'), await at('nowhere00')]
        const leaks = leaksIn(there, caller, markers, path)
        tally.check(leaks.length === 0, `${caller.name} asks ${path} and reads ${leaks.join(', ')}`)
        const told = sameOf(there, 'zebrafish')
        const isSame = !path.includes('{') || JSON.stringify(told) === JSON.stringify(sameOf(nowhere, 'nowhere00'))
        tally.check(isSame, `${path} tells ${caller.name} of an organization: ${there.text} ${nowhere.text}`)
      }
    }
    tally.close()
  })
})
