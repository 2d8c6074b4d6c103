/** A tool that rules keep from a caller: it is in no list and cannot be called by its name, whichever way the caller comes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REVISIONS } from '../../../packages/contract/src/revisions.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { buildBridge, type BuiltBridge } from '../peers/clients/bridge.ts'
import { connectByHand, MODERN, WAYS } from '../peers/clients/by-hand.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const RULES = [
  { name: 'hidden', action: 'hide', match: { tools: ['*__hidden_*'] }, reason: 'Nobody is to see it.' },
  {
    ...{ name: 'of-keys', action: 'hide', reason: 'Not for machines.' },
    match: { tools: ['*__people_only'], when: 'principal.kind == "key"' },
  },
  { name: 'blocked', action: 'block', match: { tools: ['*__blocked'] }, reason: 'It is being repaired.' },
]
const HIDDEN = ['hidden_tool', 'people_only']
const parts = new AsyncDisposableStack()
let built: BuiltBridge
let gateway: TestGateway
let probe: ProbeServer
beforeAll(async () => {
  built = parts.use(await buildBridge())
  probe = parts.use(await startProbe({ era: 'modern' }))
  probe.state.grown.push(...HIDDEN, 'blocked')
  gateway = parts.use(
    await openGateway({
      connections: [{ alias: 'git', wire: httpWire(probe.url) }],
      settings: { TOOLWAY_SESSIONS_PER_PRINCIPAL: '100' },
    }),
  )
  const admin = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  for (const rule of RULES) {
    const added = await admin('POST /api/v1/organizations/default/rules', rule)
    if (added.status !== 201) throw new Error(added.text)
  }
  await until('the rules hold', async () => {
    await using peer = await connectByHand(gateway, { way: 'http', revision: MODERN, built })
    const { result } = await peer.ask('tools/call', { name: 'git__blocked', arguments: {} })
    return result?.isError === true || undefined
  })
})
afterAll(() => parts.disposeAsync())

const cells = WAYS.flatMap((way) => REVISIONS.map((revision) => ({ way, revision }))).filter(
  ({ way, revision }) => way !== 'sse' || revision !== MODERN,
)

describe('S1-LST-03, U-06: the same rules for lists and for calls,', () => {
  test.each(cells)('in $revision over $way', async ({ way, revision }) => {
    await using peer = await connectByHand(gateway, { way, revision, built })
    const before = probe.state.called.length
    const { result } = await peer.ask('tools/list')
    const names = ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
    expect(names).toContain('git__echo')
    expect(names.filter((name) => /hidden|people|blocked/.test(name))).toEqual([])
    const nothing = await peer.ask('tools/call', { name: 'git__no_such_tool', arguments: {} })
    expect(nothing.error?.code).toBe(-32602)
    for (const name of HIDDEN) {
      const { error } = await peer.ask('tools/call', { name: `git__${name}`, arguments: {} })
      // Word for word what is said of a tool that is not there.
      const said = JSON.stringify({ ...error, data: undefined }).replaceAll(name, 'no_such_tool')
      expect(said).toBe(JSON.stringify({ ...nothing.error, data: undefined }))
    }
    const blocked = await peer.ask('tools/call', { name: 'git__blocked', arguments: {} })
    expect(blocked.result?.content?.[0]?.text).toMatch(/^POLICY_VIOLATION: .*It is being repaired/)
    expect(probe.state.called.length).toBe(before)
  })
})
