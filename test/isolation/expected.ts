/** What a caller must be answered at an operation: derived from the operation's own needs and the matrix of roles, from nothing else. */
import { permits, type Role } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import type { Side } from './sides.ts'
import type { Caller } from './town.ts'

export type Verdict = 'let in' | { readonly status: number; readonly fault: string }

const refuse = (status: number, fault: string): Verdict => ({ status, fault })

/** The role where it is asked for: none outside the organization that a key or a token is bound to. */
export function roleAt({ roles, bound }: Caller, target: Side | 'missing'): Role | undefined {
  if (roles === 'refused' || target === 'missing' || (bound !== undefined && bound !== target)) return undefined
  return roles[target]
}

export function verdictOf({ needs, method }: Operation, caller: Caller, target: Side | 'missing'): Verdict | '401' {
  if (needs.of === 'anyone') return 'let in'
  if (caller.roles === 'refused') return '401'
  if (caller.toolset !== undefined) return refuse(403, 'key.limit')
  if (method !== 'GET' && caller.limit === 'read') return refuse(403, 'key.limit')
  if (needs.of === 'signed-in') return 'let in'
  if (needs.of === 'platform') {
    const isPlatform = caller.platform && caller.bound === undefined
    return isPlatform && permits('platform_admin', needs.permission) ? 'let in' : refuse(403, 'role.forbidden')
  }
  const role = roleAt(caller, target)
  if (role === undefined) return refuse(404, 'place.unknown')
  return permits(role, needs.permission) ? 'let in' : refuse(403, 'role.forbidden')
}
