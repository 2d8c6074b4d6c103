/** How a flow at an authorization server ended, as markup. */
import { inEnglish, problemText } from './fault-text.ts'
import { html, type Markup } from './markup.ts'
import type { PageTexts } from './page-texts.ts'

export type Outcome =
  | { readonly kind: 'connected'; readonly title: string | undefined }
  | {
      readonly kind: 'error'
      readonly error: string
      readonly why: string | undefined
      /** What the authorization server said, or what is wrong with its answer. */
      readonly details: string | undefined
    }

export const donePage = (texts: PageTexts, outcome: Outcome): Markup => html`
  ${outcomeText(texts, outcome)}
  <p>${outcome.kind === 'connected' ? texts.done.close() : texts.connect.failed.nothing()}</p>
`

function outcomeText(texts: PageTexts, outcome: Outcome): Markup {
  const { done } = texts
  if (outcome.kind === 'connected')
    return html`<p class="notice" role="status">
      ${outcome.title === undefined ? done.accountConnected() : done.connected({ title: outcome.title })}
    </p>`
  const { error, why, details } = outcome
  const known = Object.hasOwn(done.errors, error) ? done.errors[error as keyof typeof done.errors]() : undefined
  return html`<p class="problem" role="alert">
    ${known ?? done.otherError({ error })} ${why === undefined ? '' : done.why({ problem: problemText(texts, why) })}
    ${details === undefined ? '' : done.details({ details: inEnglish(texts, details) })}
  </p>`
}
