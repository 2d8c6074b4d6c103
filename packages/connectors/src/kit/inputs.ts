/** Inputs that tools of many vendors take. An example in a description is what a model copies, so every identifier has one. */
import { z } from 'zod'
import { refusal } from './failure.ts'
import type { Json } from './tool.ts'

export const text = (says: string) => z.string().describe(says)
export const maybe = (says: string) => z.string().optional().describe(says)
export const texts = (says: string) => z.array(z.string()).optional().describe(says)
export const whole = (says: string) => z.int().describe(says)
export const flag = (says: string) => z.boolean().optional().describe(says)
export const choice = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values)

/** The members that an update changes. Throws ToolFailure where there are none, since nothing would be done. */
export function changed<T extends Json>(members: T): T {
  if (Object.values(members).some((value) => value !== undefined)) return members
  throw refusal(
    'INVALID_ARGUMENT',
    `Specify at least one of ${Object.keys(members).join(', ') || 'the fields to change'}.`,
  )
}
