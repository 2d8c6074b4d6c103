/**
 * The decision whether a trace is recorded (OpenTelemetry, tracing SDK, sampling): always on, always off, or a share of the traces;
 * parent-based ones follow the caller where it names a parent.
 *
 * The share is decided by the trace id, so that all who take part in a trace decide alike. A caller's flag counts only where the
 * operator chose a parent-based sampler.
 */
import type { TraceParent } from '@toolway/protocol'

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type SamplerName = (typeof SAMPLERS)[number]

export type Sampler = (traceId: string, parent: TraceParent | undefined) => boolean

/** `share`: of the traces that are recorded, from 0 to 1; for the samplers by ratio. */
export function createSampler(name: SamplerName, share: number): Sampler {
  const own = ownDecision(name, share)
  return name.startsWith('parentbased_') ? (traceId, parent) => parent?.sampled ?? own(traceId) : own
}

function ownDecision(name: SamplerName, share: number): (traceId: string) => boolean {
  if (name.endsWith('always_off') || (name.endsWith('traceidratio') && share <= 0)) return () => false
  if (name.endsWith('always_on') || share >= 1) return () => true
  const bound = Math.floor(share * 0xffff_ffff)
  return (traceId) => foldTraceId(traceId) < bound
}

/** The four words of an id folded into one: the algorithm of the JavaScript SDK. */
function foldTraceId(traceId: string): number {
  let value = 0
  for (let at = 0; at < 32; at += 8) value = (value ^ Number.parseInt(traceId.slice(at, at + 8), 16)) >>> 0
  return value
}
