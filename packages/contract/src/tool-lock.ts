/**
 * What a lock lets in when a server's tools are others than they were (MCP 2026-07-28, security: tool poisoning), and what a
 * tool is to be asked for first.
 *
 * `off` takes every change and puts it on record; `additions` takes new tools and holds any change of a known one;
 * `descriptions` takes new tools and new optional inputs too, and holds whatever else changes, above all what a model reads;
 * `all` holds everything.
 */
import type { Effect } from './effects.ts'

export const LOCK_MODES = ['off', 'additions', 'descriptions', 'all'] as const
export type LockMode = (typeof LOCK_MODES)[number]

/** Why a tool is kept back: its server offers another one than was accepted. */
export interface Hold {
  readonly action: 'hold'
}

export const APPROVALS = ['none', 'ask', 'always'] as const
export type Approval = (typeof APPROVALS)[number]

/**
 * Whether a person is to be asked before a tool runs (ledger S2-QRK-05). What destroys is asked for each time; that a tool only
 * reads counts where its server is trusted to say so, and lowers nothing elsewhere.
 */
export function approvalOf(effect: Effect, trusted: boolean): Approval {
  if (effect === 'destructive') return 'always'
  return effect === 'read' && trusted ? 'none' : 'ask'
}
