/** HTML as text. All values inserted through `html` are escaped. */
import { html } from 'hono/html'

export { html } from 'hono/html'
export type Markup = ReturnType<typeof html>
