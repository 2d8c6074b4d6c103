/** The failure of a request that was cut off and only reads: nothing can have taken effect, so it does not say that it may have. */
import { Fault } from '@toolway/contract'
import { REPEATABLE } from '@toolway/protocol/client'
import type { Asking, ConnectRequest } from './credentials/use-credential.ts'

/** As the rows of the fault table word it. */
const MAY_HAVE_ACTED = ' The call may have taken effect.'
const CHECK = /Check whether the call took effect before you repeat it( in a new session)?\./
const REPEAT = 'You can make the call again: it only reads.'

/** The effect counts, as everywhere: the hint of a server that is not trusted proves nothing. */
export const onlyReads = ({ target }: Pick<ConnectRequest, 'target'>, { method }: Pick<Asking, 'method'>): boolean =>
  method === 'tools/call' ? target.effect === 'read' : REPEATABLE.has(method)

/** The same fault, without the doubt. Others, and what is no fault, stay as they are. */
export function withoutDoubt(thrown: unknown): unknown {
  if (!(thrown instanceof Fault) || !thrown.message.endsWith(MAY_HAVE_ACTED)) return thrown
  return thrown.reworded(thrown.message.slice(0, -MAY_HAVE_ACTED.length), thrown.mend.replace(CHECK, REPEAT))
}
