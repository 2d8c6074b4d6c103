/** Toolway itself as a connection: nothing of it is kept but that it is there. */
import { ConnectionSecrets, type PlatformSettings } from '@toolway/contract'
import { createPlatformUpstream } from '../../upstreams/platform/platform-upstream.ts'
import type { Kind } from '../kind.ts'
import { checkSettings } from '../settings.ts'

export interface PlatformWire {
  readonly kind: 'platform'
}

export const platform: Kind<PlatformSettings, PlatformWire> = {
  connector: 'platform',
  wire: 'platform',
  takes: [],
  meantBy: [],
  describe: () => ({ wire: { kind: 'platform' }, moved: false, keeps: false }),
  parts({ timeout, checks }) {
    const own = checks === undefined ? {} : { checks }
    return { settings: checkSettings({ connector: 'platform', timeout, ...own }), secrets: ConnectionSecrets.parse({}) }
  },
  shown: () => ({}),
  view: () => ({}),
  open: ({ reach }, context) => createPlatformUpstream(reach.alias, context),
}
