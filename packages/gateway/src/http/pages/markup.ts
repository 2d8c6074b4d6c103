/** HTML as text. All values inserted through `html` are escaped. */
import type { html } from 'hono/html'

export { html } from 'hono/html'
export type Markup = ReturnType<typeof html>

/** The value of an argument of a message. */
export type Words = string | number | Markup
/** Puts words into an element. */
export type Tag = (words: readonly (string | Markup)[]) => Markup
