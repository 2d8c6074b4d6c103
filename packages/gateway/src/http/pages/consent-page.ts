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
    <p>You are signed in as <strong>${email}</strong>. ${before === undefined ? '' : already(before)}</p>
    <form method="post" action="${action}">
      <input type="hidden" name="csrf" value="${csrf}" />
      ${organizations(form)} ${access(form)}
      <p class="hint">
        Endpoint: <code>${asking.resource}</code>. The program acts with your permissions. You can revoke access at any
        time.
      </p>
      <button name="answer" value="allow">
        ${choices.some(({ most }) => most !== 'read') ? 'Allow' : 'Allow read access'}
      </button>
      <button name="answer" value="refuse" class="second">Deny</button>
    </form>
  `
}

export const noChoiceForm = ({ action, csrf, asking, email }: Form): Markup => html`
  ${whoAsks(asking)}
  <p class="problem" role="alert"><strong>${email}</strong> has no access to <code>${asking.resource}</code>.</p>
  <p>Check the URL in the client’s settings, or ask an administrator to add you to the organization.</p>
  <form method="post" action="${action}">
    <input type="hidden" name="csrf" value="${csrf}" />
    <button name="answer" value="refuse">Go back</button>
  </form>
`

export const goneText = (): Markup => html`
  <p>This request has already been answered, is older than ten minutes, or was opened in another browser.</p>
  <p>Go back to the client and connect again.</p>
`

export const goingBack = ({ asking, to }: { asking: Asking; to: string }): Markup => html`
  <p>
    Returning to <strong>${asking.clientName}</strong>. <a href="${to}">Continue</a> if nothing happens, then close this
    page.
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
    ? html`<p>The request came from a program named <strong>${name}</strong>.</p>`
    : html`<p>
        The request came from a program named <strong>${name}</strong>, with a redirect to
        <strong>${hostOf(redirect)}</strong>. Nothing was sent there, because nobody has approved the request.
      </p>`

const whoAsks = ({ clientName, documentHost, host, local }: Asking): Markup => html`
  <p>
    A program named <strong>${clientName}</strong> requests access to your tools.
    ${documentHost === undefined ? '' : html`It is published by <strong>${documentHost}</strong>.`}
  </p>
  ${
    local
      ? html`<p class="warning" role="note">
          Access is granted to a program on this computer (<code>${host}</code>). Any program can use any name, so allow
          access only if you have just started this yourself.
        </p>`
      : html`<p>Access is granted to <strong>${host}</strong>.</p>`
  }
`

const REACHES: Readonly<Record<Limit, string>> = {
  read: 'read-only tools',
  write: 'tools that read and write',
  execute: 'all tools',
}
const already = (before: Limit) => html`This program already has access to ${REACHES[before]}.`

function organizations({ choices, organizationId }: ConsentForm): Markup {
  const [only] = choices
  if (choices.length === 1 && only !== undefined) {
    return html`<input type="hidden" name="organization" value="${only.organizationId}" />
      <p>Organization: <strong>${only.name}</strong>.${only.most === 'read' ? html` ${VIEWER}` : ''}</p>
      ${tools(only.tools)}`
  }
  const first = choices.find((choice) => choice.organizationId === organizationId) ?? only
  return html`<fieldset>
    <legend>Organization</legend>
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

const VIEWER = 'Your role allows listing the tools, but not calling them.'

const inOneLine = ({ read, write, destructive }: Tally): string =>
  [
    [read, read.count === 1 ? 'reads' : 'read'] as const,
    [write, 'can write'] as const,
    [destructive, 'can be destructive'] as const,
  ]
    .map(([{ count, examples }, words]) => `${count} ${words}${count === 0 ? '' : ` (${inBrief(count, examples)})`}`)
    .join(', ')
    .replace(/^/, 'Tools: ')
    .concat('.')

const inBrief = (count: number, examples: readonly string[]): string =>
  `${examples.join(', ')}${count > examples.length ? ' …' : ''}`

const tools = ({ read, write, destructive }: Tally): Markup =>
  html`<ul class="tools">
    ${line(read, 'reads', 'read')} ${line(write, 'can write', 'can write')}
    ${line(destructive, 'can be destructive', 'can be destructive')}
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
    <legend>Access</legend>
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
  { limit: 'read', words: 'Read only', about: 'Can call read-only tools. Cannot change anything.' },
  {
    limit: 'write',
    words: 'Read and write',
    about: 'Can also call tools that create and change data, but no destructive tools.',
  },
  { limit: 'execute', words: 'Full access', about: 'Can also call destructive tools.' },
]
