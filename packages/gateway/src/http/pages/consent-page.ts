/** The page of a client's question, as markup, in words for people who know nothing of scopes; what happens on it is `consent-door.ts`'s. */
import type { Limit } from '@toolway/contract'
import type { Asking } from '../../oauth/authorization-server.ts'
import type { Choice, Tally } from '../../oauth/consent.ts'
import { hostOf, type AskingClient } from '../../oauth/provider.ts'
import { html, type Markup } from './page.ts'

interface Form {
  readonly action: string
  readonly csrf: string
  readonly asking: Asking
  readonly email: string
}

export interface ConsentForm extends Form {
  readonly choices: readonly Choice[]
  readonly suggested: Limit
  /** The preselected organization. */
  readonly organizationId: string | undefined
  /** How far it reaches already. */
  readonly before: Limit | undefined
}

export function consentForm(form: ConsentForm): Markup {
  const { action, csrf, asking, email, choices, before } = form
  return html`
    ${whoAsks(asking)}
    <p>You are <strong>${email}</strong>. ${before === undefined ? '' : already(before)}</p>
    <form method="post" action="${action}">
      <input type="hidden" name="csrf" value="${csrf}" />
      ${organizations(form)} ${access(form)}
      <p class="hint">
        Where: <code>${asking.resource}</code>. It can do there what you may do, as long as you may. You can end it at
        any time.
      </p>
      <button name="answer" value="allow">
        ${choices.some(({ most }) => most !== 'read') ? 'Allow' : 'Allow to look'}
      </button>
      <button name="answer" value="refuse" class="second">Do not allow</button>
    </form>
  `
}

export const noChoiceForm = ({ action, csrf, asking, email }: Form): Markup => html`
  ${whoAsks(asking)}
  <p class="problem" role="alert">
    There is no endpoint for <strong>${email}</strong> at <code>${asking.resource}</code>.
  </p>
  <p>Check the address that was given to the client, or ask an administrator to make you a member there.</p>
  <form method="post" action="${action}">
    <input type="hidden" name="csrf" value="${csrf}" />
    <button name="answer" value="refuse">Go back</button>
  </form>
`

export const goneText = (): Markup => html`
  <p>This question of a client was answered already, is older than ten minutes, or was asked in another browser.</p>
  <p>Go back to the client and connect once more.</p>
`

export const goingBack = ({ asking, to }: { asking: Asking; to: string }): Markup => html`
  <p>
    Your answer goes to <strong>${asking.clientName}</strong>. <a href="${to}">Go on</a> if nothing happens; then you
    can close this page.
  </p>
`

export const problemPage = (problem: string, client: AskingClient | undefined): Markup => html`
  <p class="problem" role="alert">${problem}</p>
  ${client === undefined ? '' : failedFor(client)}
  <p>
    No access was granted. Go back to the program and connect again. If the error repeats, remove the connection in that
    program and add it again.
  </p>
`

/** No link: a person comes here by a link of a stranger's making. */
const failedFor = ({ name, redirect }: AskingClient): Markup =>
  redirect === undefined
    ? html`<p>The request came from a program that calls itself <strong>${name}</strong>.</p>`
    : html`<p>
        The request came from a program that calls itself <strong>${name}</strong> and wanted the answer sent to
        <strong>${hostOf(redirect)}</strong>. Nothing was sent there, because nobody has approved the request.
      </p>`

const whoAsks = ({ clientName, documentHost, host, local }: Asking): Markup => html`
  <p>
    A program that calls itself <strong>${clientName}</strong> asks to use your tools.
    ${documentHost === undefined ? '' : html`It comes from <strong>${documentHost}</strong>.`}
  </p>
  ${
    local
      ? html`<p class="warning" role="note">
          Your answer goes to a program on this computer (<code>${host}</code>). Any program here can ask under any
          name: allow it only if you have just begun this yourself.
        </p>`
      : html`<p>Your answer goes to <strong>${host}</strong>.</p>`
  }
`

const REACHES: Readonly<Record<Limit, string>> = {
  read: 'tools that read',
  write: 'tools that read and change',
  execute: 'all tools',
}
const already = (before: Limit) => html`This program may use ${REACHES[before]} there already.`

function organizations({ choices, organizationId }: ConsentForm): Markup {
  const [only] = choices
  if (choices.length === 1 && only !== undefined) {
    return html`<input type="hidden" name="organization" value="${only.organizationId}" />
      <p>Organization: <strong>${only.name}</strong>.${only.most === 'read' ? html` ${VIEWER}` : ''}</p>
      ${tools(only.tools)}`
  }
  const first = choices.find((choice) => choice.organizationId === organizationId) ?? only
  return html`<fieldset>
    <legend>In which organization?</legend>
    ${choices.map(
      (choice) =>
        html`<label class="check">
          <input
            type="radio"
            name="organization"
            value="${choice.organizationId}"
            ${choice === first ? 'checked' : ''}
          />
          <span>
            <strong>${choice.name}</strong>
            <small>${inOneLine(choice.tools)}${choice.most === 'read' ? html` ${VIEWER}` : ''}</small>
          </span>
        </label>`,
    )}
  </fieldset>`
}

const VIEWER = 'You may look at the list there, and call nothing.'

const inOneLine = ({ read, write, destructive }: Tally): string =>
  [
    [read, read.count === 1 ? 'reads' : 'read'] as const,
    [write, 'can change things'] as const,
    [destructive, 'can destroy'] as const,
  ]
    .map(([{ count, examples }, words]) => `${count} ${words}${count === 0 ? '' : ` (${inBrief(count, examples)})`}`)
    .join(', ')
    .replace(/^/, 'Tools: ')
    .concat('.')

const inBrief = (count: number, examples: readonly string[]): string =>
  `${examples.join(', ')}${count > examples.length ? ' …' : ''}`

const tools = ({ read, write, destructive }: Tally): Markup =>
  html`<ul class="tools">
    ${line(read, 'reads', 'read')} ${line(write, 'can change things', 'can change things')}
    ${line(destructive, 'can destroy', 'can destroy')}
  </ul>`

const line = ({ count, examples }: Tally['read'], one: string, many: string): Markup => {
  const words = count === 1 ? `1 tool that ${one}` : `${count === 0 ? 'No' : count} tools that ${many}`
  return html`<li><strong>${words}</strong> <small>${inBrief(count, examples)}</small></li>`
}

function access({ choices, suggested }: ConsentForm): Markup {
  const most: Limit = choices.some((choice) => choice.most === 'execute') ? 'execute' : 'read'
  const offered = OPTIONS.filter(({ limit }) => most === 'execute' || limit === 'read')
  const chosen = offered.some(({ limit }) => limit === suggested) ? suggested : 'read'
  return html`<fieldset>
    <legend>How far may it go?</legend>
    ${offered.map(
      ({ limit, words, about }) =>
        html`<label class="check">
          <input type="radio" name="access" value="${limit}" ${limit === chosen ? 'checked' : ''} />
          <span><strong>${words}</strong> <small>${about}</small></span>
        </label>`,
    )}
  </fieldset>`
}

const OPTIONS: readonly { limit: Limit; words: string; about: string }[] = [
  { limit: 'read', words: 'Read only', about: 'It can look, and change nothing.' },
  {
    limit: 'write',
    words: 'Read and write',
    about: 'It can also call tools that add and change things, but none that say they destroy.',
  },
  { limit: 'execute', words: 'Everything that I may', about: 'It can also call the tools that say they destroy.' },
]
