/**
 * The lines in which a program and its sandbox say why it ended or does not answer, for whoever looks after its connection.
 *
 * Of the program it is the first line of stderr that names an error, and not the last one, which of a stack trace says nothing. What
 * its sandbox kept from it stands beside that: refused hosts before it, since a package that could not be fetched explains the rest,
 * and paths after it. Callers never read any of it: stderr may hold what is not for them, and a path tells what is on this machine.
 * So it travels as a cause, and only the reason of a connection's state and the log show it.
 */
import type { Fault } from '@toolway/contract'

/** The beginning of lines that the gateway puts in; a line of a program that begins so is marked as the program's. */
export const OWN_WORDS = 'toolway: '

/** Paths and hosts that the sandbox kept from a program, in whole sentences with the mend. */
export interface Withheld {
  /** Of hosts that its proxy refused. */
  readonly hosts: readonly string[]
  /** Of paths that it names and does not see. */
  readonly paths: readonly string[]
}

export const NOTHING_WITHHELD: Withheld = { hosts: [], paths: [] }
export const isNothing = ({ hosts, paths }: Withheld): boolean => hosts.length + paths.length === 0

/** Lines of a stack trace or of source, warnings, and marks beneath them. */
const BESIDE = /^\s|^(?:at|File) |\bwarn(?:ing)?\b|\bnotice\b|^[\W_]*$|^Traceback|^Node\.js v|^(?:throw|raise)\b/i
/** An error by its own name: `TypeError: …`, `getaddrinfo ENOTFOUND …`, `npm error code E404`, `error: …`. */
const NAMED =
  /\b[A-Z]\w*(?:Error|Exception)\b|\bE[A-Z]{4,}\b|\bE\d{3}\b|\b[A-Z]+_[A-Z_]*(?:CERT|ERR|SIGNATURE)[A-Z_]*\b|\bCERT_[A-Z_]+\b|^\W*(?:npm )?(?:error|ERR!|fatal|panic)\b/
const TOLD =
  /\b(?:error|failed|failure|cannot|can't|could not|unable|not found|denied|refused|missing|required|invalid|unknown)\b/i
const MOST = 300
/** Sentences of one kind in a reason. */
const MOST_SENTENCES = 3

/** Whether a line names an error by its own name. */
export const namesError = (line: string): boolean => !BESIDE.test(line) && NAMED.test(line)
/** Whether a line names an error, or speaks of one in other words. */
export const speaksOfError = (line: string): boolean => namesError(line) || (!BESIDE.test(line) && TOLD.test(line))

/** Of the program's own lines; undefined where it said nothing. */
export function tellingLine(all: readonly string[]): string | undefined {
  const lines = all.filter((line) => !line.startsWith(OWN_WORDS))
  const telling = lines.filter((line) => !BESIDE.test(line))
  const line =
    telling.find((value) => NAMED.test(value)) ??
    telling.find((value) => TOLD.test(value)) ??
    telling.at(-1) ??
    lines.findLast((line) => line.trim() !== '')
  return line?.trim().slice(0, MOST)
}

/** The cause of a fault of a program: how it ended, what it said, and what its sandbox kept from it. */
export class ProgramSaid extends Error {
  /** Sentences, the likeliest cause first. */
  readonly reasons: readonly string[]

  constructor(how: string, stderr: readonly string[], { hosts, paths }: Withheld = NOTHING_WITHHELD) {
    const line = tellingLine(stderr)
    const before = hosts.slice(0, MOST_SENTENCES)
    const after = paths.slice(0, MOST_SENTENCES)
    super([how, ...before, ...(line === undefined ? [] : [`it said: ${line}`]), ...after].map(withoutStop).join('; '))
    this.reasons = [...before, ...(line === undefined ? [] : [`It said: ${line}`]), ...after]
  }
}

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '')
const withStop = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`)

/** A fault as the state of a connection tells it, to those who may look after the connection. */
export function reasonOf(fault: Fault): string {
  for (let cause: unknown = fault.cause; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ProgramSaid && cause.reasons.length > 0) {
      const last = cause.reasons.at(-1) ?? ''
      return [fault.message, ...cause.reasons.slice(0, -1).map(withStop), last].join(' ')
    }
  return fault.message
}
