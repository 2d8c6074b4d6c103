/** Parts that several of the sign-in pages have. */
import { html } from './markup.ts'
import type { Markup } from './markup.ts'

export const problemOf = (problem: Markup | undefined) =>
  problem === undefined ? '' : html`<p class="problem" role="alert">${problem}</p>`

export const nextField = (next: string | undefined) =>
  next === undefined ? '' : html`<input type="hidden" name="next" value="${next}" />`
