/** Answers of servers that are not quite as the specification says: which are read, which are refused, and in which words. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { NOBODY, type LegacySession } from '@toolway/protocol/client'
import { describe, expect, test } from 'vitest'
import { startScriptedUpstream, type Heard, type Script } from '../../../../../test/fault/scripted-upstream.ts'
import {
  done,
  ERROR_ANSWERS,
  event,
  READ_ANSWERS,
  REFUSED_ANSWERS,
  stream,
  type Says,
} from '../../../../../test/wild/rows/answers.ts'
import { createSessionPool } from '../session-pool.ts'
import { createHttpUpstream } from './http-upstream.ts'

const REVISIONS = ['2026-07-28', '2025-11-25'] as const
type Revision = (typeof REVISIONS)[number]

function upstreamAt(url: string, revision: Revision, timeout = 60) {
  let last = 0
  const notes: Record<string, unknown>[] = []
  const pool = createSessionPool<LegacySession>({ now: Date.now })
  const upstream = createHttpUpstream({
    reach: {
      ...{ connectionId: 'con_1', alias: 'web', timeout, revision, pinned: true },
      wire: { url, private: true, headers: {} },
    },
    ids: () => ++last,
    pool,
    onRevision() {},
    onStateChange() {},
    onNote: (facts) => void notes.push(facts),
  })
  const ask = (params: JsonObject = {}) =>
    upstream.ask({
      ...{
        method: 'tools/call',
        params: { name: 'good', ...params },
        caller: NOBODY,
        session: undefined,
        owner: 'ann',
      },
      ...{ headerParameters: [], signal: AbortSignal.timeout(60_000), onNotification() {} },
      onQuestion: () => Promise.resolve({ error: { code: -32601, message: 'no' } }),
    })
  const call = (params?: JsonObject) =>
    ask(params).then(
      (answer) => {
        if ('error' in answer) return `${answer.error.code} ${answer.error.message}`
        const [first] = (answer.result['content'] ?? []) as { text: string }[]
        return first?.text ?? JSON.stringify(answer.result)
      },
      (thrown: Fault) => `${thrown.code}: ${thrown.message}`,
    )
  const fault = () =>
    ask().then(
      () => expect.unreachable('the call was answered'),
      (thrown: Fault) => thrown,
    )
  const close = async () => {
    await upstream.close()
    pool.close()
  }
  return { call, fault, notes, [Symbol.asyncDispose]: close }
}

/** The script of a server that answers each call so. */
const callsOf = (says: Says, revision: Revision): Script => ({
  era: revision === '2026-07-28' ? 'modern' : 'legacy',
  act(heard, response) {
    if (heard.method !== 'tools/call') return false
    says(response, heard)
    return true
  },
})

/** A server that gives this answer to a call, and a call of it. */
async function outcomeOf(says: Says, revision: Revision) {
  await using server = await startScriptedUpstream(callsOf(says, revision))
  await using client = upstreamAt(server.url, revision)
  const outcome = await client.call()
  return { outcome, notes: client.notes, calls: server.of('tools/call') }
}

describe.each(REVISIONS)('a server of revision %s', (revision) => {
  test.each(READ_ANSWERS)('that answers with %s is understood', async (_, says) => {
    const { outcome, calls } = await outcomeOf(says, revision)
    expect(outcome).toBe('done')
    expect(calls).toHaveLength(1)
    expect(calls[0]?.headers['accept-encoding']).toBe('identity')
  })

  test.each(ERROR_ANSWERS)('that answers with %s gives an error of its own', async (_, says, outcome) => {
    expect((await outcomeOf(says, revision)).outcome).toBe(outcome)
  })

  test.each(REFUSED_ANSWERS)('that answers with %s is refused, and says why', async (_, says, words) => {
    expect((await outcomeOf(says, revision)).outcome).toMatch(words)
  })

  test('whose events are passed over is told of in the log, at growing intervals', async () => {
    const { notes } = await outcomeOf(
      stream((heard) => 'data: x\n\n'.repeat(150) + event(done(heard))),
      revision,
    )
    expect(notes.map(({ passedOver }) => passedOver)).toEqual([1, 10, 100])
  })
})

/** Redirects a call once, and answers it at `/mcp/`. */
async function startRedirecting(status: number, location: string) {
  const heard: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => {
      heard.push(`${request.method} ${request.url} ${request.headers['mcp-method'] ?? ''}`)
      if (request.url === '/mcp') return void response.writeHead(status, { location }).end()
      if (request.url?.startsWith('/loop')) return void response.writeHead(307, { location: '/loop' }).end()
      const { id } = JSON.parse(body) as Heard
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(done({ id })))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    heard,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

describe('a redirect of a call', () => {
  test.each([
    [307, '/mcp/'],
    [308, '/mcp/'],
    [307, 'mcp/?v=2'],
  ])('with %i to %s at the same origin is followed with the same message', async (status, location) => {
    await using server = await startRedirecting(status, location)
    await using client = upstreamAt(server.url, '2026-07-28')
    expect(await client.call()).toBe('done')
    expect(server.heard).toEqual(['POST /mcp tools/call', `POST /${location.replace(/^\//, '')} tools/call`])
  })

  test.each([
    [302, '/mcp/', /^HTTP 302 redirects to http:\/\/127.0.0.1:\d+\/mcp\/$/],
    [307, 'https://elsewhere.example/mcp?key=1', /^HTTP 307 redirects to https:\/\/elsewhere.example\/mcp$/],
    [307, '/loop', /^HTTP 307 redirects to .*\/loop$/],
    [307, 'http://[', /^HTTP 307$/],
  ])('with %i to %s is not followed, and only its cause names where it leads', async (status, location, cause) => {
    await using server = await startRedirecting(status, location)
    await using client = upstreamAt(server.url, '2026-07-28')
    const thrown = await client.fault()
    expect(thrown.message).toMatch(
      new RegExp(`HTTP ${status}(\\.$| and redirects to another address, which is not followed)`),
    )
    expect(thrown.message).not.toMatch(/127\.0\.0\.1|elsewhere|loop/)
    expect((thrown.cause as Error).message).toMatch(cause)
    expect(server.heard.length).toBeLessThanOrEqual(4)
  })
})

interface Reports {
  readonly times: number
  /** Milliseconds between two. */
  readonly each: number
  readonly step?: number
  token?(own: string | undefined): string
}

describe('progress', () => {
  const reporting =
    ({ times, each, step = 1, token = String }: Reports): Says =>
    (response, heard) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const meta = heard.params['_meta'] as { progressToken?: string } | undefined
      let progress = 0
      let left = times
      const timer = setInterval(() => {
        const params = { progressToken: token(meta?.progressToken), progress: (progress += step) }
        response.write(event({ jsonrpc: '2.0', method: 'notifications/progress', params }))
        if (--left > 0) return
        clearInterval(timer)
        response.end(event(done(heard)))
      }, each)
      response.on('close', () => clearInterval(timer))
    }

  /** The outcome of a call whose server reports so, with that time limit in seconds. */
  async function outcomeAt(revision: Revision, limit: number, reports: Reports) {
    await using server = await startScriptedUpstream(callsOf(reporting(reports), revision))
    await using client = upstreamAt(server.url, revision, limit)
    return await client.call({ _meta: { progressToken: 'mine' } })
  }

  test.each(REVISIONS)('extends the time limit of a call (%s)', async (revision) => {
    expect(await outcomeAt(revision, 3, { times: 8, each: 400 })).toBe('done')
  })

  test.each([
    ['of another request', { token: () => 'p99' }],
    ['that stands still', { step: 0 }],
    ['that goes back', { step: -1 }],
  ])('%s extends nothing', async (_, odd) => {
    for (const revision of REVISIONS)
      expect(await outcomeAt(revision, 1, { times: 100, each: 100, ...odd })).toMatch(/^upstream.timeout: /)
  })
})
