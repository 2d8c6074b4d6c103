/**
 * How a command is started that reaches the network through the egress proxy: behind the relay (`egress-relay.ts`), with the
 * variables by which programs find a proxy. Used by every driver that gives its child a network of its own.
 */
import { fileURLToPath } from 'node:url'

/** The file of the relay, as it lies beside this one. */
export const RELAY = fileURLToPath(new URL('./egress-relay.ts', import.meta.url))

/** In the child's own network, where nothing else listens yet. */
const PORT = 41_080

/** Node reads them with `NODE_USE_ENV_PROXY`; curl knows the small names only; browsers need an argument of their own. */
export const PROXY_ENVIRONMENT: Readonly<Record<string, string>> = (() => {
  const proxy = `http://127.0.0.1:${PORT}`
  const local = 'localhost,127.0.0.1,::1'
  return {
    ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: local },
    ...{ http_proxy: proxy, https_proxy: proxy, all_proxy: proxy, no_proxy: local },
    NODE_USE_ENV_PROXY: '1',
  }
})()

export interface RelayedCommand {
  /** Inside the confinement. */
  readonly node: string
  readonly relay: string
  readonly socket: string
  readonly command: string
  readonly args: readonly string[]
}

export const commandThroughRelay = ({
  node,
  relay,
  socket,
  command,
  args,
}: RelayedCommand): readonly [string, ...string[]] => [node, relay, socket, String(PORT), command, ...args]
