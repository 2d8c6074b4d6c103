/** A person's connections with the accounts that they use, how those are, and how a way to an authorization server ended; as markup. */
import type { AccountState } from '../../credentials/account-states.ts'
import { html, type Markup } from './page.ts'

export interface ShownAccount {
  readonly id: string
  readonly account: string
  /** Name of the account at the vendor, where it is known. */
  readonly name: string | undefined
  readonly owner: 'you' | 'organization'
  readonly state: AccountState
  readonly why: string | undefined
  readonly until: Date | undefined
  /** True for the account that is used where several exist and none is named. */
  readonly isDefault: boolean
  /** Whether who looks may change it. */
  readonly theirs: boolean
  /** Where it is connected again. */
  readonly again: string | undefined
}

export interface ShownConnection {
  readonly id: string
  readonly title: string
  readonly server: string
  readonly organization: string
  /** Several accounts may be named. */
  readonly many: boolean
  readonly accounts: readonly ShownAccount[]
  /** Why calls of it fail now; undefined where it answers. */
  readonly problem: string | undefined
  /** Where an account of theirs, or one for everybody, is connected. */
  readonly mine: string | undefined
  readonly shared: string | undefined
}

export interface AccountsPage {
  readonly connections: readonly ShownConnection[]
  readonly csrf: string
  /** Where the forms of accounts go: the id follows. */
  readonly action: string
}

export type Outcome =
  | { readonly kind: 'connected'; readonly title: string | undefined }
  | { readonly kind: 'error'; readonly error: string; readonly why: string | undefined }

export const accountsPage = (page: AccountsPage): Markup => html`
  ${
    page.connections.length === 0
      ? html`<p>None of your connections uses an account yet. Where one is needed, it appears here.</p>`
      : page.connections.map((connection) => shown(connection, page))
  }
`

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

const shown = (connection: ShownConnection, page: AccountsPage): Markup => html`
  <section>
    <h2>${connection.title}</h2>
    <p class="hint">${connection.server} · ${connection.organization}</p>
    ${connection.problem === undefined ? '' : html`<p class="warning" role="note">${connection.problem}</p>`}
    ${connection.accounts.map((account) => shownAccount(account, connection, page))}
    ${
      connection.mine === undefined
        ? ''
        : html`<a class="button${connection.accounts.length === 0 ? '' : ' second'}" href="${connection.mine}"
            >${connection.accounts.some(({ owner }) => owner === 'you') ? 'Connect another account' : 'Connect my account'}</a
          >`
    }
    ${
      connection.shared === undefined
        ? ''
        : html`<a class="button second" href="${connection.shared}">Connect one for the organization</a>`
    }
  </section>
`

const STATES: Readonly<Record<AccountState, string>> = {
  healthy: 'healthy',
  expiring: 'runs out soon',
  expired: 'has run out',
  'needs you': 'needs you',
}

const shownAccount = (account: ShownAccount, connection: ShownConnection, page: AccountsPage): Markup => html`
  <div class="account">
    <p>
      <strong>${account.account}</strong>${account.name === undefined ? '' : html` · ${account.name}`}
      <small>
        ${account.owner === 'you' ? 'yours' : 'for everybody here'}${connection.many && account.isDefault ? ', the default' : ''}:
        <span class="${account.state === 'healthy' ? 'good' : 'bad'}">${STATES[account.state]}</span>
        ${account.until === undefined ? '' : html`(${account.until.toISOString().slice(0, 10)})`}
        ${account.why === undefined ? '' : html`· ${account.why}`}
      </small>
    </p>
    ${account.again === undefined ? '' : html`<a class="button" href="${account.again}">Connect again</a>`}
    ${account.theirs ? changes(account, connection, page) : ''}
  </div>
`

const changes = (account: ShownAccount, connection: ShownConnection, page: AccountsPage): Markup => html`
  <details>
    <summary>Change</summary>
    <form method="post" action="${page.action}/${account.id}">
      <input type="hidden" name="csrf" value="${page.csrf}" />
      ${
        connection.many
          ? html`<label>
                Name of this account
                <input name="account" value="${account.account}" maxlength="31" autocomplete="off" spellcheck="false" />
              </label>
              <button name="change" value="rename" class="second">Rename</button>
              ${
                account.isDefault
                  ? ''
                  : html`<button name="change" value="prefer" class="second">Use it where none is named</button>`
              }`
          : ''
      }
      <button name="change" value="end" class="second">Disconnect</button>
    </form>
  </details>
`
