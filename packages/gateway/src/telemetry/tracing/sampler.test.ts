import { ROOT_CONTEXT } from '@opentelemetry/api'
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace'
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSampler } from './sampler.ts'

const ids = Array.from({ length: 2_000 }, () => randomBytes(16).toString('hex'))
const parent = (sampled: boolean) => ({ traceId: ids[0] ?? '', spanId: '00f067aa0ba902b7', sampled })

test.each([0, 0.1, 0.5, 1])('a share of %d decides as the official SDK does', (share) => {
  const sampler = createSampler('traceidratio', share)
  const official = new TraceIdRatioBasedSampler(share)
  for (const id of ids) {
    const { decision } = official.shouldSample(ROOT_CONTEXT, id)
    expect(sampler(id, undefined)).toBe(decision === SamplingDecision.RECORD_AND_SAMPLED)
  }
})

test('a caller decides only where the sampler is parent-based', () => {
  for (const name of ['always_on', 'always_off', 'traceidratio'] as const)
    for (const said of [true, false])
      expect(createSampler(name, 0)('a'.repeat(32), parent(said))).toBe(name === 'always_on')
  for (const said of [true, false])
    expect(createSampler('parentbased_always_off', 1)('a'.repeat(32), parent(said))).toBe(said)
  expect(createSampler('parentbased_traceidratio', 0)('a'.repeat(32), undefined)).toBe(false)
})
