/** Limits that nobody reaches, for those who test something else. */
import { createLimits, type Limits } from '../limits/limits.ts'

export const createNoLimits = (): Limits =>
  createLimits({
    rates: { address: 0, organization: 0, administration: 0, key: 0, connection: 0 },
    now: () => 0,
    onRefuse() {},
  })
