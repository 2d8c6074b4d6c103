/**
 * Tests the loss of an account in the middle of a conversation. Its user is directed to a page by the method of the client's
 * revision, connects it again, and the same client finishes its call. The user is simulated over http; the pages are the
 * gateway's own.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { textOf } from '../peers/clients/client.ts'
import { readEvents } from '../peers/clients/event-reader.ts'
import { ask, openSession, start, type RawPeer } from '../peers/clients/raw-client.ts'
import { startAccountStory, startKeyStory, type KeyStory, type Story } from '../peers/repair-story.ts'
import { until } from '../peers/until.ts'

const KINDS = ['SDK 2 pinned to 2026-07-28', 'SDK 2 legacy', 'SDK 1'] as const
const STARTS = { 'whose refresh token is taken away': startAccountStory, 'whose key is taken back': startKeyStory }
const linkIn = (text: string): string => /http:\S+\/connect\/[\w-]+/.exec(text)?.[0] ?? ''

describe.each(['whose refresh token is taken away', 'whose key is taken back'] as const)('an account %s', (how) => {
  let story: Story
  beforeAll(async () => {
    story = await STARTS[how]()
  })
  afterAll(() => story[Symbol.asyncDispose]())

  test.each(KINDS)('is connected anew from within the call of %s, which goes on by itself', async (kind) => {
    await using client = await story.client({ kind, opens: true })
    expect(textOf(await client.call('write_note'))).toMatch(/^write_note for/)
    const before = story.called().length
    await story.lose()
    const result = await client.call('write_note')
    expect(textOf(result)).toMatch(/^write_note for/)
    expect(result._meta).toMatchObject({ 'dev.toolway/account': { owner: 'member' } })
    expect(story.called().slice(before)).toEqual(['write_note'])
    expect(client.asked).toMatchObject([{ method: 'elicitation/create', params: { mode: 'url' } }])
    expect(textOf(await client.call('who_am_i'))).toMatch(/^who_am_i for/)
    expect(client.asked).toHaveLength(1)
  })

  test.each(KINDS)('is told in words to %s where it opens no pages, and calling again works', async (kind) => {
    await using client = await story.client({ kind })
    await story.lose()
    const result = await client.call('who_am_i')
    expect(result.isError).toBe(true)
    const link = linkIn(textOf(result))
    expect(result._meta?.['dev.toolway/fault']).toMatchObject({
      code: 'NEEDS_AUTH',
      connect_url: link,
      connection: 'notes',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    // A repeated call returns the same link.
    expect(linkIn(textOf(await client.call('who_am_i')))).toBe(link)
    await story.open(link)
    expect(textOf(await client.call('who_am_i'))).toMatch(/^who_am_i for/)
  })

  test.each(['2024-11-05', '2025-03-26', '2025-06-18'])('is told in words to a client of %s', async (revision) => {
    const peer = await openSession(story.url, story.token, revision, { elicitation: { url: {} } })
    await story.lose()
    const headers = { 'mcp-protocol-version': revision }
    const call = async () => (await ask(peer, 'tools/call', { name: 'who_am_i', arguments: {} }, { headers })).answer
    const { result } = await call()
    expect(result?.isError).toBe(true)
    await story.open(linkIn(result?.content?.[0]?.text ?? ''))
    expect((await call()).result?.content?.[0]?.text).toMatch(/^who_am_i for/)
  })

  test('is asked for once by two calls of one session, and both go on', async () => {
    await using client = await story.client({ kind: 'SDK 2 legacy', opens: true })
    await story.lose()
    const before = story.opened.length
    const both = await Promise.all([client.call('who_am_i'), client.call('who_am_i')])
    for (const one of both) expect(textOf(one)).toMatch(/^who_am_i for/)
    expect(story.opened.length - before).toBe(1)
    await until('the client hears that the page is done with', () =>
      client.heard.some(({ method }) => method === 'notifications/elicitation/complete'),
    )
  })

  test('leads two calls of a modern client to one page, and both go on', async () => {
    await using client = await story.client({ kind: 'SDK 2 pinned to 2026-07-28', opens: true })
    await story.lose()
    const before = story.opened.length
    const both = await Promise.all([client.call('who_am_i'), client.call('who_am_i')])
    for (const one of both) expect(textOf(one)).toMatch(/^who_am_i for/)
    expect(new Set(story.opened.slice(before)).size).toBe(1)
  })

  test('is on record: what was asked first, and which account acted in the end', async () => {
    const headers = { 'x-correlation-id': 'recorded' }
    await using client = await story.client({ kind: 'SDK 2 pinned to 2026-07-28', opens: true, headers })
    await story.lose()
    await client.call('who_am_i')
    const own = await until('both are on record', async () => {
      const records = await story.records('recorded')
      return records.length === 2 && records
    })
    expect(own).toMatchObject([
      { outcome: 'refused', code: 'credential.needed' },
      { outcome: 'ok', code: null, detail: { account: { owner: 'member' } } },
    ])
  })
})

describe('by hand', () => {
  let story: KeyStory
  beforeAll(async () => {
    story = await startKeyStory()
  })
  afterAll(() => story[Symbol.asyncDispose]())

  const modern = (): RawPeer => ({ url: story.url, key: story.token, era: 'modern' })
  const callModern = (name: string, more: Record<string, unknown> = {}) =>
    ask(modern(), 'tools/call', { name, arguments: {}, ...more }, { meta: PAGES })

  test('a server whose 401 says nothing ends a write, which is not sent again before its caller says so', async () => {
    await using client = await story.client({ kind: 'SDK 2 legacy', opens: true })
    story.challenges(false)
    try {
      await story.lose()
      const [called, presented] = [story.called().length, story.presented()]
      const result = await client.call('write_note')
      expect(result.isError).toBe(true)
      expect(client.asked).toEqual([])
      expect(story.presented() - presented).toBe(1)
      expect(story.called().length).toBe(called)
      await story.open(linkIn(textOf(result)))
      expect(textOf(await client.call('write_note'))).toMatch(/^write_note for/)
    } finally {
      story.challenges(true)
    }
  })

  test.each(['modern', 'legacy'] as const)(
    'a person who does not want to is taken at their word (%s), and asked anew by the next call',
    async (era) => {
      await story.lose()
      const before = story.called().length
      const told = era === 'modern' ? await declineModern() : await declineLegacy()
      expect(told).toMatchObject({
        isError: true,
        _meta: { 'dev.toolway/fault': { code: 'NEEDS_AUTH', fault: 'credential.declined' } },
      })
      expect(story.called().length).toBe(before)
      await using client = await story.client({ kind: 'SDK 2 pinned to 2026-07-28', opens: true })
      expect(textOf(await client.call('who_am_i'))).toMatch(/^who_am_i for/)
    },
  )

  test('a state of a question is good for nobody else, for no other call, and not when it was changed', async () => {
    await story.lose()
    const { requestState } = (await callModern('who_am_i')).answer.result ?? {}
    const accepted = { requestState, inputResponses: { connect: { action: 'accept' } } }
    const stranger = { ...modern(), key: story.gateway.key }
    const tries = [
      await ask(stranger, 'tools/call', { name: 'who_am_i', arguments: {}, ...accepted }, { meta: PAGES }),
      await callModern('write_note', accepted),
      await callModern('who_am_i', { ...accepted, requestState: `${String(requestState).slice(0, -3)}AAA` }),
    ]
    for (const { answer } of tries) expect(answer.error?.data).toMatchObject({ fault: 'state.unknown' })
    await story.open(linkIn(JSON.stringify((await callModern('who_am_i')).answer)))
    const went = (await callModern('who_am_i', accepted)).answer.result
    expect(went?.content?.[0]?.text).toMatch(/^who_am_i for/)
  })

  test('a client whose stream takes no question gets the error of its revision, with the page', async () => {
    await story.lose()
    const peer = await openSession(story.url, story.token, '2025-11-25', { elicitation: { url: {} } })
    const headers = { accept: 'application/json' }
    const { answer } = await ask(peer, 'tools/call', { name: 'who_am_i', arguments: {} }, { headers })
    const elicitations = answer.error?.data?.['elicitations'] as { mode: string; url: string }[]
    expect(answer.error).toMatchObject({ code: -32042, data: { code: 'NEEDS_AUTH', fault: 'credential.needed' } })
    expect(elicitations).toMatchObject([{ mode: 'url', elicitationId: expect.any(String) }])
    await story.open(elicitations[0]?.url ?? '')
    const again = await ask(peer, 'tools/call', { name: 'who_am_i', arguments: {} }, { headers })
    expect(again.answer.result?.content?.[0]?.text).toMatch(/^who_am_i for/)
  })

  test('a prompt leads to the page, too, or says its link in its error', async () => {
    await story.lose()
    const given = { name: 'greet' }
    const asked = (await ask(modern(), 'prompts/get', given, { meta: PAGES })).answer.result
    expect(asked).toMatchObject({ inputRequests: { connect: { params: { mode: 'url' } } } })
    const { error } = (await ask(modern(), 'prompts/get', given)).answer
    expect(error?.data).toMatchObject({ code: 'NEEDS_AUTH', connection: 'notes' })
    await story.open(String(error?.data?.['connect_url']))
    const accepted = { requestState: asked?.['requestState'], inputResponses: { connect: { action: 'accept' } } }
    const went = await ask(modern(), 'prompts/get', { ...given, ...accepted }, { meta: PAGES })
    expect(went.answer.result?.['messages']).toMatchObject([{ content: { text: 'Say hello.' } }])
  })

  async function declineModern() {
    const { requestState } = (await callModern('who_am_i')).answer.result ?? {}
    const declined = await callModern('who_am_i', { requestState, inputResponses: { connect: { action: 'decline' } } })
    return declined.answer.result
  }

  async function declineLegacy() {
    const peer = await openSession(story.url, story.token, '2025-11-25', { elicitation: { url: {} } })
    const stream = await readEvents((signal) =>
      start(peer, 'tools/call', { name: 'who_am_i', arguments: {} }, { signal }),
    )
    const question = await until('the question comes', () => stream.messages.find(({ method }) => method !== undefined))
    const { status } = await fetch(story.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${story.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': peer.session,
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } }),
    })
    expect(status).toBe(202)
    await stream.done
    return stream.messages.at(-1)?.result
  }
})

const PAGES = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } }
