/** How a flow at an authorization server ended, as markup. */
import { html, type Markup } from './page.ts'

export type Outcome =
  | { readonly kind: 'connected'; readonly title: string | undefined }
  | { readonly kind: 'error'; readonly error: string; readonly why: string | undefined }

export const donePage = (outcome: Outcome): Markup => html`
  ${outcomeText(outcome)}
  ${
    outcome.kind === 'connected'
      ? html`<p>You can close this page and go back to where you were: the call goes on there.</p>`
      : html`<p>Nothing was connected.</p>`
  }
`

const ERRORS: Readonly<Record<string, string>> = {
  missing_code: 'The authorization server led back without a code.',
  missing_state: 'The authorization server led back without the state that it was sent with.',
  invalid_state: 'This way back is not one that this browser began and has not used yet.',
  token_exchange_failed: 'The authorization server did not give what was asked for.',
  access_denied: 'It was not allowed at the authorization server.',
}

function outcomeText(outcome: Outcome): Markup {
  if (outcome.kind === 'connected')
    return html`<p class="notice" role="status">
      ${outcome.title === undefined ? 'The account is connected.' : html`<strong>${outcome.title}</strong> is connected.`}
    </p>`
  const known = Object.hasOwn(ERRORS, outcome.error) ? ERRORS[outcome.error] : undefined
  return html`<p class="problem" role="alert">
    ${known ?? html`The authorization server says <code>${outcome.error}</code>.`} ${outcome.why ?? ''}
  </p>`
}
