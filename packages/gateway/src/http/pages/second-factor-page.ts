/** The second step of signing in, and the passkey button of the first one, as markup; `second-step-door.ts` has what happens there. */
import { html, type Markup } from './markup.ts'
import { nextField, problemOf } from './page-parts.ts'
import { linkTo, type PageTexts } from './page-texts.ts'

const SECOND_STEP = '/sign-in/second-factor'
const PASSKEY = '/sign-in/passkey'

export interface PasskeyForm {
  readonly next: string | undefined
  /** Of `navigator.credentials.get`. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Hidden until the script finds that the browser has passkeys. */
const passkeyForm = (
  { secondFactor }: PageTexts,
  action: string,
  words: Markup,
  { next, options }: PasskeyForm,
): Markup => html`
  <form method="post" action="${action}" data-passkey="${JSON.stringify(options)}" hidden>
    ${nextField(next)}
    <input type="hidden" name="passkey" />
    <p class="problem" role="alert" hidden>${secondFactor.failed()}</p>
    <button type="button" class="second">${words}</button>
  </form>
`

/** To sign in with a passkey alone. */
export const passkeyButton = (texts: PageTexts, form: PasskeyForm): Markup =>
  passkeyForm(texts, PASSKEY, texts.secondFactor.alone(), form)

export interface SecondStepForm {
  readonly next: string | undefined
  readonly problem?: Markup | undefined
  readonly options: PasskeyForm['options'] | undefined
}

export const secondStepForm = (texts: PageTexts, { next, problem, options }: SecondStepForm): Markup => {
  const { secondFactor, signIn } = texts
  return html`
    ${problemOf(problem)}
    <form method="post" action="${SECOND_STEP}">
      ${nextField(next)}
      <label>
        ${secondFactor.code()} <small>${secondFactor.codeHint()}</small>
        <input
          name="code"
          autocomplete="one-time-code"
          autocapitalize="characters"
          spellcheck="false"
          required
          autofocus
        />
      </label>
      <button>${secondFactor.submit()}</button>
    </form>
    ${options === undefined ? '' : passkeyForm(texts, SECOND_STEP, secondFactor.passkey(), { next, options })}
    <p class="hint">${secondFactor.lost()}</p>
    <p class="hint"><a href="/sign-in">${signIn.back()}</a></p>
  `
}

/** The step is over, or this browser has not begun it. */
export const lateForm = (texts: PageTexts, problem: Markup): Markup => html`
  ${problemOf(problem)}
  <p>${texts.secondFactor.again({ a: linkTo('/sign-in') })}</p>
`
