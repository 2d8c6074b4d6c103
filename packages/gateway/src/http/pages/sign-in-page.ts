/** The pages of signing in, as markup; what happens on them is `sign-in-door.ts`'s. */
import { html, type Markup } from './page.ts'

const SIGN_IN = '/sign-in'

const problemOf = (problem: string | undefined) =>
  problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`

const nextField = (next: string | undefined) =>
  next === undefined ? '' : html`<input type="hidden" name="next" value="${next}" />`

export interface SignInForm {
  readonly next: string | undefined
  readonly problem?: string | undefined
  readonly notice?: string | undefined
  readonly email?: string | undefined
  /** Name of the identity provider, where there is one. */
  readonly provider: string | undefined
}

export const signInForm = ({ next, problem, notice, email, provider }: SignInForm): Markup => html`
  ${problemOf(problem)} ${notice === undefined ? '' : html`<p class="notice" role="status">${notice}</p>`}
  ${provider === undefined ? '' : providerLink(provider, next)}
  <form method="post" action="${SIGN_IN}">
    ${nextField(next)}
    <label>
      Email
      <input type="email" name="email" value="${email ?? ''}" autocomplete="username" required autofocus />
    </label>
    <label>
      Password
      <input type="password" name="password" autocomplete="current-password" required />
    </label>
    <button>Sign in</button>
  </form>
  <p class="hint">
    Invited or forgot your password? <a href="${SIGN_IN}/code">Set a password</a> with a code from your administrator.
  </p>
`

const providerLink = (provider: string, next: string | undefined) => {
  const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`
  return html`<a class="button" href="${SIGN_IN}/oidc${query}">Sign in with ${provider}</a>
    <p class="or">or with a password</p>`
}

export interface SetUpForm {
  readonly next: string | undefined
  readonly problem?: string | undefined
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly shortest: number
}

export const setUpForm = ({ next, problem, email, name, shortest }: SetUpForm): Markup => html`
  ${problemOf(problem)}
  <p>
    Welcome. You are the first user, so the account that you create now administers this installation: it adds
    connections, invites people and sets the rules.
  </p>
  <form method="post" action="${SIGN_IN}/first">
    ${nextField(next)}
    <label
      >Setup code
      <small>Printed at the first start. <code>toolway user setup-code</code> prints a new one.</small>
      <input name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus
    /></label>
    <label>Your name <input name="name" value="${name ?? ''}" autocomplete="name" maxlength="100" required /></label>
    <label>Email <input type="email" name="email" value="${email ?? ''}" autocomplete="username" required /></label>
    <label>
      Password <small>At least ${shortest} characters</small>
      <input type="password" name="password" autocomplete="new-password" minlength="${shortest}" required />
    </label>
    <button>Set up Toolway</button>
  </form>
`

export const codeForm = ({ problem, shortest }: { problem?: string | undefined; shortest: number }): Markup => html`
  ${problemOf(problem)}
  <form method="post" action="${SIGN_IN}/code">
    <label>
      Code <small>From your administrator. It can be used once.</small>
      <input name="code" autocomplete="off" spellcheck="false" required autofocus />
    </label>
    <label>
      New password <small>At least ${shortest} characters</small>
      <input type="password" name="password" autocomplete="new-password" minlength="${shortest}" required />
    </label>
    <button>Set password</button>
  </form>
  <p class="hint"><a href="${SIGN_IN}">Back to sign-in</a></p>
`

export const signedInPage = ({ email, csrf }: { email: string; csrf: string }): Markup => html`
  <p>You are signed in as <strong>${email}</strong>.</p>
  <a class="button" href="/">Open the console</a>
  <p><a href="approvals">Pending approvals</a><br /><a href="connect">Connected accounts</a></p>
  <form method="post" action="${SIGN_IN}/out">
    <input type="hidden" name="csrf" value="${csrf}" />
    <button class="second">Sign out</button>
  </form>
`
