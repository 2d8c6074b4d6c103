/** What the platform says of a tool by its name (ledger S3-POLY-01): a rule, as far as whoever meets it needs to know it. */
export const RULE_ACTIONS = ['block', 'warn'] as const
export type RuleAction = (typeof RULE_ACTIONS)[number]

export interface ToolRule {
  readonly id: string
  readonly action: RuleAction
  /** A sentence for whoever is refused. */
  readonly reason: string
}
