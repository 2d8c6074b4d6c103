/**
 * The line in which a program says why it ended or does not answer, for whoever looks after its connection.
 *
 * It is the first line of stderr that names an error, and not the last one, which of a stack trace says nothing. Callers never
 * read it: stderr may hold what is not for them, so the line travels as a cause, and only the reason of a connection's state and
 * the log show it.
 */
import type { Fault } from '@toolway/contract'

/** The beginning of lines that the gateway puts in; a line of a program that begins so is marked as the program's. */
export const OWN_WORDS = 'toolway: '
const CLOSED_PATH = /^toolway: .* is not allowed in the sandbox: /

/** Lines of a stack trace or of source, warnings, and marks beneath them. */
const BESIDE = /^\s|^(?:at|File) |\bwarn(?:ing)?\b|\bnotice\b|^[\W_]*$|^Traceback|^Node\.js v|^(?:throw|raise)\b/i
/** An error by its own name: `TypeError: …`, `getaddrinfo ENOTFOUND …`, `npm error code E404`, `error: …`. */
const NAMED =
  /\b[A-Z]\w*(?:Error|Exception)\b|\bE[A-Z]{4,}\b|\bE\d{3}\b|\b[A-Z]+_[A-Z_]*(?:CERT|ERR|SIGNATURE)[A-Z_]*\b|\bCERT_[A-Z_]+\b|^\W*(?:npm )?(?:error|ERR!|fatal|panic)\b/
const TOLD =
  /\b(?:error|failed|failure|cannot|can't|could not|unable|not found|denied|refused|missing|required|invalid|unknown)\b/i
const MOST = 300

/** Whether a line names an error by its own name. */
export const namesError = (line: string): boolean => !BESIDE.test(line) && NAMED.test(line)
/** Whether a line names an error, or speaks of one in other words. */
export const speaksOfError = (line: string): boolean => namesError(line) || (!BESIDE.test(line) && TOLD.test(line))

/** Undefined where nothing was said. */
export function tellingLine(lines: readonly string[]): string | undefined {
  const said = lines.filter((line) => !BESIDE.test(line))
  const line =
    lines.find((one) => CLOSED_PATH.test(one)) ??
    said.find((one) => NAMED.test(one)) ??
    said.find((one) => TOLD.test(one)) ??
    said.at(-1) ??
    lines.findLast((one) => one.trim() !== '')
  return line?.trim().slice(0, MOST)
}

/** The cause of a fault of a program: how it ended, and what it said. */
export class ProgramSaid extends Error {
  readonly line: string | undefined

  constructor(how: string, stderr: readonly string[]) {
    const line = tellingLine(stderr)
    super(
      line === undefined
        ? how
        : line.startsWith(OWN_WORDS)
          ? `${how}; ${line.slice(OWN_WORDS.length)}`
          : `${how}; it said: ${line}`,
    )
    this.line = line
  }
}

/** A fault as the state of a connection tells it, to those who may look after the connection. */
export function reasonOf(fault: Fault): string {
  for (let cause: unknown = fault.cause; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ProgramSaid && cause.line !== undefined)
      return cause.line.startsWith(OWN_WORDS)
        ? `${fault.message} ${cause.line.slice(OWN_WORDS.length)}`
        : `${fault.message} It said: ${cause.line}`
  return fault.message
}
