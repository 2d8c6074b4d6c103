/**
 * The scope of a grant: SHA-256 over the canonical text (RFC 8785) of the tool's definition, the arguments as they would be sent,
 * the account, the caller, the connection and the rules that require it. A different byte in any of them requires another
 * approval.
 */
import { createHash } from 'node:crypto'
import { canonicalJson, type JsonObject } from '@toolway/protocol'

export interface ApprovedCall {
  /** Of the tool's whole definition: 64 hex digits. */
  readonly tool: string
  /** Its server's own name of it: two tools may have the same definition but for that. */
  readonly name: string
  readonly arguments: JsonObject
  /** The account that it acts with; null where there is no choice. */
  readonly account: string | null
  /** The caller and its client. */
  readonly caller: string
  readonly connection: string
  /** The rules that require the approval, and their terms: a grant under one rule is not valid under another. */
  readonly rules: JsonObject[]
}

/**
 * The scope of "always for this tool": the same without arguments, and with the whole rules, so that a changed rule requires a
 * new approval.
 */
export type LastingAsked = Omit<ApprovedCall, 'arguments'>

export const standingDigestOf = ({ tool, name, account, caller, connection, rules }: LastingAsked): string =>
  createHash('sha256')
    .update(canonicalJson({ always: true, tool, name, account, caller, connection, rules }))
    .digest('hex')

/** 64 hex digits. */
export const digestOf = ({ tool, name, arguments: value, account, caller, connection, rules }: ApprovedCall): string =>
  createHash('sha256')
    .update(canonicalJson({ tool, name, arguments: value, account, caller, connection, rules }))
    .digest('hex')
