/**
 * The changes to a server's tools that a lock accepts (MCP 2026-07-28, security: tool poisoning), and the approval that a tool
 * needs first.
 *
 * `off` accepts every change and records it; `additions` accepts new tools and holds any change of a known one; `descriptions`
 * accepts new tools and new optional inputs too, and holds every other change, above all to texts that a model reads; `all` holds
 * everything.
 */
import type { ResolvedEffect } from './effects.ts'

export const LOCK_MODES = ['off', 'additions', 'descriptions', 'all'] as const
export type LockMode = (typeof LOCK_MODES)[number]

/** Why a tool is kept back: its server offers another one than was accepted. */
export interface Hold {
  readonly action: 'hold'
}

export const APPROVALS = ['none', 'ask', 'always'] as const
export type Approval = (typeof APPROVALS)[number]

/**
 * The tools for which an organization requires approval before they run. `ask-destructive`: destructive tools, and tools of an
 * untrusted server whose effect no other source states; `ask-writes`: all tools that are not known to be read-only. `none` is an
 * older word for `off`.
 */
export const APPROVAL_PRESETS = ['off', 'ask-destructive', 'ask-writes', 'none'] as const
export type ApprovalPreset = (typeof APPROVAL_PRESETS)[number]

/**
 * Returns the approval that a tool needs before it runs, under the organization's setting (ledger S2-QRK-05). Destructive tools
 * need it each time; other tools until a user chooses "always for this tool".
 */
export function approvalOf({ effect, from }: ResolvedEffect, preset: ApprovalPreset | undefined): Approval {
  if (preset === undefined || preset === 'off' || preset === 'none') return 'none'
  if (effect === 'destructive') return 'always'
  if (from === 'unknown') return 'ask'
  return preset === 'ask-writes' && effect === 'write' ? 'ask' : 'none'
}
