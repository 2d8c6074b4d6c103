/** Settings of a connection out of what was described. */
import { ConnectionSettings, Fault } from '@toolway/contract'
import { hasMask } from '@toolway/contract/secret-marks'

/** Throws `params.shape` with the first problem. */
export function checkSettings(settings: unknown): ConnectionSettings {
  const parsed = ConnectionSettings.safeParse(settings)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Fault('params.shape', {
    place: `/${issue?.path.join('/') ?? ''}`,
    problem: issue?.message ?? 'is not valid',
  })
}

export const mismatch = (pointer: string, problem: string) => new Fault('body.shape', { place: pointer, problem })

export const MASKED = 'contains a mask instead of a secret: enter the secret in full'

export function refuseMask(pointer: string, text: string): void {
  if (hasMask(text)) throw mismatch(pointer, MASKED)
}

type Pairs = Readonly<Record<string, string | null>>

/** Named pairs over those that are held; null takes one away. Names of headers are alike in any case. */
export function mergePairs(pointer: string, stored: Readonly<Record<string, string>>, input: Pairs, anyCase: boolean) {
  const keyOf = (name: string) => (anyCase ? name.toLowerCase() : name)
  const named = new Set(Object.keys(input).map(keyOf))
  const preserved = Object.entries(stored).filter(([name]) => !named.has(keyOf(name)))
  const changed = Object.entries(input).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
  for (const [name, value] of changed) refuseMask(`${pointer}/${name}`, value)
  return { pairs: Object.fromEntries([...preserved, ...changed]), kept: preserved.length > 0 }
}
