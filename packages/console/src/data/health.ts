/** Whether the gateway that answers can serve now, and what it looked at to know: what probes ask it, too. */
import { queryOptions } from '@tanstack/react-query'
import { Problem } from './problem.ts'
import { texts } from '../texts/texts.ts'

export interface Health {
  readonly status: string
  readonly problem?: string
  readonly checks: Readonly<Record<string, string>>
}

const READY = '/health/ready'

export const health = queryOptions({
  queryKey: ['runtime', null, 'health'],
  queryFn: async ({ signal }): Promise<Health> => {
    const response = await fetch(READY, { signal }).catch(() => undefined)
    if (response === undefined)
      throw new Problem({ message: texts.failed.noAnswer, mend: texts.failed.askAgain, asked: `GET ${READY}` })
    // That it cannot serve is an answer too (503), with the same shape.
    return (await response.json()) as Health
  },
})
