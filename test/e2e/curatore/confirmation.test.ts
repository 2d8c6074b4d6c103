/** Tools with side effects at the preset, without a database: a client that can ask its user does so, every other one is refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectClient, type Kind } from '../peers/clients/client.ts'
import { ask } from '../peers/clients/raw-client.ts'
import { ADMIN_KEY, connect, KEY, startCuratore, type Curatore } from './curatore.ts'

const MAIL = { to: ['ada@example.com'], subject: 'Plans', body: 'Here they are.' }
const admin = { authorization: `Bearer ${ADMIN_KEY}` }

let here: Curatore
beforeAll(async () => {
  here = await startCuratore({ MCP_ADMIN_API_KEY: ADMIN_KEY })
})
afterAll(() => here[Symbol.asyncDispose]())
beforeEach(() => void here.backend.state.requests.splice(0))

const sent = () => here.backend.asked('execute').length
const url = () => `${here.gateway.address}/mcp`

describe('a client that can ask its user', () => {
  const KINDS: readonly Kind[] = ['SDK 2 pinned to 2026-07-28', 'SDK 2 legacy', 'SDK 1']

  test.each(KINDS)(
    'S1-EVO-04: confirms each call of a tool with a side effect before anything is sent: %s',
    async (kind) => {
      await using client = await connectClient({ kind, url: url(), key: ADMIN_KEY, answers: true })
      expect(await client.call('send_email', MAIL)).toMatchObject({ structuredContent: { done: 'send_email' } })
      expect(client.asked).toHaveLength(1)
      const question = String(client.asked[0]?.params?.['message'])
      expect(question).toContain('Run send_email (write)')
      expect(question).toContain('ada@example.com')
      expect(sent()).toBe(1)
      // A yes is for one call.
      await client.call('send_email', MAIL)
      expect(client.asked).toHaveLength(2)
      // No approval is requested for tools that only read, nor for those that the policy file names.
      await client.call('search_assets', { query: 'x' })
      await client.call('classify_document', { asset_id: '7f1d2c3b-0000-4000-8000-000000000001' })
      expect(client.asked).toHaveLength(2)
    },
  )

  test('who says no has nothing sent', async () => {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
    const call = (more: Record<string, unknown> = {}, given: object = MAIL) =>
      ask(
        { url: url(), key: ADMIN_KEY, era: 'modern' },
        'tools/call',
        { name: 'send_email', arguments: given, ...more },
        { meta },
      )
    const answerOf = (state: unknown, action: string) => ({
      requestState: state,
      inputResponses: { approve: { action, content: {} } },
    })
    const first = (await call()).answer.result ?? {}
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { approve: {} } })
    const denied = (await call(answerOf(first['requestState'], 'decline'))).answer.result
    expect(denied).toMatchObject({ isError: true })
    expect(sent()).toBe(0)
    // The answer is used up, and an answer to one question is none to another call.
    expect((await call(answerOf(first['requestState'], 'accept'))).answer.result).toMatchObject({
      resultType: 'input_required',
    })
    const second = (await call()).answer.result ?? {}
    const other = await call(answerOf(second['requestState'], 'accept'), { ...MAIL, subject: 'Other plans' })
    expect(JSON.stringify(other.answer)).toContain('state.unknown')
    expect(sent()).toBe(0)
    expect((await call(answerOf(second['requestState'], 'accept'))).answer.result).not.toHaveProperty('isError', true)
    expect(sent()).toBe(1)
    // Sent once more, the same yes is no second one.
    expect((await call(answerOf(second['requestState'], 'accept'))).answer.result).toMatchObject({
      resultType: 'input_required',
    })
    expect(sent()).toBe(1)
  })
})

describe('a client that cannot ask its user', () => {
  test('S1-EVO-04: is refused with the reason and how to allow it, at every door', async () => {
    await using client = await connect(here, ADMIN_KEY)
    const overMcp = JSON.stringify(await client.callTool({ name: 'send_email', arguments: MAIL }))
    const flat = await here.call('send_email', MAIL, admin)
    for (const text of [overMcp, JSON.stringify(flat.body)]) {
      expect(text).toContain('APPROVAL_REQUIRED')
      expect(text).toContain('cannot ask its user')
      expect(text).toContain('side_effects_allowlist')
      expect(text).toContain('confirm_side_effects: false')
    }
    expect(sent()).toBe(0)
  })

  test('is served where the policy file names the tool, or asks for no confirmation', { tags: 'long' }, async () => {
    const settings = 'block_side_effects: false'
    const policy = (more: string) =>
      `version: "1.0"\nallowlist: [send_email, webhook]\nsettings: {${settings}, ${more}}\n`
    await using other = await startCuratore(
      { MCP_ADMIN_API_KEY: ADMIN_KEY },
      policy('side_effects_allowlist: [send_email]'),
    )
    const outcome = async (tool: string, given: object) => {
      const { body } = await other.call(tool, given)
      return body['isError'] === true ? 'refused' : 'sent'
    }
    const hook = { url: 'https://hooks.example/1', payload: {} }
    expect(await outcome('send_email', MAIL)).toBe('sent')
    expect(await outcome('webhook', hook)).toBe('refused')
    await other.writePolicy(policy('confirm_side_effects: false'))
    await other.ask('/policy/reload', { method: 'POST' })
    expect(await outcome('webhook', hook)).toBe('sent')
  })
})

test('only a client that may have to be asked gets a session, and only where something is asked', async () => {
  const initialize = async (key: string, capabilities: object) => {
    const response = await here.ask('/mcp', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'test', version: '1' } },
      },
    })
    expect(response.status).toBe(200)
    return response.headers.has('mcp-session-id')
  }
  expect(await initialize(ADMIN_KEY, { elicitation: {} })).toBe(true)
  expect(await initialize(ADMIN_KEY, {})).toBe(false)
  expect(await initialize(KEY, { elicitation: {} })).toBe(false)
})
