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
    ${email === undefined ? '' : html`You are <strong>${email}</strong>. `}
    ${
      owner === 'you'
        ? html`The account becomes <strong>yours</strong>: your own calls of ${title} use it, and nobody else's. Where
            nothing is shared, the gateway also lists the tools with it.`
        : html`The account becomes that of the organization <strong>${organization}</strong>: every member who may call
            uses it, unless they have one of their own.`
    }
  </p>
  ${server === undefined ? '' : html`<p>What you allow is used at <strong>${server}</strong> and nowhere else.</p>`}
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
  <p>Next you go to <strong>${form.authority}</strong>, sign in there, and allow it there.</p>
  ${scopesOf(form)}
  <form method="post" action="${form.action}">
    ${hidden(form, 'account')} ${accountField(form)}
    <button>Go to ${form.authority}</button>
  </form>
  <p class="hint">Not what you were about to do? Close this page: nothing has happened.</p>
`

const scopesOf = ({ scopes }: Pick<AccountForm, 'scopes'>) =>
  scopes.length === 0
    ? html`<p class="hint">It asks for nothing in particular: that page says what it gives.</p>`
    : html`<h2>It asks for</h2>
        <ul class="tools">
          ${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}
        </ul>`

const accountField = ({ account, taken }: Pick<AccountForm, 'account' | 'taken'>) =>
  account === undefined
    ? ''
    : html`<label>
        Name of this account
        <small>
          Small letters, digits, _ and -; left empty, it is named by itself.
          ${taken.length === 0 ? '' : html`Taken: ${taken.join(', ')}. The same name replaces that account.`}
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
  <p>
    Next you go to a page of <strong>${form.broker}</strong>, which keeps the account: Toolway never sees its tokens.
  </p>
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
    <button>Go to ${form.broker}</button>
  </form>
  <p class="hint">Not what you were about to do? Close this page: nothing has happened.</p>
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
    <strong>${form.authority}</strong> takes no client that it does not know, and lets none register itself. Register
    one there with this redirect address, and give its id and secret here. All members of
    <strong>${form.organization}</strong> use it then.
  </p>
  <p><code>${form.redirect}</code></p>
  <form method="post" action="${form.action}">
    ${hidden(form, 'client')}
    <label>
      Client id
      <input name="client_id" value="${form.clientId ?? ''}" maxlength="2000" autocomplete="off" required autofocus />
    </label>
    <label>
      Client secret <small>Empty if it has none</small>
      <input type="password" name="client_secret" maxlength="4096" autocomplete="off" />
    </label>
    <button>Save and go on</button>
  </form>
`

export const noClientText = ({ authority, organization, redirect }: ClientForm): Markup => html`
  <p class="problem" role="alert">
    <strong>${authority}</strong> takes no client that it does not know, and lets none register itself.
  </p>
  <p>
    An administrator of <strong>${organization}</strong> can open this page and give the id and secret of a client that
    was registered there with the redirect address <code>${redirect}</code>.
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
      <small>It goes with each call as the header ${form.header}, is kept encrypted, and is never shown again.</small>
      <input type="password" name="key" maxlength="8192" autocomplete="off" spellcheck="false" required autofocus />
    </label>
    ${accountField(form)}
    <button>Try it and keep it</button>
  </form>
`

export const goneText = (list: string): Markup => html`
  <p>This link is over: each is good for ten minutes. Nothing was connected.</p>
  <p>Call the tool once more, which makes a new one, or begin at your accounts.</p>
  <a class="button" href="${list}">Your accounts</a>
`

/** It says nothing of whose link it is, nor of what for. */
export const foreignText = (signOut: { action: string; csrf: string } | undefined): Markup => html`
  <p class="problem" role="alert">This link was made for somebody else.</p>
  <p>
    Whoever opens it would connect their own account to another person. Nothing was connected. If somebody sent it to
    you, tell your administrator.
  </p>
  ${
    signOut === undefined
      ? ''
      : html`<form method="post" action="${signOut.action}">
          <input type="hidden" name="csrf" value="${signOut.csrf}" />
          <button class="second">Sign out, to sign in as whom it is for</button>
        </form>`
  }
`

export const forbiddenText = (): Markup => html`
  <p class="problem" role="alert">You may not connect this account.</p>
  <p>An account that everybody in the organization uses is connected by who administers its connections.</p>
`

export const problemText = (problem: string, again: string): Markup => html`
  <p class="problem" role="alert">${problem}</p>
  <p>Nothing was connected.</p>
  <a class="button second" href="${again}">Try again</a>
`

export const goingText = (host: string, to: string): Markup => html`
  <p>You go to <strong>${host}</strong>. <a href="${to}">Go on</a> if nothing happens.</p>
`
