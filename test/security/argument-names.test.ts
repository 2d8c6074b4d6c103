/**
 * Tests that a rule about an argument cannot be bypassed by another spelling of the argument's name. The server reads names
 * without regard to case: a real Go program where Go is installed, else one that reads as Go does.
 */
// @module-tag long
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { callTool, openSession } from '../e2e/peers/clients/raw-client.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { until } from '../e2e/peers/until.ts'
import { addKey, addMember, addUser, createAsk, type Ask } from '../e2e/peers/people/administrators.ts'

const PEERS = join(import.meta.dirname, 'peers')
const GO = ['go', '/usr/local/go/bin/go'].find((command) => spawnSync(command, ['version']).status === 0)
const RULES = '/api/v1/organizations/default/rules'

const directory = mkdtempSync(join(tmpdir(), 'toolway-any-case-'))
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let admin: Ask
let key: string

/** Returns the command that starts the server. */
function program(): { command: string; args: string[] } {
  if (GO === undefined) return { command: process.execPath, args: [join(PEERS, 'any-case.mjs')] }
  const built = join(directory, 'any-case')
  const environment = { ...process.env, GOCACHE: join(directory, 'cache'), GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' }
  execFileSync(GO, ['build', '-o', built, join(PEERS, 'any-case.go')], { env: environment, stdio: 'pipe' })
  return { command: built, args: [] }
}

beforeAll(async () => {
  const wire = { kind: 'process' as const, ...program(), environment: {} }
  gateway = parts.use(
    await openGateway({
      connections: [{ alias: 'go', wire }],
    }),
  )
  const { id } = gateway.organization
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: id }))
  const user = await addUser(gateway, 'maria@acme.test')
  await addMember(gateway, id, user, 'tenant_member')
  key = await addKey(gateway, { role: 'tenant_member', organization: id, user })
  await addMember(gateway, id, await addUser(gateway, 'ada@acme.test'), 'tenant_member')
  await until('the member may call', async () => (await pay({ amount: 1 })) !== null)
})
afterAll(async () => {
  await parts.disposeAsync()
  if (existsSync(directory)) rmSync(directory, { recursive: true, force: true })
})
afterEach(async () => {
  const { body } = await admin(`GET ${RULES}?limit=200`)
  for (const { id } of body['items'] as { id: string }[]) await admin(`DELETE ${RULES}/${id}`)
})

const add = async (rule: object) => {
  const added = await admin(`POST ${RULES}`, { name: 'r', reason: 'Because.', match: { tools: ['pay'] }, ...rule })
  expect(added.status, added.text).toBe(201)
}
const peer = () => ({ url: gateway.url, key, era: 'modern' as const })

/** Returns the arguments that the server read, or the code of the refusal. */
async function pay(args: Record<string, unknown>): Promise<unknown> {
  const { answer } = await callTool(peer(), 'go__pay', args)
  const detail = answer.result?.['_meta'] as { 'dev.toolway/fault'?: { fault: string } } | undefined
  return detail?.['dev.toolway/fault']?.fault ?? JSON.parse(answer.result?.content?.[0]?.text ?? 'null')
}

const AMBIGUOUS = 'arguments.ambiguous'
const large = { match: { tools: ['pay'], when: 'has(args.amount) && args.amount > 1000' } }

describe('an argument whose name differs from the named one only by case', () => {
  test('is the same argument for the server: without a rule it reads it so', async () => {
    expect(await pay({ amount: 5, Amount: 999_999 })).toMatchObject({ amount: 999_999 })
  })

  test.each<[string, object, Record<string, unknown>]>([
    ['lock', { action: 'lock', parameters: { parameter: 'region', value: 'eu' } }, { region: 'eu', Region: 'us' }],
    ['lock, alone', { action: 'lock', parameters: { parameter: 'region', value: 'eu' } }, { REGION: 'us' }],
    ['default', { action: 'lock', parameters: { parameter: 'region', value: 'eu', as: 'default' } }, { Region: 'us' }],
    ['clamp', { action: 'clamp', parameters: { parameter: 'amount', max: 10 } }, { amount: 5, Amount: 999_999 }],
    ['reject', { action: 'reject', parameters: { parameter: 'to', pattern: '.*@acme' } }, { To: 'x@evil.test' }],
    ['nested', { action: 'reject', parameters: { parameter: 'filter.owner' } }, { filter: { Owner: 'eve' } }],
    ['nested holder', { action: 'reject', parameters: { parameter: 'filter.owner' } }, { Filter: { owner: 'eve' } }],
    ['in a list', { action: 'reject', parameters: { parameter: 'filter.owner' } }, { filter: [{ OWNER: 'eve' }] }],
    ['block by condition', { action: 'block', ...large }, { Amount: 5000 }],
    ['approve by condition', { action: 'approve', ...large }, { Amount: 5000 }],
    ['size by condition', { action: 'size', parameters: { arguments: 1000 }, ...large }, { Amount: 5000 }],
    ['rate by condition', { action: 'rate', parameters: { calls: 1 }, ...large }, { Amount: 5000 }],
    ['warn by presence', { action: 'warn', match: { parameter: 'amount' } }, { Amount: 5000 }],
    ['membership', { action: 'block', match: { when: '"amount" in args' } }, { AMOUNT: 1 }],
    ['an optional member', { action: 'block', match: { when: 'args.?amount.orValue(0) > 9' } }, { AMOUNT: 10 }],
    [
      'a member of each',
      { action: 'block', match: { when: 'args.to.exists(one, one.owner == "eve")' } },
      { to: [{ Owner: 'eve' }] },
    ],
    ['all names', { action: 'block', match: { when: 'args.exists(name, name == "amount")' } }, { Amount: 1 }],
    [
      'a member’s rule',
      { action: 'clamp', scope: 'member', of: 'maria@acme.test', parameters: { parameter: 'amount', max: 9 } },
      { Amount: 10 },
    ],
    ['a blank behind', { action: 'clamp', parameters: { parameter: 'amount', max: 10 } }, { 'amount ': 999_999 }],
    ['a zero behind', { action: 'clamp', parameters: { parameter: 'amount', max: 10 } }, { 'amount\u0000': 999_999 }],
    [
      'a zero within, at which some readers cut',
      { action: 'clamp', parameters: { parameter: 'amount', max: 10 } },
      { 'amount\u0000x': 999_999 },
    ],
    [
      'half of a pair, which some readers drop',
      { action: 'clamp', parameters: { parameter: 'amount', max: 10 } },
      { 'amount\ud800': 999_999 },
    ],
    ['a tab before', { action: 'reject', parameters: { parameter: 'to' } }, { '\tto': 'x', to: 'y' }],
    ['a wide blank', { action: 'reject', parameters: { parameter: 'to' } }, { 'to\u3000': 'x' }],
    ['another Unicode form', { action: 'clamp', parameters: { parameter: 'amount', max: 10 } }, { ａmount: 999_999 }],
    [
      'a sign that folds to a letter',
      { action: 'reject', parameters: { parameter: 'to_ask' } },
      { to_aſk: 1, 'to_as\u212A': 1 },
    ],
    [
      'a sign that is not shown',
      { action: 'clamp', parameters: { parameter: 'amount', max: 10 } },
      { 'am\u200Bount': 99 },
    ],
    ['another property', { action: 'clamp', parameters: { parameter: 'amount', max: 10 } }, { Note: 'x' }],
  ])('is refused where a rule names it: %s', async (_, rule, args) => {
    await add(rule)
    expect(await pay(args)).toBe(AMBIGUOUS)
  })

  test('is refused in words that say how it is written', async () => {
    await add({ action: 'clamp', parameters: { parameter: 'amount', max: 10 } })
    const { answer } = await callTool(peer(), 'go__pay', { Amount: 9 })
    expect(answer.result?.content?.[0]?.text).toMatch(/^INVALID_ARGUMENT: .*\/Amount as amount/)
  })

  test('is refused at every door that leads to the tool', async () => {
    await add({ action: 'clamp', parameters: { parameter: 'amount', max: 10 } })
    const args = { amount: 5, Amount: 999_999 }
    const legacy = await openSession(gateway.url, key)
    const single = { ...peer(), url: gateway.connectionUrl('go') }
    const mcp = [
      await callTool(legacy, 'go__pay', args),
      await callTool(single, 'pay', args),
      await callTool(peer(), 'go__pay', args),
    ]
    for (const { answer } of mcp)
      expect(answer.result?.['_meta']).toMatchObject({ 'dev.toolway/fault': { fault: AMBIGUOUS } })
    const ask = createAsk(gateway, key)
    const doors: [string, object][] = [
      ['rest/tools/go__pay/call', { arguments: args }],
      ['openai/tools/go__pay', args],
      ['mcp/tools/call', { name: 'go__pay', arguments: args }],
      // The operations of the OpenAPI document are at these addresses.
      ['go__pay', args],
    ]
    for (const [path, body] of doors) {
      const answered = await ask(`POST /o/default/t/default/${path}`, body)
      expect(answered.text, path).toContain(AMBIGUOUS)
    }
  })

  test('passes where no rule names an argument, and the exact names always pass', async () => {
    await add({ name: 'marks', action: 'warn' })
    expect(await pay({ Amount: 7 })).toMatchObject({ amount: 7 })
    await add({ action: 'clamp', parameters: { parameter: 'amount', max: 10 } })
    expect(await pay({ amount: 70, region: 'eu', other: 1, filter: { owner: 'ada', Other: 2 } })).toMatchObject({
      amount: 10,
      filter: { owner: 'ada' },
    })
  })

  test('does not matter where a rule only watches, or is another member’s', async () => {
    const rule = { action: 'clamp', parameters: { parameter: 'amount', max: 10 } }
    await add({ ...rule, name: 'watches', state: 'shadow' })
    await add({ ...rule, name: 'another', scope: 'member', of: 'ada@acme.test' })
    expect(await pay({ Amount: 70 })).toMatchObject({ amount: 70 })
  })
})
