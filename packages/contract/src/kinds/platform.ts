/** Toolway itself: operations of its administration as tools, carried out in the process (ledger S0-PRX-10, S0-DSC-06). */
import { z } from 'zod'
import { kind, seconds, shared } from './kind.ts'

const TIMEOUT_SECONDS = 30

export const PlatformSettings = z.strictObject({
  connector: z.literal('platform'),
  revision: z.literal('auto').default('auto'),
  /** Arguments are always checked, whatever is said. */
  checks: shared.checks,
  timeout: seconds.default(TIMEOUT_SECONDS),
})
export type PlatformSettings = z.output<typeof PlatformSettings>

export const platform = kind({
  connector: 'platform',
  title: 'Toolway itself',
  settings: PlatformSettings,
  addresses: {},
  timeout: TIMEOUT_SECONDS,
  runsHere: false,
  speaksMcp: false,
  described: true,
  isService: true,
  row: {
    id: 'platform',
    title: 'Toolway',
    category: 'other',
    about: 'Toolway’s own administration as tools: connections, usage, audit log, approvals, toolsets.',
    url: null,
    auth: ['none'],
    seeds: ['uru'],
  },
})
