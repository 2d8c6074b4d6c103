/**
 * Which rule holds for a tool: pure, of values (ledger S3-POLY-01).
 *
 * Patterns are compared without regard to case, with the server's own name of a tool and with its joined one: a server that writes
 * `Delete` is no way around a rule against deleting. Among several rules the strictest holds.
 */
import type { NameAction, ToolRule } from '@toolway/contract'
import { patternOf } from '../lib/pattern.ts'

interface Written {
  readonly id: string
  readonly tool_name_pattern: string
  readonly action: NameAction
  readonly reason: string
  /** Undefined or null: of every connector. */
  readonly connector_type: string | null
  readonly active: boolean
}

export interface RuleBook {
  judge(connector: string, name: string, joined: string): ToolRule | undefined
  /** Whether any rule may speak of tools of that connector. */
  concerns(connector: string): boolean
}

export const NO_RULES: RuleBook = { judge: () => undefined, concerns: () => false }

export function createRuleBook(written: readonly Written[]): RuleBook {
  const active = written.filter((rule) => rule.active)
  const rules = [
    ...active.filter(({ action }) => action === 'block'),
    ...active.filter(({ action }) => action === 'warn'),
  ]
  const read = rules.map(({ id, action, reason, connector_type: connector, tool_name_pattern: pattern }) => ({
    connector,
    fits: patternOf(pattern.toLowerCase()),
    rule: { id, action, reason } satisfies ToolRule,
  }))
  const speaksOf = (own: string | null, connector: string) => own === null || own === connector
  return {
    judge(connector, name, joined) {
      const names = [name.toLowerCase(), joined.toLowerCase()]
      return read.find((one) => speaksOf(one.connector, connector) && names.some(one.fits))?.rule
    },
    concerns: (connector) => read.some((one) => speaksOf(one.connector, connector)),
  }
}
