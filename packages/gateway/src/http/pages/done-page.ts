/** How a flow at an authorization server ended, as markup. */
import { html, type Markup } from './page.ts'

export type Outcome =
  | { readonly kind: 'connected'; readonly title: string | undefined }
  | { readonly kind: 'error'; readonly error: string; readonly why: string | undefined }

export const donePage = (outcome: Outcome): Markup => html`
  ${outcomeText(outcome)}
  ${
    outcome.kind === 'connected'
      ? html`<p>You can close this page and return to your client. The call continues there.</p>`
      : html`<p>No account was connected.</p>`
  }
`

const ERRORS: Readonly<Record<string, string>> = {
  missing_code: 'The authorization server returned no code.',
  missing_state: 'The authorization server returned no state parameter.',
  invalid_state: 'This response does not belong to a request that this browser started, or it has already been used.',
  token_exchange_failed: 'The authorization server did not issue a token.',
  access_denied: 'Access was denied at the authorization server.',
}

function outcomeText(outcome: Outcome): Markup {
  if (outcome.kind === 'connected')
    return html`<p class="notice" role="status">
      ${outcome.title === undefined ? 'The account is connected.' : html`<strong>${outcome.title}</strong> is connected.`}
    </p>`
  const known = Object.hasOwn(ERRORS, outcome.error) ? ERRORS[outcome.error] : undefined
  return html`<p class="problem" role="alert">
    ${known ?? html`The authorization server returned the error <code>${outcome.error}</code>.`} ${outcome.why ?? ''}
  </p>`
}
