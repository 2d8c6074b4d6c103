/** What operations may see of the runtime: of the gateway that runs here, or, for a command beside it, of none. */
import type { Config, LoadedConfig } from '../../config.ts'
import { shownSettings } from '../../config/shown-settings.ts'
import { sandboxStateOf } from '../../upstreams/children/sandbox-settings.ts'
import { createLastKnown } from './last-known.ts'
import type { Runtime } from './runtime.ts'

/** Where settings come from, for who may see them. */
type Origins = Parameters<typeof shownSettings>[1]
type Live<Words> = Omit<Runtime, 'settings' | 'childMemory' | 'sandbox'> & { readonly words: Words }

export const runtimeOf = <Words>(config: Config, origins: Origins, live: Live<Words>) => ({
  ...live,
  settings: shownSettings(config, origins),
  childMemory: config.TOOLWAY_CHILD_MEMORY,
  roots: config.TOOLWAY_SANDBOX_ROOTS,
  sandbox: sandboxStateOf(config),
})

const elsewhere = (): never => {
  throw new Error('only a running gateway can do that')
}

/** Where no gateway runs. */
export const stillRuntime = (config: Config, origins: LoadedConfig['origins'], upstreams: Runtime['upstreams']) =>
  runtimeOf(config, origins, {
    upstreams,
    gateway: '',
    lastFigures: createLastKnown(),
    lastGateways: createLastKnown(),
    sessions: { list: () => [], drop: elsewhere },
    logs: { recent: () => [], follow: elsewhere },
    words: { recent: () => [], follow: elsewhere },
  })
