/**
 * Variables that a container platform sets for a Service whose name begins with ours are no settings.
 *
 * Kubernetes and Docker links put the address of each Service into the environment of each container: `TOOLWAY_SERVICE_HOST`,
 * `TOOLWAY_SERVICE_PORT_HTTP`, `TOOLWAY_PORT=tcp://10.0.0.1:8787`, `TOOLWAY_PORT_8787_TCP_ADDR`
 * (https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables). Only a name together with a value of
 * that form is left out, so that a misspelt setting is still refused.
 */
import { isIP } from 'node:net'

const LINK = /^(?:tcp|udp|sctp):\/\/\S+$/i
const isPort = (value: string) => /^\d{1,5}$/.test(value)

const FORMS: readonly (readonly [name: RegExp, value: (value: string) => boolean])[] = [
  [/^TOOLWAY(?:_\w+)?_SERVICE_HOST$/, (value) => isIP(value) !== 0],
  [/^TOOLWAY(?:_\w+)?_SERVICE_PORT(?:_\w+)?$/, isPort],
  [/^TOOLWAY(?:_\w+)?_PORT$/, (value) => LINK.test(value)],
  [/^TOOLWAY(?:_\w+)?_PORT_\d+_(?:TCP|UDP|SCTP)$/, (value) => LINK.test(value)],
  [/^TOOLWAY(?:_\w+)?_PORT_\d+_(?:TCP|UDP|SCTP)_PROTO$/, (value) => /^(?:tcp|udp|sctp)$/i.test(value)],
  [/^TOOLWAY(?:_\w+)?_PORT_\d+_(?:TCP|UDP|SCTP)_PORT$/, isPort],
  [/^TOOLWAY(?:_\w+)?_PORT_\d+_(?:TCP|UDP|SCTP)_ADDR$/, (value) => isIP(value) !== 0],
]

const isServiceLink = (name: string, value: string) => FORMS.some(([form, fits]) => form.test(name) && fits(value))

export function withoutServiceLinks(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name, value = '']) => !isServiceLink(name, value)))
}
