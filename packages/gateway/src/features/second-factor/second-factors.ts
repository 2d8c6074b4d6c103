/** The question to a person with a second factor, and whether an answer is right. */
import type { SystemSql } from '../../db/db.ts'
import type { Vault } from '../../vault/vault.ts'
import type { SecondFactors } from '../people/index.ts'
import { CODE_FORM, useCode } from './authenticator-apps.ts'
import { requestOptions, siteOf, usePasskey } from './passkeys.ts'
import { spendRecoveryCode } from './recovery-codes.ts'
import { hasPasskeys, listApps, listPasskeys } from './second-factors.rows.ts'

export interface SecondFactorsParts {
  readonly vault: Pick<Vault, 'open' | 'seal' | 'hash'>
  publicUrl(): string
  now(): number
}

export function createSecondFactors({ vault, publicUrl, now }: SecondFactorsParts): SecondFactors {
  const site = () => siteOf(publicUrl())
  return {
    async ask(sql, user) {
      const [passkeys, apps] = [await listPasskeys(sql, user), await listApps(sql, user)]
      if (passkeys.length === 0 && apps.length === 0) return undefined
      const here = passkeys.length === 0 ? undefined : site()
      const options = here && (await requestOptions(here))
      return {
        // Recovery codes are typed where the codes of apps are.
        by: options === undefined ? ['code'] : ['code', 'passkey'],
        passkey: options && { options: { ...options }, expected: options.challenge },
      }
    },
    async check(sql, user, proof, expected) {
      if ('passkey' in proof) {
        const here = site()
        if (here === undefined || expected === undefined) return undefined
        const owner = await usePasskey(sql, { site: here, user, expected, passkey: proof.passkey })
        return owner === undefined ? undefined : 'passkey'
      }
      const code = proof.code.replaceAll(/\s/g, '')
      if (CODE_FORM.test(code)) return (await useCode(sql, vault, { user, code, now: now() })) ? 'app code' : undefined
      return (await spendRecoveryCode(sql, vault.hash, user, code)) ? 'recovery code' : undefined
    },
    async askAnyone(sql: SystemSql) {
      const here = site()
      if (here === undefined || !(await hasPasskeys(sql))) return undefined
      const options = await requestOptions(here)
      return { options: { ...options }, expected: options.challenge }
    },
    async checkAnyone(sql, passkey, expected) {
      const here = site()
      return here && usePasskey(sql, { site: here, user: undefined, expected, passkey })
    },
  }
}
