/**
 * What a grant is good for: SHA-256 over the canonical text (RFC 8785) of the tool's definition, the arguments as they would be sent,
 * the account, the caller, the connection and the rules that ask. Another byte in any of them is another question.
 */
import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '@toolway/protocol'

export interface Asked {
  /** Of the tool's whole definition: 64 hex digits. */
  readonly tool: string
  /** Its server's own name of it: two tools may have the same definition but for that. */
  readonly name: string
  readonly arguments: JsonObject
  /** The account that it acts with; null where there is no choice. */
  readonly account: string | null
  /** Who calls, and by which client of theirs. */
  readonly caller: string
  readonly connection: string
  /** What asks for it, and on which terms: a grant under one rule is none under another. */
  readonly rules: JsonObject[]
}

/** What "always for this tool" is good for: the same without arguments, and with the rules whole, so that a changed rule asks anew. */
export type LastingAsked = Omit<Asked, 'arguments'>

export const lastingDigestOf = ({ tool, name, account, caller, connection, rules }: LastingAsked): string =>
  createHash('sha256')
    .update(canonicalJson({ always: true, tool, name, account, caller, connection, rules }))
    .digest('hex')

/** 64 hex digits. */
export const digestOf = ({ tool, name, arguments: given, account, caller, connection, rules }: Asked): string =>
  createHash('sha256')
    .update(canonicalJson({ tool, name, arguments: given, account, caller, connection, rules }))
    .digest('hex')
