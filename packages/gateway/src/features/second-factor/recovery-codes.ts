/** Recovery codes: ten of eighty random bits, each good once; only keyed hashes are stored. */
import type { UserId } from '@toolway/contract'
import type { SystemSql } from '../../db/db.ts'
import { codeTextOf, mintCode } from '../../identity/codes.ts'
import { replaceRecoveryCodes, useRecoveryCode } from './second-factors.rows.ts'

type Hash = (text: string) => Buffer
const COUNT = 10

const hashOf = (hash: Hash, user: UserId, typed: string) => hash(`recovery code ${user} ${codeTextOf(typed)}`)

export async function makeRecoveryCodes(sql: SystemSql, hash: Hash, user: UserId): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, mintCode)
  await replaceRecoveryCodes(
    sql,
    user,
    codes.map((code) => hashOf(hash, user, code)),
  )
  return codes
}

export const spendRecoveryCode = (sql: SystemSql, hash: Hash, user: UserId, typed: string): Promise<boolean> =>
  useRecoveryCode(sql, user, hashOf(hash, user, typed))
