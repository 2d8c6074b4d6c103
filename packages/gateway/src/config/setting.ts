/** The form of a setting, and the shapes that several settings have. */
import { isPlaceholder } from '@toolway/contract'
import { z } from 'zod'

export interface Setting {
  readonly shape: z.ZodType
  readonly about: string
  readonly secret?: boolean
  /** Other names for it, under which other programs know it (ledger U-25). */
  readonly also?: readonly string[]
}
export const defineSetting = <Shape extends z.ZodType>(shape: Shape, about: string, secret = false) => ({
  shape,
  about,
  secret,
})
export const defineKnownSetting = <Shape extends z.ZodType>(
  also: readonly string[],
  plain: ReturnType<typeof defineSetting<Shape>>,
) => ({
  ...plain,
  also,
})

/** The values of some settings by their names. */
export type ValuesOf<Settings extends Readonly<Record<string, Setting>>> = {
  readonly [Name in keyof Settings]: z.output<Settings[Name]['shape']>
}

export const onOff = (unsaid: 'on' | 'off') => z.enum(['on', 'off'], 'it must be on or off').default(unsaid)
export const bytes = (unsaid: number, least: number, most: number) => {
  const problem = `it must be a whole number of bytes from ${least} to ${most}`
  return z
    .string()
    .default(String(unsaid))
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most, problem)
    .transform(Number)
}
export const list = z.string().default('').transform(splitList)

export const wholeNumber = (least: number, most: number) => {
  const problem = `it must be a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,7}$/, problem)
    .transform(Number)
    .refine((number) => number >= least && number <= most, problem)
}

/** A placeholder that was not replaced counts as not set. */
export const notPlaceholder = z
  .string()
  .optional()
  .transform((text) => (text === undefined || isPlaceholder(text) ? undefined : text.trim()))

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
