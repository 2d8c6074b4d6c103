/** Looks for spans among those that a receiver of OTLP was sent. */
import { expect } from 'vitest'
import type { OtlpReceiver, ReceivedSpan } from '../../../packages/gateway/src/testing/otlp-receiver.ts'
import { until } from '../peers/until.ts'

export interface Traces {
  /** The spans of a trace, once all of these names are among them. */
  of(traceId: string, names: readonly string[]): Promise<ReceivedSpan[]>
  find(is: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>
}

export const createTraces = ({ spans }: Pick<OtlpReceiver, 'spans'>): Traces => ({
  async of(traceId, names) {
    const own = () => spans.filter((span) => span.traceId === traceId)
    await until(`the spans ${names.join(', ')}`, () =>
      Promise.resolve(names.every((name) => own().some((span) => span.name === name))),
    )
    return own()
  },
  find: (is) => until('such a span', () => Promise.resolve(spans.find(is))),
})

function one(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  expect(spans, name).toHaveLength(1)
  return spans[0] as ReceivedSpan
}

/** The one span of that name. */
export const oneNamed = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan =>
  one(
    spans.filter((span) => span.name === name),
    name,
  )

/** The one span of the gateway that is this step of a call. */
export const oneStep = (spans: readonly ReceivedSpan[], step: string): ReceivedSpan =>
  one(
    spans.filter((span) => span.attributes['toolway.step'] === step),
    step,
  )
