/** Inputs that tools of many vendors take. An example in a description is what a model copies, so every identifier has one. */
import { z } from 'zod'

export const text = (says: string) => z.string().min(1).describe(says)
export const maybe = (says: string) => z.string().optional().describe(says)
export const texts = (says: string) => z.array(z.string()).optional().describe(says)
export const whole = (says: string) => z.int().describe(says)
export const flag = (says: string) => z.boolean().optional().describe(says)
export const choice = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values)
