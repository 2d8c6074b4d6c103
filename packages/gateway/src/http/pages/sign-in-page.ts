/** The pages of signing in, as markup; what happens on them is `sign-in-door.ts`'s. */
import { html, type Markup } from './markup.ts'
import { linkTo, type PageTexts } from './page-texts.ts'

const SIGN_IN = '/sign-in'

const problemOf = (problem: Markup | undefined) =>
  problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`

const nextField = (next: string | undefined) =>
  next === undefined ? '' : html`<input type="hidden" name="next" value="${next}" />`

export interface SignInForm {
  readonly next: string | undefined
  readonly problem?: Markup | undefined
  readonly notice?: Markup | undefined
  readonly email?: string | undefined
  /** Name of the identity provider, where there is one. */
  readonly provider: string | undefined
}

export const signInForm = (
  { signIn }: PageTexts,
  { next, problem, notice, email, provider }: SignInForm,
): Markup => html`
  ${problemOf(problem)} ${notice === undefined ? '' : html`<p class="notice" role="status">${notice}</p>`}
  ${
    provider === undefined
      ? ''
      : html`<a class="button" href="${providerAddress(next)}">${signIn.provider({ provider })}</a>
          <p class="or">${signIn.or()}</p>`
  }
  <form method="post" action="${SIGN_IN}">
    ${nextField(next)}
    <label>
      ${signIn.email()}
      <input type="email" name="email" value="${email ?? ''}" autocomplete="username" required autofocus />
    </label>
    <label>
      ${signIn.password()}
      <input type="password" name="password" autocomplete="current-password" required />
    </label>
    <button>${signIn.submit()}</button>
  </form>
  <p class="hint">${signIn.hint({ a: linkTo(`${SIGN_IN}/code`) })}</p>
`

const providerAddress = (next: string | undefined) =>
  `${SIGN_IN}/oidc${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`

export const providerProblem = ({ signIn }: PageTexts, problem: Markup): Markup => html`
  ${problemOf(problem)}
  <a class="button" href="${SIGN_IN}">${signIn.back()}</a>
`

export interface SetUpForm {
  readonly next: string | undefined
  readonly problem?: Markup | undefined
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly shortest: number
}

export const setUpForm = (
  { setUp, signIn }: PageTexts,
  { next, problem, email, name, shortest }: SetUpForm,
): Markup => html`
  ${problemOf(problem)}
  <p>${setUp.welcome()}</p>
  <form method="post" action="${SIGN_IN}/first">
    ${nextField(next)}
    <label
      >${setUp.code()}
      <small>${setUp.codeHint()}</small>
      <input name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus
    /></label>
    <label
      >${setUp.name()} <input name="name" value="${name ?? ''}" autocomplete="name" maxlength="100" required
    /></label>
    <label
      >${signIn.email()} <input type="email" name="email" value="${email ?? ''}" autocomplete="username" required
    /></label>
    <label>
      ${signIn.password()} <small>${signIn.atLeast({ shortest })}</small>
      <input type="password" name="password" autocomplete="new-password" minlength="${shortest}" required />
    </label>
    <button>${setUp.submit()}</button>
  </form>
`

interface CodeForm {
  readonly problem?: Markup | undefined
  readonly shortest: number
}

export const codeForm = ({ choosePassword, signIn }: PageTexts, { problem, shortest }: CodeForm): Markup => html`
  ${problemOf(problem)}
  <form method="post" action="${SIGN_IN}/code">
    <label>
      ${choosePassword.code()} <small>${choosePassword.codeHint()}</small>
      <input name="code" autocomplete="off" spellcheck="false" required autofocus />
    </label>
    <label>
      ${choosePassword.password()} <small>${signIn.atLeast({ shortest })}</small>
      <input type="password" name="password" autocomplete="new-password" minlength="${shortest}" required />
    </label>
    <button>${choosePassword.submit()}</button>
  </form>
  <p class="hint"><a href="${SIGN_IN}">${signIn.back()}</a></p>
`

export const signedInPage = (
  { signedInAs, signedIn }: PageTexts,
  { email, csrf }: { email: string; csrf: string },
): Markup => html`
  <p>${signedInAs({ email })}</p>
  <a class="button" href="/">${signedIn.console()}</a>
  <p><a href="approvals">${signedIn.approvals()}</a><br /><a href="connect">${signedIn.accounts()}</a></p>
  <form method="post" action="${SIGN_IN}/out">
    <input type="hidden" name="csrf" value="${csrf}" />
    <button class="second">${signedIn.signOut()}</button>
  </form>
`
