/** A question whether a call may be made, as markup, with everything that it is about. */
import type { Approval } from '@toolway/contract/admin'
import { inEnglish } from './fault-text.ts'
import { html, type Markup } from './markup.ts'
import type { PageTexts } from './page-texts.ts'

export interface ShownApproval {
  readonly approval: Approval
  readonly organization: string
  /** As they would be sent, as text. */
  readonly given: Markup
  readonly csrf: string
  readonly action: string
  readonly list: string
  readonly problem: Markup | undefined
  /** The person who looks is the one who calls. */
  readonly own: boolean
}

const MINUTE = 60_000

/** The time left, in words. */
function leftOf({ approval: { left } }: PageTexts, until: string): Markup {
  const minutes = Math.ceil((Date.parse(until) - Date.now()) / MINUTE)
  if (minutes <= 0) return left.none()
  if (minutes < 2) return left.moment()
  if (minutes < 120) return left.minutes({ count: minutes })
  return minutes < 2 * 24 * 60
    ? left.hours({ count: Math.floor(minutes / 60) })
    : left.days({ count: Math.floor(minutes / 1440) })
}

const time = (at: string | null): string => (at === null ? '' : `${at.slice(0, 16).replace('T', ' ')} UTC`)

/** The text for a name of the API, which a later version may have more of. */
const wordFor = (words: Readonly<Record<string, () => Markup>>, name: string): string | Markup =>
  words[name]?.() ?? name

const stateOf = ({ approval: { states, repeats } }: PageTexts, { state, repeats: isLasting, uses }: Approval): Markup =>
  state === 'granted' && isLasting ? repeats({ uses }) : states[state]()

export function approvalPage(texts: PageTexts, shown: ShownApproval): Markup {
  const { approval: words } = texts
  const { approval, given, problem } = shown
  return html`
    ${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
    ${
      approval.state === 'pending'
        ? ''
        : html`<p
            class="${approval.state === 'denied' || approval.state === 'expired' ? 'warning' : 'notice'}"
            role="status"
          >
            ${words.is({ state: stateOf(texts, approval) })}
          </p>`
    }
    ${factsOf(texts, shown)}
    <h2>${words.arguments()}</h2>
    <pre tabindex="0">${given}</pre>
    <h2>${words.reason()}</h2>
    ${approval.rules.map(
      ({ name, scope, asks, reason, quorum, granted }) =>
        html`<p>
          ${reason}
          <span class="hint"
            >${words.rule({ name, scope, approvers: inEnglish(texts, asks) })}${
              quorum > 1 ? words.quorum({ granted, quorum }) : ''
            }</span
          >
        </p>`,
    )}
    ${answersOf(texts, approval)} ${approval.yours ? formOf(texts, shown) : waitingOf(texts, shown)}
    <p><a href="${shown.list}">${words.all()}</a></p>
  `
}

const factsOf = (texts: PageTexts, { approval, organization }: ShownApproval): Markup => {
  const { approval: words } = texts
  const { account, caller, client } = approval
  return html`<dl>
    <dt>${words.tool()}</dt>
    <dd><strong>${approval.tool}</strong></dd>
    <dt>${words.effect()}</dt>
    <dd>${wordFor(words.effects, approval.effect_from === 'unknown' ? 'unknown' : approval.effect)}</dd>
    <dt>${words.connection()}</dt>
    <dd>${approval.connection ?? words.removed()} · ${organization}</dd>
    ${
      account === null
        ? ''
        : html`<dt>${words.account()}</dt>
            <dd>${account}</dd>`
    }
    <dt>${words.caller()}</dt>
    <dd>${client === null ? caller : words.with({ caller, client })}</dd>
    <dt>${words.requested()}</dt>
    <dd>${time(approval.created_at)}</dd>
    ${
      approval.state === 'pending'
        ? html`<dt>${words.expiresIn()}</dt>
            <dd>${leftOf(texts, approval.expires_at)}</dd>`
        : ''
    }
  </dl>`
}

const answersOf = ({ approval: words }: PageTexts, { answers }: Approval) =>
  answers.length === 0
    ? ''
    : html`<h2>${words.answers()}</h2>
        ${answers.map(
          ({ by, verdict, way, note, at }) =>
            html`<p>
              ${verdict === 'grant' ? words.approved({ by }) : words.denied({ by })}
              <span class="hint">${time(at)}, ${wordFor(words.ways, way)}${note === null ? '' : html`: ${note}`}</span>
            </p>`,
        )}`

function formOf({ approval: words }: PageTexts, { action, csrf, approval }: ShownApproval): Markup {
  const isPending = approval.state === 'pending'
  const mayLast = isPending && approval.always
  return html`
    <form method="post" action="${action}">
      <input type="hidden" name="csrf" value="${csrf}" />
      <label>
        ${words.note()} <small>${words.noteHint()}</small>
        <input name="note" maxlength="500" autocomplete="off" />
      </label>
      ${isPending ? html`<button name="answer" value="grant">${words.grant()}</button>` : ''}
      ${mayLast ? html`<button name="answer" value="always" class="second">${words.always()}</button>` : ''}
      <button name="answer" value="deny" class="second">${isPending ? words.deny() : words.revoke()}</button>
    </form>
    <p class="hint">${words.onlyThis()}${mayLast ? html` ${words.alwaysHint()}` : ''}</p>
  `
}

const waitingOf = ({ approval: words }: PageTexts, { approval, own }: ShownApproval) =>
  approval.state !== 'pending' ? '' : html`<p class="warning" role="note">${own ? words.own() : words.others()}</p>`

/** It says nothing of what there might be. */
export const noApproval = ({ approval: words }: PageTexts, list: string): Markup => html`
  <p>${words.nothing.text()}</p>
  <a class="button" href="${list}">${words.all()}</a>
`
