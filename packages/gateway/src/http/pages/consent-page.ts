/** The page of a client's question, as markup, in words for people who know nothing of scopes; what happens on it is `consent-door.ts`'s. */
import { LIMITS, SHOWN_EFFECTS, type Limit } from '@toolway/contract'
import type { Asking } from '../../oauth/authorization-server.ts'
import type { Choice, Tally } from '../../oauth/consent.ts'
import { hostOf, type AskingClient } from '../../oauth/provider.ts'
import { html, type Markup } from './markup.ts'
import { linkTo, type PageTexts } from './page-texts.ts'

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

export function consentForm(texts: PageTexts, form: ConsentForm): Markup {
  const { consent, signedInAs } = texts
  const { action, csrf, asking, email, choices, before } = form
  return html`
    ${whoAsks(texts, asking)}
    <p>${signedInAs({ email })} ${before === undefined ? '' : consent.already[before]()}</p>
    <form method="post" action="${action}">
      <input type="hidden" name="csrf" value="${csrf}" />
      ${organizations(texts, form)} ${access(texts, form)}
      <p class="hint">${consent.endpoint({ resource: asking.resource })}</p>
      <button name="answer" value="allow">
        ${choices.some(({ maxLimit }) => maxLimit !== 'read') ? consent.allow() : consent.allowRead()}
      </button>
      <button name="answer" value="refuse" class="second">${consent.deny()}</button>
    </form>
  `
}

export function noChoiceForm(texts: PageTexts, { action, csrf, asking, email }: Form): Markup {
  const { nothing } = texts.consent
  return html`
    ${whoAsks(texts, asking)}
    <p class="problem" role="alert">${nothing.problem({ email, resource: asking.resource })}</p>
    <p>${nothing.hint()}</p>
    <form method="post" action="${action}">
      <input type="hidden" name="csrf" value="${csrf}" />
      <button name="answer" value="refuse">${nothing.back()}</button>
    </form>
  `
}

export const goneText = ({ consent: { gone } }: PageTexts): Markup => html`
  <p>${gone.text()}</p>
  <p>${gone.hint()}</p>
`

export const goingBack = ({ consent }: PageTexts, { asking, to }: { asking: Asking; to: string }): Markup =>
  html`<p>${consent.back.text({ client: asking.clientName, a: linkTo(to) })}</p>`

export const problemPage = (texts: PageTexts, problem: Markup, client: AskingClient | undefined): Markup => html`
  <p class="problem" role="alert">${problem}</p>
  ${client === undefined ? '' : failedFor(texts, client)}
  <p>${texts.consent.failed.hint()}</p>
`

/** No link: a person comes here by a link of a stranger's making. */
const failedFor = ({ consent: { failed } }: PageTexts, { name, redirect }: AskingClient): Markup =>
  html`<p>
    ${
      redirect === undefined
        ? failed.client({ client: name })
        : failed.redirect({ client: name, host: hostOf(redirect) })
    }
  </p>`

const whoAsks = ({ consent }: PageTexts, { clientName, documentHost, host, local }: Asking): Markup => html`
  <p>
    ${consent.asks({ client: clientName })}
    ${documentHost === undefined ? '' : consent.publisher({ host: documentHost })}
  </p>
  ${
    local
      ? html`<p class="warning" role="note">${consent.local({ host })}</p>`
      : html`<p>${consent.grantedTo({ host })}</p>`
  }
`

function organizations(texts: PageTexts, { choices, organizationId }: ConsentForm): Markup {
  const { consent } = texts
  const viewer = ({ maxLimit }: Choice) => (maxLimit === 'read' ? html` ${consent.viewer()}` : '')
  const [only] = choices
  if (choices.length === 1 && only !== undefined) {
    return html`<input type="hidden" name="organization" value="${only.organizationId}" />
      <p>${consent.organizationIs({ name: only.name })}${viewer(only)}</p>
      ${tools(texts, only.tools)}`
  }
  const first = choices.find((choice) => choice.organizationId === organizationId) ?? only
  return html`<fieldset>
    <legend>${consent.organization()}</legend>
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
            <small>${inOneLine(texts, choice.tools)}${viewer(choice)}</small>
          </span>
        </label>`,
    )}
  </fieldset>`
}

const inOneLine = ({ consent }: PageTexts, { read, write, destructive, unknown }: Tally): Markup =>
  consent.tools({
    read: read.count,
    readExamples: inBrackets(read),
    write: write.count,
    writeExamples: inBrackets(write),
    destructive: destructive.count,
    destructiveExamples: inBrackets(destructive),
    unknown: unknown.count,
    unknownExamples: inBrackets(unknown),
  })

const inBrackets = (group: Tally['read']): string => (group.count === 0 ? '' : ` (${inBrief(group)})`)

const inBrief = ({ count, examples }: Tally['read']): string =>
  `${examples.join(', ')}${count > examples.length ? ' …' : ''}`

const tools = ({ consent }: PageTexts, tally: Tally): Markup =>
  html`<ul class="tools">
    ${SHOWN_EFFECTS.filter((effect) => effect !== 'unknown' || tally.unknown.count > 0).map(
      (effect) =>
        html`<li>
          <strong>${consent[effect]({ count: tally[effect].count })}</strong> <small>${inBrief(tally[effect])}</small>
        </li>`,
    )}
  </ul>`

function access({ consent }: PageTexts, { choices, suggested }: ConsentForm): Markup {
  const most: Limit = choices.some((choice) => choice.maxLimit === 'execute') ? 'execute' : 'read'
  const offered = LIMITS.filter((limit) => most === 'execute' || limit === 'read')
  const chosen = offered.includes(suggested) ? suggested : 'read'
  return html`<fieldset>
    <legend>${consent.access()}</legend>
    ${offered.map(
      (limit) =>
        html`<label class="check">
          <input type="radio" name="access" value="${limit}" ${limit === chosen ? 'checked' : ''} />
          <span><strong>${consent.limits[limit]()}</strong> <small>${consent.about[limit]()}</small></span>
        </label>`,
    )}
  </fieldset>`
}
