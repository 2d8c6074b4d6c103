/**
 * The forms of addresses, by which requests are counted: `/o/{organization}/t/{toolset}/mcp` and not the path of a client. What has no
 * form of its own is `other`, so that their number stays that of the code.
 */
import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'

export const OTHER = 'other'

/** The form that the last door found, by its answer. */
const found = new WeakMap<ServerResponse, string>()

export const templateOf = (response: ServerResponse): string => found.get(response) ?? OTHER

/** Of the routes that matched, the one that answered is the last that names an address. */
export function noteTemplate(response: ServerResponse | undefined, c: Context): void {
  if (response === undefined) return
  const route = matchedRoutes(c).findLast(({ path }) => path !== '/*' && path !== '*')
  if (route !== undefined) found.set(response, formOf(route.path))
}

const forms = new Map<string, string>()

/** `/things/:thing{pattern}` as `/things/{thing}`. Routes are as many as the code has. */
function formOf(route: string): string {
  const known = forms.get(route)
  if (known !== undefined) return known
  const form = route.replaceAll(/:(\w+)(?:\{[^}]*\})?\??/g, '{$1}')
  forms.set(route, form)
  return form
}
