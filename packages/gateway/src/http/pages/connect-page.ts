/** The page on which a person is asked whether to connect an account, as markup; what happens on it is `connect-door.ts`'s. */
import { html, type Markup } from './markup.ts'
import { linkTo, type PageTexts } from './page-texts.ts'

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
  readonly problem?: Markup | undefined
  /** The account that is being reconnected. */
  readonly replaced?: AccountWords | undefined
  /** The account that works and would be replaced: the person is asked. */
  readonly inTheWay?: AccountWords | undefined
}

interface AccountWords {
  readonly id: string
  readonly account: string
  readonly name: string | undefined
}

const alarm = (problem: Markup | undefined) =>
  problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`

const hiddenInputs = ({ csrf }: Form, step: string) => html`
  <input type="hidden" name="csrf" value="${csrf}" />
  <input type="hidden" name="step" value="${step}" />
`

const nameOf = ({ name, account }: AccountWords): string => (name === undefined ? account : `${name} (${account})`)

/** Nothing that works is replaced unasked. */
const replacementNotice = ({ connect: { replace } }: PageTexts, { replaced, inTheWay }: Form): Markup | string => {
  if (replaced !== undefined)
    return html`<p>${replace.again({ account: nameOf(replaced) })}</p>
      <input type="hidden" name="replaces" value="${replaced.id}" />`
  if (inTheWay === undefined) return ''
  const account = nameOf(inTheWay)
  return html`<p class="problem" role="alert">${replace.there({ account })}</p>
    <label class="check">
      <input type="checkbox" name="replaces" value="${inTheWay.id}" required />
      <span>${replace.question({ account })}</span>
    </label>`
}

const facts = (
  { connect, signedInAs }: PageTexts,
  { title, organization, server, owner, email }: ConnectWords,
): Markup => html`
  <p>
    ${email === undefined ? '' : html`${signedInAs({ email })} `}
    ${owner === 'you' ? connect.yours({ title }) : connect.shared({ organization })}
  </p>
  ${server === undefined ? '' : html`<p>${connect.sentTo({ server })}</p>`}
`

export interface AccountForm extends Form {
  /** Host of the authorization server. */
  readonly authority: string
  readonly scopes: readonly string[]
  /** The name that the account gets among several; undefined where there can be one only. */
  readonly account: string | undefined
  readonly taken: readonly string[]
}

export const accountForm = (texts: PageTexts, form: AccountForm): Markup => html`
  ${alarm(form.problem)} ${facts(texts, form)}
  <p>${texts.connect.next({ host: form.authority })}</p>
  ${scopesOf(texts, form)}
  <form method="post" action="${form.action}">
    ${hiddenInputs(form, 'account')} ${accountField(texts, form)} ${replacementNotice(texts, form)}
    <button>${texts.connect.continueTo({ name: form.authority })}</button>
  </form>
  <p class="hint">${texts.connect.stranger()}</p>
`

const scopesOf = ({ connect }: PageTexts, { scopes }: Pick<AccountForm, 'scopes'>) =>
  scopes.length === 0
    ? html`<p class="hint">${connect.noScopes()}</p>`
    : html`<h2>${connect.scopes()}</h2>
        <ul class="tools">
          ${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}
        </ul>`

const accountField = ({ connect }: PageTexts, { account, taken }: Pick<AccountForm, 'account' | 'taken'>) =>
  account === undefined
    ? ''
    : html`<label>
        ${connect.account()}
        <small>
          ${connect.accountHint()} ${taken.length === 0 ? '' : connect.accountsTaken({ names: taken.join(', ') })}
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
export const brokerForm = (texts: PageTexts, form: BrokerForm): Markup => html`
  ${alarm(form.problem)} ${facts(texts, form)}
  <p>${texts.connect.broker({ broker: form.broker })}</p>
  <form method="post" action="${form.action}">
    ${hiddenInputs(form, 'account')}
    ${
      form.apps.length < 2
        ? ''
        : html`<label>
            ${texts.connect.app()}
            <select name="app">
              ${form.apps.map((app) => html`<option value="${app}">${app}</option>`)}
            </select>
          </label>`
    }
    <button>${texts.connect.continueTo({ name: form.broker })}</button>
  </form>
  <p class="hint">${texts.connect.stranger()}</p>
`

export interface ClientForm extends Form {
  readonly authority: string
  readonly redirect: string
  readonly clientId?: string | undefined
}

/** The authorization server knows no client of ours: whoever administers the organization says who we are there. */
export function clientForm({ connect: { client } }: PageTexts, form: ClientForm): Markup {
  const { authority: host, organization, redirect } = form
  return html`
    ${alarm(form.problem)}
    <p>${client.text({ host, organization })}</p>
    <p><code>${redirect}</code></p>
    <form method="post" action="${form.action}">
      ${hiddenInputs(form, 'client')}
      <label>
        ${client.id()}
        <input name="client_id" value="${form.clientId ?? ''}" maxlength="2000" autocomplete="off" required autofocus />
      </label>
      <label>
        ${client.secret()} <small>${client.secretHint()}</small>
        <input type="password" name="client_secret" maxlength="4096" autocomplete="off" />
      </label>
      <button>${client.submit()}</button>
    </form>
  `
}

export const noClientText = (
  { connect: { client } }: PageTexts,
  { authority, organization, redirect }: ClientForm,
): Markup => html`
  <p class="problem" role="alert">${client.none({ host: authority })}</p>
  <p>${client.noneHint({ organization, redirect })}</p>
`

export interface KeyForm extends Form {
  /** The header that carries it. */
  readonly header: string
  readonly account: string | undefined
  readonly taken: readonly string[]
}

export function keyForm(texts: PageTexts, form: KeyForm): Markup {
  const { key } = texts.connect
  return html`
    ${alarm(form.problem)} ${facts(texts, form)}
    <form method="post" action="${form.action}">
      ${hiddenInputs(form, 'key')}
      <label>
        ${key.label()}
        <small>${key.hint({ header: form.header })}</small>
        <input type="password" name="key" maxlength="8192" autocomplete="off" spellcheck="false" required autofocus />
      </label>
      ${accountField(texts, form)} ${replacementNotice(texts, form)}
      <button>${key.submit()}</button>
    </form>
  `
}

export const goneText = ({ connect: { gone } }: PageTexts, list: string): Markup => html`
  <p>${gone.text()}</p>
  <p>${gone.hint()}</p>
  <a class="button" href="${list}">${gone.accounts()}</a>
`

/** It says nothing of whose link it is, nor of what for. */
export const foreignText = (
  { connect: { foreign } }: PageTexts,
  signOut: { action: string; csrf: string } | undefined,
): Markup => html`
  <p class="problem" role="alert">${foreign.problem()}</p>
  <p>${foreign.text()}</p>
  ${
    signOut === undefined
      ? ''
      : html`<form method="post" action="${signOut.action}">
          <input type="hidden" name="csrf" value="${signOut.csrf}" />
          <button class="second">${foreign.signOut()}</button>
        </form>`
  }
`

export const forbiddenText = ({ connect: { forbidden } }: PageTexts): Markup => html`
  <p class="problem" role="alert">${forbidden.problem()}</p>
  <p>${forbidden.text()}</p>
`

export const problemText = ({ connect: { failed } }: PageTexts, problem: Markup, again: string): Markup => html`
  <p class="problem" role="alert">${problem}</p>
  <p>${failed.nothing()}</p>
  <a class="button second" href="${again}">${failed.again()}</a>
`

export const goingText = ({ moment }: PageTexts, host: string, to: string): Markup =>
  html`<p>${moment.going({ host, a: linkTo(to) })}</p>`
