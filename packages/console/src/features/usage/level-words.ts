/** Numbers of service levels as words: a share keeps the places that tell 99.95 from 100. */
import type { ServiceLevel } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { duration, percent as percentOf } from '../../ui/times.ts'

const t = texts.serviceLevels

/** Never rounded up to 100: one failed call is to be seen. */
export function percentRoundedDown(value: number | null, places = 2): string {
  if (value === null) return t.none
  const factor = 10 ** places
  const shown = Math.floor(value * factor + 1e-6) / factor
  return percentOf(shown, places)
}

export const time = (milliseconds: number | null): string => (milliseconds === null ? t.none : duration(milliseconds))

export const isMissed = ({ availability }: Pick<ServiceLevel, 'availability'>, target: number): boolean =>
  availability !== null && availability < target
