/**
 * The rules of an approval or a lasting grant, as its row has them. Another version or another hand may have written the row: a rule
 * that cannot be read is one that nobody can answer, so that nothing is granted by it, and the approval is still shown.
 */
import { ROLES, type Rule } from '@toolway/contract'
import { z } from 'zod'

/** The part of a rule that names its approvers. Members that this version does not know let nobody in. */
const Readable = z.object({
  id: z.string(),
  name: z.string(),
  reason: z.string(),
  scope: z.string(),
  parameters: z.object({
    by: z.object({
      roles: z.array(z.enum(ROLES)).optional(),
      members: z.array(z.string()).optional(),
      groups: z.array(z.string()).optional(),
      webhooks: z.array(z.string()).optional(),
      self: z.boolean().optional(),
    }),
    quorum: z.int().min(1),
    wait: z.number(),
    repeat: z.number(),
  }),
})

const UNREADABLE = 'This rule cannot be read as it was stored. Nobody can approve by it.'

/** Where nothing can be read, there is one rule that nobody can answer: without any, nothing would be asked. */
export function storedRules(rules: unknown): readonly Rule<'approve'>[] {
  const all: readonly unknown[] = Array.isArray(rules) ? rules : [rules]
  return all.map((value) => (Readable.safeParse(value).success ? (value as Rule<'approve'>) : unanswerable(value)))
}

export const isUnreadable = ({ reason }: Pick<Rule, 'reason'>): boolean => reason === UNREADABLE

function unanswerable(stored: unknown): Rule<'approve'> {
  const { id, name }: { id?: unknown; name?: unknown } = typeof stored === 'object' && stored !== null ? stored : {}
  return {
    id: typeof id === 'string' ? id : 'unreadable',
    scope: 'organization',
    of: undefined,
    name: typeof name === 'string' ? name : 'unreadable',
    match: { tools: ['*'] },
    action: 'approve',
    parameters: { by: { self: false }, quorum: 1, wait: 10, repeat: 0, always: false },
    reason: UNREADABLE,
    state: 'on',
  }
}
