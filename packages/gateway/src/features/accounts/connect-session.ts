/**
 * The name under which whoever began a way to an authorization server asks how it ended (connectors.md, section 7, row 59).
 *
 * It is made here, never by a caller, and bound to who began: nobody else can read it, and nothing is stored for it.
 */
import { randomBytes } from 'node:crypto'
import type { Vault } from '../../vault/vault.ts'

type Signing = Pick<Vault, 'sign' | 'verify'>

const PURPOSE = 'connect session'
/** The link, the flow, and five minutes to ask. */
const LASTS = 25 * 60_000

export function makeSession(vault: Signing, principal: string, now: number): string {
  const name = `${now.toString(36)}-${randomBytes(16).toString('hex')}`
  return `${name}-${vault.sign(`${name} ${principal}`, PURPOSE)}`
}

/** Whether that principal began it, and lately enough to ask. */
export function isSessionOf(vault: Signing, principal: string, session: string, now: number): boolean {
  const [, name = '', since = '', signature = ''] = /^(([\da-z]{1,12})-[\da-f]{32})-([\w-]{1,100})$/.exec(session) ?? []
  if (!vault.verify(`${name} ${principal}`, signature, PURPOSE)) return false
  const age = now - Number.parseInt(since, 36)
  return age >= 0 && age < LASTS
}
