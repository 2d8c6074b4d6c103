/**
 * Carries out a request only once that may arrive twice because the sender never saw the response (Idempotency-Key,
 * draft-ietf-httpapi-idempotency-key-header-07).
 *
 * The key belongs to the principal and is bound to its first request, in the database, so that replicas agree. A response may
 * contain a new secret, so it is sealed. An interrupted request is never carried out again automatically, because its progress is
 * unknown.
 */
import { Fault } from '@toolway/contract'
import { z } from 'zod'
import type { Db } from '../db/db.ts'
import { isDatabaseFault } from '../db/unreachable.ts'
import { keptAnswerSealContext } from '../vault/sealed-columns.ts'
import type { Vault } from '../vault/vault.ts'

interface KeptAnswersParts {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly vault: Pick<Vault, 'hash' | 'seal' | 'open'>
}

interface RequestKey {
  readonly principal: string
  readonly key: string
  /** Method, address and body, as one text. */
  readonly request: string
}

const FORM = /^[\x21-\x7e]{1,200}$/
const Row = z.object({ request: z.instanceof(Buffer), sealed_answer: z.instanceof(Buffer).nullable() })
const Hash = z.object({ hash: z.instanceof(Buffer) })

export function createKeptAnswers({ db, vault }: KeptAnswersParts) {
  const sealContextOf = (hash: Buffer) => keptAnswerSealContext(hash.toString('hex'))

  /** True for the first that comes. A day later the key means nothing any more. */
  const claimKey = (hash: Buffer, request: Buffer) =>
    db.system(async (sql) => {
      await sql(Hash)`delete from kept_answers where created_at < now() - interval '24 hours' returning hash`
      const rows = await sql(Hash)`
        insert into kept_answers (hash, request) values (${hash}, ${request}) on conflict do nothing returning hash`
      return rows.length > 0
    })

  async function replay(hash: Buffer, request: Buffer) {
    const [stored] = await db.system(
      (sql) => sql(Row)`select request, sealed_answer from kept_answers where hash = ${hash}`,
    )
    if (stored !== undefined && !stored.request.equals(request)) throw new Fault('idempotency.mismatch')
    if (stored === undefined || stored.sealed_answer === null) throw new Fault('idempotency.unfinished')
    const { answer } = JSON.parse(vault.open(stored.sealed_answer, sealContextOf(hash))) as { answer?: unknown }
    return { replayed: true, given: answer }
  }

  return {
    /** Throws `idempotency.mismatch` and `idempotency.unfinished`, and whatever `run` throws; a refusal is not kept. */
    async once({ principal, key, request: text }: RequestKey, run: () => Promise<unknown>) {
      if (!FORM.test(key))
        throw new Fault('body.shape', { place: '/Idempotency-Key', problem: 'must have 1 to 200 visible characters' })
      const hash = vault.hash(`idempotency ${principal} ${key}`)
      const request = vault.hash(`idempotent request ${text}`)
      if (!(await claimKey(hash, request))) return replay(hash, request)
      try {
        const answer = await run()
        const sealed = vault.seal(JSON.stringify({ answer }), sealContextOf(hash))
        await db.system(
          (sql) => sql(Hash)`update kept_answers set sealed_answer = ${sealed} where hash = ${hash} returning hash`,
        )
        return { replayed: false, given: answer }
      } catch (thrown) {
        // A refusal changed nothing. Any other failure, the database's too, may follow a change: the key stays taken.
        if (thrown instanceof Fault && thrown.code !== 'internal' && !isDatabaseFault(thrown))
          await db.system((sql) => sql(Hash)`delete from kept_answers where hash = ${hash} returning hash`)
        throw thrown
      }
    },
  }
}
