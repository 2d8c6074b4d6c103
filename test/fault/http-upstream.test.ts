/**
 * Remote servers that misbehave in every way there is a name for, in both eras: the one who called is told what happened as
 * the tool's result, everybody else notices nothing, and nothing of it stays.
 */
import { describe, expect, test } from 'vitest'
import { listRecords } from '../../packages/gateway/src/testing/listed-records.ts'
import { startTestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { callTool, faultIn, textIn, type Called, type Target } from './caller.ts'
import { handlesBeyond, handlesNow } from './handles.ts'
import { MISBEHAVIOURS, startFaultyUpstream, type MisbehaviourName } from './faulty-upstream.ts'
import { PATIENCE_MS } from '../../packages/gateway/src/testing/patience.ts'

/** The error code that the caller gets; `ok` where the answer counts. */
const TOLD: Readonly<Record<MisbehaviourName, string>> = {
  good: 'ok',
  silent: 'upstream.timeout',
  'silent-stream': 'upstream.timeout',
  twice: 'ok',
  'twice-json': 'upstream.malformed',
  stranger: 'upstream.malformed',
  'stranger-stream': 'upstream.lost',
  'text-id': 'ok',
  array: 'ok',
  'keys-twice': 'ok',
  deep: 'upstream.malformed',
  latin1: 'ok',
  utf16: 'upstream.malformed',
  hints: 'ok',
  'header-bomb': 'upstream.lost',
  half: 'upstream.malformed',
  page: 'upstream.malformed',
  empty: 'upstream.malformed',
  accepted: 'upstream.malformed',
  s401: 'upstream.needs-auth',
  s403: 'upstream.needs-auth',
  s404: 'upstream.unreachable',
  s429: 'upstream.limited',
  s500: 'upstream.unreachable',
  s503: 'upstream.unreachable',
  s302: 'upstream.unreachable',
  s307: 'upstream.unreachable',
  s308: 'upstream.unreachable',
  cut: 'upstream.lost',
  reset: 'upstream.lost',
  'cut-stream': 'upstream.lost',
  'end-stream': 'upstream.lost',
  'half-event': 'upstream.lost',
  bytewise: 'ok',
  'question-flood': 'ok',
  flood: 'ok',
  endless: 'upstream.timeout',
  'endless-comments': 'upstream.timeout',
  trickle: 'upstream.timeout',
  huge: 'result.too-large',
  'huge-said': 'result.too-large',
  'huge-event': 'result.too-large',
}
const names = Object.keys(MISBEHAVIOURS) as MisbehaviourName[]

/** Limits of connections, in seconds: of one whose calls run into it, and of one whose calls end by themselves on any machine. */
const [LIMIT, NO_LIMIT] = [2, PATIENCE_MS / 1_000]
const callPatiently = (target: Target, name: string) =>
  callTool(target, name, {}, AbortSignal.timeout(PATIENCE_MS)).catch(() => undefined)

function outcomeOf(answer: Called | undefined): string {
  if (answer === undefined) return 'no answer'
  return faultIn(answer)?.fault ?? (answer.message.error === undefined ? 'ok' : 'an error')
}

/** A legacy server may ask, within bounds. */
const toldBy = (revision: string) => ({
  ...TOLD,
  ...(revision === '2025-11-25' ? { 'question-flood': 'upstream.malformed' } : {}),
})

describe.each(['2026-07-28', '2025-11-25'] as const)('a remote server of revision %s', (revision) => {
  test('that misbehaves costs its caller an answer that says so, and nobody else anything', async () => {
    await using upstream = await startFaultyUpstream()
    const wire = {
      kind: 'http' as const,
      url: upstream.url,
      headers: { authorization: 'Bearer secret-of-the-connection' },
    }
    await using gateway = await startTestGateway({
      connections: [
        { alias: 'faulty', revision, timeout: NO_LIMIT, wire },
        { alias: 'brief', revision, timeout: LIMIT, wire },
      ],
    })
    for (const alias of ['faulty', 'brief'])
      expect(await gateway.settled(alias)).toMatchObject({ status: 'connected', tools: names.length })
    const target = { url: gateway.connectionUrl('faulty'), key: gateway.key }
    const brief = { url: gateway.connectionUrl('brief'), key: gateway.key }
    const call = (name: MisbehaviourName) => callPatiently(TOLD[name] === 'upstream.timeout' ? brief : target, name)

    // All at once: none of them may wait for another.
    const answers = await Promise.all(names.map(async (name) => [name, await call(name)] as const))
    const told = Object.fromEntries(answers.map(([name, answer]) => [name, outcomeOf(answer)]))
    expect(told).toEqual(toldBy(revision))
    for (const [, answer] of answers) {
      expect(answer?.status).toBe(200)
      expect(answer?.text).not.toMatch(/secret-of|127\.0\.0\.1|Traceback/)
    }
    const text = Object.fromEntries(answers.map(([name, answer]) => [name, answer && textIn(answer)]))
    expect(text).toMatchObject({
      good: 'done',
      twice: 'first',
      flood: 'after the flood',
      'keys-twice': 'last',
      latin1: 'caf\ufffd',
      bytewise: 'caf\u00e9 \u{1f600}',
      hints: 'after the hints',
    })
    expect(upstream.elsewhere()).toBe(0)

    expect(textIn(await callTool(target, 'good'))).toBe('done')
    const codes = async () => {
      const records = await gateway.db.organization(gateway.organization.id, (sql) => listRecords(sql, { limit: 1000 }))
      const calls = records.filter(({ kind, target: name }) => kind === 'call' && name !== 'good')
      return Object.fromEntries(calls.map(({ target: name, code }) => [name, code ?? 'ok']))
    }
    const { good: _, ...bad } = toldBy(revision)
    await expect.poll(codes).toEqual(bad)
  })
})

test('nothing is left of misbehaving servers when the gateway is closed: no socket, no timer', async () => {
  const form = /^(TCP|Timeout|Process|Pipe)/
  const before = handlesNow(form)
  {
    await using upstream = await startFaultyUpstream()
    {
      const wire = { kind: 'http' as const, url: upstream.url, headers: {} }
      await using gateway = await startTestGateway({
        connections: [{ alias: 'faulty', revision: '2026-07-28', timeout: 1, wire }],
      })
      await gateway.settled('faulty')
      const target = { url: gateway.connectionUrl('faulty'), key: gateway.key }
      const names = ['silent', 'endless', 'trickle', 'huge', 'cut-stream', 'twice']
      await Promise.all(names.map((name) => callPatiently(target, name)))
      // The connection of an abandoned request is not kept open: one connection listens, the others are free for the next call.
      await expect.poll(() => upstream.connections()).toBeLessThan(names.length)
    }
    await expect.poll(() => upstream.connections()).toBe(0)
  }
  // Connections of this test's own fetch are kept a few seconds for the next request.
  await expect.poll(() => handlesBeyond(before, form)).toEqual([])
})
