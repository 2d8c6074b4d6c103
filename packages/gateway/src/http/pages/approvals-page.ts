/** A question whether a call may be made, as markup, with everything that it is about. */
import type { Approval } from '@toolway/contract/admin'
import { html, type Markup } from './page.ts'

export interface ShownApproval {
  readonly approval: Approval
  readonly organization: string
  /** As they would be sent, as text. */
  readonly given: string
  readonly csrf: string
  readonly action: string
  readonly list: string
  readonly problem: string | undefined
  /** The person who looks is the one who calls. */
  readonly own: boolean
}

const MINUTE = 60_000

/** The time left, in words. */
export function leftOf(until: string, now = Date.now()): string {
  const minutes = Math.ceil((Date.parse(until) - now) / MINUTE)
  if (minutes <= 0) return 'none'
  if (minutes < 2) return 'less than 2 minutes'
  if (minutes < 120) return `${minutes} minutes`
  return minutes < 2 * 24 * 60 ? `${Math.floor(minutes / 60)} hours` : `${Math.floor(minutes / 1440)} days`
}

const time = (at: string | null): string => (at === null ? '' : `${at.slice(0, 16).replace('T', ' ')} UTC`)

const WAYS: Readonly<Record<string, string>> = {
  page: 'on this page',
  api: 'over HTTP',
  'command line': 'from the command line',
  webhook: 'through a webhook',
  client: 'in the calling client',
}

const EFFECTS: Readonly<Record<string, string>> = {
  read: 'reads',
  write: 'writes',
  destructive: 'is destructive',
}

const STATES: Readonly<Record<Approval['state'], string>> = {
  pending: 'waiting for approval',
  granted: 'approved, not used yet',
  denied: 'denied',
  expired: 'expired',
  used: 'approved and used',
}

const stateOf = ({ state, repeats, uses }: Approval): string =>
  state === 'granted' && repeats ? `approved for a limited time, used ${uses} times` : STATES[state]

export const approvalPage = (shown: ShownApproval): Markup => {
  const { approval, organization, given, problem } = shown
  return html`
    ${problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`}
    ${approval.state === 'pending' ? '' : html`<p class="${approval.state === 'denied' || approval.state === 'expired' ? 'warning' : 'notice'}" role="status">This call is ${stateOf(approval)}.</p>`}
    <dl>
      <dt>Tool</dt>
      <dd><strong>${approval.tool}</strong></dd>
      <dt>Effect</dt>
      <dd>${EFFECTS[approval.effect] ?? approval.effect}</dd>
      <dt>Connection</dt>
      <dd>${approval.connection ?? 'removed'} · ${organization}</dd>
      ${
        approval.account === null
          ? ''
          : html`<dt>Account</dt>
              <dd>${approval.account}</dd>`
      }
      <dt>Caller</dt>
      <dd>${approval.caller}${approval.client === null ? '' : html` with ${approval.client}`}</dd>
      <dt>Requested</dt>
      <dd>${time(approval.created_at)}</dd>
      ${
        approval.state === 'pending'
          ? html`<dt>Expires in</dt>
              <dd>${leftOf(approval.expires_at)}</dd>`
          : ''
      }
    </dl>
    <h2>Arguments</h2>
    <pre tabindex="0">${given}</pre>
    <h2>Reason</h2>
    ${approval.rules.map(
      (rule) =>
        html`<p>
          ${rule.reason}
          <span class="hint"
            >Rule ${rule.name} (${rule.scope}). Approvers:
            ${rule.asks}${rule.quorum > 1 ? html`. ${rule.granted} of ${rule.quorum} approvals given` : ''}</span
          >
        </p>`,
    )}
    ${answersOf(approval)} ${approval.yours ? formOf(shown) : waitingOf(shown)}
    <p><a href="${shown.list}">All approval requests</a></p>
  `
}

const answersOf = ({ answers }: Approval) =>
  answers.length === 0
    ? ''
    : html`<h2>Answers</h2>
        ${answers.map(
          ({ by, verdict, way, note, at }) =>
            html`<p>
              <strong>${by}</strong> ${verdict === 'grant' ? 'approved' : 'denied'}
              <span class="hint">${time(at)}, ${WAYS[way] ?? way}${note === null ? '' : html`: ${note}`}</span>
            </p>`,
        )}`

const formOf = ({ action, csrf, approval }: ShownApproval): Markup => html`
  <form method="post" action="${action}">
    <input type="hidden" name="csrf" value="${csrf}" />
    <label>
      Note <small>Optional. Stored in the audit log, and shown to the caller if you deny.</small>
      <input name="note" maxlength="500" autocomplete="off" />
    </label>
    ${approval.state === 'pending' ? html`<button name="answer" value="grant">Approve this call</button>` : ''}
    ${approval.state === 'pending' && approval.always ? html`<button name="answer" value="always" class="second">Always for this tool</button>` : ''}
    <button name="answer" value="deny" class="second">
      ${approval.state === 'pending' ? 'Deny' : 'Revoke approval'}
    </button>
  </form>
  <p class="hint">
    A grant is good for this very call, with these arguments, and for no
    other.${
      approval.state === 'pending' && approval.always
        ? html` “Always” lets this caller call this tool with any arguments, until the tool or the rule is changed or it
          is ended under Approvals.`
        : ''
    }
  </p>
`

const waitingOf = ({ approval, own }: ShownApproval) =>
  approval.state !== 'pending'
    ? ''
    : html`<p class="warning" role="note">
        ${own ? 'You made this call, so someone else has to approve it.' : 'You are not an approver of this call.'}
      </p>`

/** It says nothing of what there might be. */
export const noApproval = (list: string): Markup => html`
  <p>This approval request does not exist, or you do not have access to it.</p>
  <a class="button" href="${list}">All approval requests</a>
`
