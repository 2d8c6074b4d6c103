import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createOtlpExporter, type OtlpTarget, type Post } from './otlp-exporter.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Answer = Awaited<ReturnType<Post>> | Error
const status = (code: number, retryAfter?: string): Answer => ({ status: code, retryAfter, body: new Uint8Array() })

function fixture(answers: Answer[], target: Partial<OtlpTarget> = {}) {
  const told: [Record<string, unknown>, string][] = []
  const counts: Record<string, number> = {}
  let asked = 0
  const count = (name: string, more: number) => (counts[name] = (counts[name] ?? 0) + more)
  const exporter = createOtlpExporter({
    target: {
      ...{ url: 'http://collector/v1/traces?token=s3cret', headers: { authorization: 's3cret' } },
      ...{ timeout: 10_000, compression: 'none', ...target },
    },
    signal: 'traces',
    post() {
      const answer = answers[Math.min(asked++, answers.length - 1)] ?? new Error('none')
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    },
    warn: (facts, message) => told.push([facts, message]),
    exported: (more) => count('exported', more),
    drop: (more, reason) => count(reason, more),
    now: () => Date.now(),
  })
  return { exporter, told, counts, asked: () => asked }
}
const body = Buffer.from('x')

test('a server that is away for a moment is asked again, as it wants', async () => {
  const { exporter, counts, asked } = fixture([new Error('gone'), status(503, '2'), status(429), status(200)])
  const exporting = exporter.export(body, 5)
  await vi.advanceTimersByTimeAsync(9_000)
  await exporting
  expect([counts, asked()]).toEqual([{ exported: 5 }, 4])
})

test('a refusal is final, and is told once a minute without a secret', async () => {
  const { exporter, told, counts, asked } = fixture([status(401)])
  for (let times = 0; times < 3; times++) await exporter.export(body, 5)
  expect([counts, asked()]).toEqual([{ refused: 15 }, 3])
  expect(told).toHaveLength(1)
  expect(told[0]?.[0]).toMatchObject({
    endpoint: 'http://collector/v1/traces',
    problem: 'it responded with HTTP 401',
  })
  expect(JSON.stringify(told)).not.toContain('s3cret')
  vi.advanceTimersByTime(60_000)
  await exporter.export(body, 5)
  expect(told[1]?.[0]).toMatchObject({ items: 15 })
})

test('a batch that is not taken in time is lost, and counted', async () => {
  vi.useRealTimers()
  const { exporter, counts } = fixture([new Error('gone')], { timeout: 20 })
  await exporter.export(body, 5)
  expect(counts).toEqual({ undelivered: 5 })
})

test('what a server rejects of a batch is counted as lost', async () => {
  // partial_success { rejected_spans: 2, error_message: "no" }
  const partial = Uint8Array.from([0x0a, 0x06, 0x08, 0x02, 0x12, 0x02, 0x6e, 0x6f])
  const { exporter, counts } = fixture([{ status: 200, retryAfter: undefined, body: partial }])
  await exporter.export(body, 5)
  expect(counts).toEqual({ exported: 3, refused: 2 })
})
