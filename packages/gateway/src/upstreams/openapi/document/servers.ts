/** The addresses that a document says its operations are at; each is judged again where it is kept and where it is reached. */
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'

const MOST = 20

/** With the default values of their variables, and relative ones completed by where the document came from. */
export function serversOf(holder: JsonObject, from: string | undefined): string[] {
  const { servers } = holder
  if (!Array.isArray(servers)) return []
  return servers.slice(0, MOST).flatMap((server: unknown) => {
    if (!isObject(server) || typeof server['url'] !== 'string') return []
    const variables = isObject(server['variables']) ? server['variables'] : {}
    const filled = server['url'].replaceAll(/\{([^{}]{1,100})\}/g, (whole, name: string) => {
      const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
      return isObject(variable) && typeof variable['default'] === 'string' ? variable['default'] : whole
    })
    const url = URL.parse(filled, from)
    return url === null || !/^https?:$/.test(url.protocol) || filled.includes('{') ? [] : [url.href]
  })
}
