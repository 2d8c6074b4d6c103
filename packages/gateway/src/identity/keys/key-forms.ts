/**
 * The form and creation of keys: two families, distinguished by their prefix.
 *
 * `uru_` and 64 hex digits (ledger S0-AUT-09), of which each member has one; and scoped keys, whose prefix names their role
 * (ledger S3-AUTH-03). Both are 256 bits of randomness, so that storing a fast keyed hash is sufficient.
 */
import { randomBytes } from 'node:crypto'
import type { Role } from '@toolway/contract'

export const FAMILIES = ['uru', 'smcp'] as const
export type Family = (typeof FAMILIES)[number]

const MARKS: Readonly<Record<Role, string>> = {
  platform_admin: 'smcp_pa_',
  tenant_admin: 'smcp_ta_',
  tenant_member: 'smcp_tu_',
  tenant_viewer: 'smcp_tv_',
}

export const KEY_FORM = /^(?:uru_[0-9a-f]{64}|smcp_(?:pa|ta|tu|tv)_[\w-]{43})$/
/** A text with the prefix of a key or a refresh token of the gateway is never passed on, regardless of the rest. */
export const LOOKS_LIKE_KEY = /^(?:uru|smcp|tw[a-z]{0,4})_/

const BYTES = 32

export const mintKey = (family: Family = 'uru', role: Role = 'tenant_member'): string =>
  family === 'uru'
    ? `uru_${randomBytes(BYTES).toString('hex')}`
    : MARKS[role] + randomBytes(BYTES).toString('base64url')

/** Undefined where a key does not begin as a scoped one. */
export const roleOfMark = (key: string): Role | undefined =>
  (Object.keys(MARKS) as Role[]).find((role) => key.startsWith(MARKS[role]))

/** Returns the part by which users distinguish keys: 32 or 48 bits of the random part, from which the rest cannot be guessed. */
const SHOWN = 8
export const prefixOf = (key: string): string =>
  key.slice(0, key.lastIndexOf('_', MARKS.tenant_admin.length - 1) + 1 + SHOWN)

const HINT_LENGTH = 4
export const hintOf = (key: string): string => key.slice(-HINT_LENGTH)
