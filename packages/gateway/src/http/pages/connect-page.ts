/** The page on which a person is asked whether to connect an account, as markup; what happens on it is `connect-door.ts`'s. */
import { html, type Markup } from './page.ts'

export interface ConnectWords {
  /** Of the connection, for people. */
  readonly title: string
  readonly organization: string
  /** Host of the server that the credential is sent to; undefined for a vendor's. */
  readonly server: string | undefined
  readonly owner: 'you' | 'organization'
  /** Email address of the user; undefined for the operator of this machine. */
  readonly email: string | undefined
}

interface Form extends ConnectWords {
  readonly action: string
  readonly csrf: string
  readonly problem?: string | undefined
}

const alarm = (problem: string | undefined) =>
  problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`

const hidden = ({ csrf }: Form, step: string) => html`
  <input type="hidden" name="csrf" value="${csrf}" />
  <input type="hidden" name="step" value="${step}" />
`

const facts = ({ title, organization, server, owner, email }: ConnectWords): Markup => html`
  <p>
    ${email === undefined ? '' : html`You are signed in as <strong>${email}</strong>. `}
    ${
      owner === 'you'
        ? html`The account will be <strong>yours</strong>: only your own calls to ${title} use it. If no shared account
            is connected, the gateway also uses it to list the tools.`
        : html`The account will be shared in the organization <strong>${organization}</strong>: every member who may
            call these tools uses it, unless they have connected their own.`
    }
  </p>
  ${server === undefined ? '' : html`<p>The credential is sent to <strong>${server}</strong> only.</p>`}
`

export interface AccountForm extends Form {
  /** Host of the authorization server. */
  readonly authority: string
  readonly scopes: readonly string[]
  /** The name that the account gets among several; undefined where there can be one only. */
  readonly account: string | undefined
  readonly taken: readonly string[]
}

export const accountForm = (form: AccountForm): Markup => html`
  ${alarm(form.problem)} ${facts(form)}
  <p>Next, sign in at <strong>${form.authority}</strong> and allow access there.</p>
  ${scopesOf(form)}
  <form method="post" action="${form.action}">
    ${hidden(form, 'account')} ${accountField(form)}
    <button>Continue to ${form.authority}</button>
  </form>
  <p class="hint">Did not start this yourself? Close this page. Nothing has been changed.</p>
`

const scopesOf = ({ scopes }: Pick<AccountForm, 'scopes'>) =>
  scopes.length === 0
    ? html`<p class="hint">No specific permissions are requested. The next page shows what access includes.</p>`
    : html`<h2>Requested permissions</h2>
        <ul class="tools">
          ${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}
        </ul>`

const accountField = ({ account, taken }: Pick<AccountForm, 'account' | 'taken'>) =>
  account === undefined
    ? ''
    : html`<label>
        Account name
        <small>
          Lowercase letters, digits, _ and -. Leave empty to name it automatically.
          ${taken.length === 0 ? '' : html`In use: ${taken.join(', ')}. Using the same name replaces that account.`}
        </small>
        <input
          name="account"
          value="${account}"
          maxlength="31"
          pattern="[a-z0-9][a-z0-9_\\-]*"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
        />
      </label>`

export interface BrokerForm extends Form {
  /** The name of the service that keeps the accounts. */
  readonly broker: string
  /** The apps of which one account can be connected. */
  readonly apps: readonly string[]
}

/** The account and its tokens stay with a service that keeps them for its users. */
export const brokerForm = (form: BrokerForm): Markup => html`
  ${alarm(form.problem)} ${facts(form)}
  <p>Next, connect the account at <strong>${form.broker}</strong>, which stores it. Toolway never sees its tokens.</p>
  <form method="post" action="${form.action}">
    ${hidden(form, 'account')}
    ${
      form.apps.length < 2
        ? ''
        : html`<label>
            App
            <select name="app">
              ${form.apps.map((app) => html`<option value="${app}">${app}</option>`)}
            </select>
          </label>`
    }
    <button>Continue to ${form.broker}</button>
  </form>
  <p class="hint">Did not start this yourself? Close this page. Nothing has been changed.</p>
`

export interface ClientForm extends Form {
  readonly authority: string
  readonly redirect: string
  readonly clientId?: string | undefined
}

/** The authorization server knows no client of ours: whoever administers the organization says who we are there. */
export const clientForm = (form: ClientForm): Markup => html`
  ${alarm(form.problem)}
  <p>
    <strong>${form.authority}</strong> does not support automatic client registration. Register an OAuth client there
    with this redirect URL, and enter its id and secret here. All members of <strong>${form.organization}</strong> will
    use it.
  </p>
  <p><code>${form.redirect}</code></p>
  <form method="post" action="${form.action}">
    ${hidden(form, 'client')}
    <label>
      Client ID
      <input name="client_id" value="${form.clientId ?? ''}" maxlength="2000" autocomplete="off" required autofocus />
    </label>
    <label>
      Client secret <small>Leave empty if there is none</small>
      <input type="password" name="client_secret" maxlength="4096" autocomplete="off" />
    </label>
    <button>Save and continue</button>
  </form>
`

export const noClientText = ({ authority, organization, redirect }: ClientForm): Markup => html`
  <p class="problem" role="alert"><strong>${authority}</strong> does not support automatic client registration.</p>
  <p>
    An administrator of <strong>${organization}</strong> can open this page and enter the id and secret of an OAuth
    client that was registered there with the redirect URL <code>${redirect}</code>.
  </p>
`

export interface KeyForm extends Form {
  /** The header that carries it. */
  readonly header: string
  readonly account: string | undefined
  readonly taken: readonly string[]
}

export const keyForm = (form: KeyForm): Markup => html`
  ${alarm(form.problem)} ${facts(form)}
  <form method="post" action="${form.action}">
    ${hidden(form, 'key')}
    <label>
      Key
      <small>Sent with each call as the header ${form.header}. Stored encrypted and never shown again.</small>
      <input type="password" name="key" maxlength="8192" autocomplete="off" spellcheck="false" required autofocus />
    </label>
    ${accountField(form)}
    <button>Test and save</button>
  </form>
`

export const goneText = (list: string): Markup => html`
  <p>This link has expired. Links are valid for ten minutes. No account was connected.</p>
  <p>Call the tool again to get a new link, or connect the account on the accounts page.</p>
  <a class="button" href="${list}">Your accounts</a>
`

/** It says nothing of whose link it is, nor of what for. */
export const foreignText = (signOut: { action: string; csrf: string } | undefined): Markup => html`
  <p class="problem" role="alert">This link belongs to another user.</p>
  <p>
    Opening it would connect your account for another user. No account was connected. If someone sent it to you, tell
    your administrator.
  </p>
  ${
    signOut === undefined
      ? ''
      : html`<form method="post" action="${signOut.action}">
          <input type="hidden" name="csrf" value="${signOut.csrf}" />
          <button class="second">Sign out and use another account</button>
        </form>`
  }
`

export const forbiddenText = (): Markup => html`
  <p class="problem" role="alert">You are not allowed to connect this account.</p>
  <p>Shared accounts are connected by administrators of the organization.</p>
`

export const problemText = (problem: string, again: string): Markup => html`
  <p class="problem" role="alert">${problem}</p>
  <p>No account was connected.</p>
  <a class="button second" href="${again}">Try again</a>
`

export const goingText = (host: string, to: string): Markup => html`
  <p>Redirecting to <strong>${host}</strong>. <a href="${to}">Continue</a> if nothing happens.</p>
`
