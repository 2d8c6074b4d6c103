/** Whether a person has proven lately who they are: for operations that weaken security (`NEEDS_PROOF`). */
import { Fault } from '@toolway/contract'
import type { Principal } from '../identity/principal.ts'
import { provenWithin } from '../identity/sign-ins.ts'
import type { Db } from '../db/db.ts'

const MINUTES = 10

/** Throws `proof.old`. Keys and the operator have no sign-in, and nobody is there to be asked. */
export async function refuseOldProof(
  {
    db,
    proofMinutes: minutes = MINUTES,
  }: { readonly db: Pick<Db, 'system'>; readonly proofMinutes?: number | undefined },
  principal: Pick<Principal, 'signInId' | 'userId'> | undefined,
): Promise<void> {
  const { signInId: id, userId: user } = principal ?? {}
  if (id === undefined || user === undefined) return
  if (!(await db.system((sql) => provenWithin(sql, { id, user, minutes })))) throw new Fault('proof.old', { minutes })
}
