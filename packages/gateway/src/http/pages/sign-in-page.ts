/** The pages of signing in, as markup; what happens on them is `sign-in-door.ts`'s. */
import { html, type Markup } from './markup.ts'
import { nextField, problemOf } from './page-parts.ts'
import { linkTo, type PageTexts } from './page-texts.ts'
import { passkeyButton } from './second-factor-page.ts'

const SIGN_IN = '/sign-in'

export interface SignInForm {
  readonly next: string | undefined
  readonly problem?: Markup | undefined
  readonly notice?: Markup | undefined
  readonly email?: string | undefined
  readonly providers: readonly ProviderLink[]
  /** Whether people can be led to the provider of their organization by their address. */
  readonly leadsByAddress: boolean
  /** Slug of the organization whose page it is. */
  readonly organization?: string | undefined
  /** For `navigator.credentials.get`; absent where nobody has a passkey. */
  readonly passkey?: Readonly<Record<string, unknown>> | undefined
}

/** A provider on the page, and the path that leads there. */
export interface ProviderLink {
  readonly title: string
  readonly path: string
}

export const signInForm = (
  texts: PageTexts,
  { next, problem, notice, email, providers, leadsByAddress, organization, passkey }: SignInForm,
): Markup => {
  const { signIn } = texts
  return html`
    ${problemOf(problem)} ${notice === undefined ? '' : html`<p class="notice" role="status">${notice}</p>`}
    ${providers.map(
      ({ title, path }) =>
        html`<a class="button" href="${withNext(path, next)}">${signIn.provider({ provider: title })}</a>`,
    )}
    ${
      leadsByAddress
        ? html`<a class="button second" href="${withNext(`${SIGN_IN}/organization`, next)}"
            >${signIn.organization()}</a
          >`
        : ''
    }
    ${providers.length > 0 || leadsByAddress ? html`<p class="or">${signIn.or()}</p>` : ''}
    <form method="post" action="${SIGN_IN}">
      ${nextField(next)}
      ${organization === undefined ? '' : html`<input type="hidden" name="organization" value="${organization}" />`}
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
    ${passkey === undefined ? '' : passkeyButton(texts, { next, options: passkey })}
    <p class="hint">${signIn.hint({ a: linkTo(`${SIGN_IN}/code`) })}</p>
  `
}

const withNext = (path: string, next: string | undefined) =>
  next === undefined ? path : `${path}?next=${encodeURIComponent(next)}`

/** Where people enter their address, and are led to the provider of their organization. */
export const findProviderForm = (
  { findProvider, signIn }: PageTexts,
  { next, problem, email }: Pick<SignInForm, 'next' | 'problem' | 'email'>,
): Markup => html`
  ${problemOf(problem)}
  <p>${findProvider.text()}</p>
  <form method="post" action="${SIGN_IN}/organization">
    ${nextField(next)}
    <label>
      ${signIn.email()}
      <input type="email" name="email" value="${email ?? ''}" autocomplete="username" required autofocus />
    </label>
    <button>${findProvider.submit()}</button>
  </form>
  <p class="hint"><a href="${withNext(SIGN_IN, next)}">${signIn.back()}</a></p>
`

export interface TrialPage {
  readonly title: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly role: string | undefined
  readonly groups: readonly string[]
}

/** The claims of a provider, with the role and groups that they give. */
export const trialPage = ({ trial }: PageTexts, { title, claims, role, groups }: TrialPage): Markup => html`
  <p class="notice" role="status">${trial.text({ provider: title })}</p>
  <p>${role === undefined ? trial.noRole() : trial.role({ role })}</p>
  ${groups.length === 0 ? '' : html`<p>${trial.groups({ groups: groups.join(', ') })}</p>`}
  <h2>${trial.claims()}</h2>
  <pre tabindex="0">${JSON.stringify(claims, undefined, 2)}</pre>
`

/** The link of a sign-in that another site's page has led to: the visitor begins it, and not that site. */
export const beginForm = ({ signIn }: PageTexts, { title, path }: ProviderLink): Markup => html`
  <p>${signIn.begin({ provider: title })}</p>
  <a class="button" href="${path}">${signIn.provider({ provider: title })}</a>
  <p class="hint"><a href="${SIGN_IN}">${signIn.back()}</a></p>
`

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
