/**
 * The texts of the console, from the catalogues in `en` and `de` (ICU MessageFormat). A message with arguments is a function of an
 * object that names them: `texts.usage.total({ calls: 3 })`.
 */
import { all } from 'virtual:texts'
import type { English } from './english.ts'

/** Parts that are asked for names that a server sent, which may be unknown here. */
type Open = Record<string, string>

export type Texts = English & {
  readonly phases: Open
  readonly mends: Open
  readonly alerts: { readonly kinds: Open; readonly verdicts: Open }
  readonly home: { readonly health: { readonly of: Open } }
  readonly rules: {
    readonly edit: { readonly which: Open; readonly none: Open }
    readonly say: { readonly does: Open }
  }
  readonly ruleActions: { readonly title: Open }
  readonly approvals: { readonly ways: Open }
  readonly records: { readonly drawer: { readonly decisions: Open; readonly facts: Open } }
  readonly usage: { readonly why: Open }
  readonly runtime: { readonly health: { readonly names: Open; readonly values: Open } }
  readonly people: { readonly roleHints: Open }
  readonly settings: { readonly installation: { readonly origin: Open } }
  readonly webhooks: { readonly event: Open }
  readonly me: { readonly clients: Open; readonly limits: Open }
  readonly callTimings: { readonly steps: Open }
  readonly recordStreams: { readonly fields: Open; readonly secrets: Open }
}

export const texts = all as Texts
