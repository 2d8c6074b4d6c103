/** The expected answer to a caller at an operation: derived only from the operation's own needs and the matrix of roles. */
import { permits, type Role } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import type { Side } from './sides.ts'
import type { Caller } from './town.ts'

export type Verdict = 'let in' | { readonly status: number; readonly fault: string }

const refuse = (status: number, fault: string): Verdict => ({ status, fault })

/** How somebody is refused where it has no role: a token that is bound to another is told so, wherever it goes (ledger S0-AUT-01). */
export const strangerAt = ({ authorization, bound }: Caller, target: Side | 'missing') =>
  bound !== undefined && bound !== target && TOKEN.test(authorization ?? '')
    ? ({ status: 403, fault: 'place.bound' } as const)
    : ({ status: 404, fault: 'place.unknown' } as const)
const TOKEN = /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/

/** The role where it is asked for: none outside the organization that a key or a token is bound to. */
export function roleAt({ roles, bound }: Caller, target: Side | 'missing'): Role | undefined {
  if (roles === 'refused' || target === 'missing' || (bound !== undefined && bound !== target)) return undefined
  return roles[target]
}

/** Returns the organization that an operation concerns: the one in the path, or the caller's own where the path names none. */
export const aboutOf = ({ needs }: Operation, { bound }: Caller, target: Side | 'missing'): Side | 'missing' =>
  needs.of === 'organization' && needs.by === 'caller' ? (bound ?? 'default') : target

export function verdictOf(operation: Operation, caller: Caller, named: Side | 'missing'): Verdict | '401' {
  const { needs, method, harmless, reads } = operation
  const target = aboutOf(operation, caller, named)
  if (needs.of === 'anyone') return 'let in'
  if (caller.roles === 'refused') return '401'
  if (!harmless && caller.toolset !== undefined) return refuse(403, 'key.limit')
  if (!harmless && !reads && method !== 'GET' && caller.limit === 'read') return refuse(403, 'key.limit')
  if (needs.of === 'signed-in') return 'let in'
  if (needs.of === 'platform') {
    const isPlatform = caller.platform && caller.bound === undefined
    return isPlatform && permits('platform_admin', needs.permission) ? 'let in' : refuse(403, 'role.forbidden')
  }
  const role = roleAt(caller, target)
  if (role === undefined) return strangerAt(caller, target)
  return permits(role, needs.permission) ? 'let in' : refuse(403, 'role.forbidden')
}
