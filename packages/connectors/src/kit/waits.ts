/** Times to wait, and what is left of a rate limit, from the headers of an answer. */
import { get } from './shape.ts'
import type { VendorAnswer } from './tool.ts'

/** Seconds; longer waits are for people to decide. */
const LONGEST = 24 * 3600

/** Seconds from `Retry-After` (a number or a date, RFC 9110), a `retry_after` in the body, or the reset of an exhausted limit. */
export function retryAfterOf({ headers, body, at }: VendorAnswer): number | undefined {
  const header = headers['retry-after']?.trim()
  const seconds = secondsOf(header, at) ?? secondsOf(get(body, 'retry_after'), at)
  if (seconds !== undefined) return bounded(seconds)
  const reset = headers['x-ratelimit-reset']
  return headers['x-ratelimit-remaining'] === '0' && reset !== undefined && /^\d{9,11}$/.test(reset)
    ? bounded(Number(reset) - at / 1000)
    : undefined
}

function secondsOf(value: unknown, at: number): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value === '') return undefined
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : (date - at) / 1000
}

const bounded = (seconds: number) => Math.min(LONGEST, Math.max(1, Math.ceil(seconds)))

export interface QuotaHeaders {
  readonly left: string
  readonly resets: string
  /** The reset is a time in seconds or milliseconds since 1970, or a number of seconds from now. */
  readonly unit: 'seconds' | 'milliseconds' | 'from-now'
}

export interface Quota {
  readonly left: number
  /** Milliseconds since 1970. */
  readonly resetsAt: number
}

/** Undefined where the answer does not tell. */
export function quotaOf({ headers, at }: VendorAnswer, { left, resets, unit }: QuotaHeaders): Quota | undefined {
  const [count, reset] = [headers[left], headers[resets]].map((text) =>
    text === undefined ? Number.NaN : Number(text),
  )
  if (count === undefined || reset === undefined || Number.isNaN(count) || Number.isNaN(reset)) return undefined
  const resetsAt = unit === 'seconds' ? reset * 1000 : unit === 'milliseconds' ? reset : at + reset * 1000
  return { left: count, resetsAt }
}
