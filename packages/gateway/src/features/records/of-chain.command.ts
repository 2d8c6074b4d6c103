/** The chain of records that a command is about, and moments and numbers as they are written on a command line. */
import { InvalidArgumentError } from 'commander'
import { CommandFault, EXIT } from '../../cli/terminal/output.ts'

/** In the place of an organization: the records that belong to none. */
export const PLATFORM = 'platform'

/** How what is on record ended. */
export const OUTCOMES = ['ok', 'tool_error', 'refused', 'failed', 'cancelled', 'unknown'] as const

export interface OfChain {
  readonly organization: string
}

export const isPlatform = ({ organization }: OfChain): boolean => organization === PLATFORM

/** Throws CommandFault for what is no moment; a day is its beginning in UTC. */
export function momentOf(text: string): string
export function momentOf(text: string | undefined): string | undefined
export function momentOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime()))
    throw new CommandFault(
      `"${text}" is not a time. Use a format such as 2026-11-20 or 2026-11-20T10:00:00Z.`,
      EXIT.usage,
    )
  return moment.toISOString()
}

export const wholeNumberOption = (least: number, most: number) => (text: string) => {
  const value = Number(text)
  if (/^\d{1,15}$/.test(text) && value >= least && value <= most) return value
  throw new InvalidArgumentError(`Must be a whole number from ${least} to ${most}.`)
}

/** Says beside figures that they lack records which the gateway has not counted yet. */
export const notesOf = ({ uncounted }: { readonly uncounted: number }): string[] =>
  uncounted > 0
    ? [
        `These figures are incomplete: the gateway is still counting earlier records, and ${uncounted} are not included yet.`,
      ]
    : []
