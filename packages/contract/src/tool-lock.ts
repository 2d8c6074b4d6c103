/**
 * What a lock lets in when a server's tools are others than they were (MCP 2026-07-28, security: tool poisoning), and what a
 * tool is to be asked for first.
 *
 * `off` takes every change and puts it on record; `additions` takes new tools and holds any change of a known one;
 * `descriptions` takes new tools and new optional inputs too, and holds whatever else changes, above all what a model reads;
 * `all` holds everything.
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
 * What an organization asks about before a tool runs. `ask-destructive`: what destroys, and what a server that is not trusted may do
 * while nobody else has said what it does; `ask-writes`: whatever is not known to read only. `none` is an older word for `off`.
 */
export const APPROVAL_PRESETS = ['off', 'ask-destructive', 'ask-writes', 'none'] as const
export type ApprovalPreset = (typeof APPROVAL_PRESETS)[number]

/**
 * Whether a person is asked before a tool runs, under the organization's setting (ledger S2-QRK-05). What destroys is asked about each
 * time; other calls until somebody says "always for this tool".
 */
export function approvalOf({ effect, from }: ResolvedEffect, preset: ApprovalPreset | undefined): Approval {
  if (preset === undefined || preset === 'off' || preset === 'none') return 'none'
  if (effect === 'destructive') return 'always'
  if (from === 'unknown') return 'ask'
  return preset === 'ask-writes' && effect === 'write' ? 'ask' : 'none'
}
