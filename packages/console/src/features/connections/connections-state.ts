/** How a connection is, in three signs and a few words: pure. The words of its state are the gateway's (`connections.status`). */
import type { Connection } from '@toolway/contract/admin'
import type { ConnectionState } from '../../data/connection-state.ts'
import type { IconName } from '../../ui/icon.tsx'
import { localizedOr } from '../../texts/gateway-words.ts'

/** A green check, a red cross, a grey cross (ledger S2-UI-06). */
export const SIGNS: Readonly<Record<ConnectionState, { readonly icon: IconName; readonly color: string }>> = {
  connected: { icon: 'circle-check', color: 'var(--mantine-color-teal-text)' },
  error: { icon: 'circle-x', color: 'var(--mantine-color-error)' },
  refused: { icon: 'circle-x', color: 'var(--mantine-color-error)' },
  needs_app: { icon: 'circle-x', color: 'var(--mantine-color-dimmed)' },
  needs_account: { icon: 'circle-x', color: 'var(--mantine-color-dimmed)' },
  new: { icon: 'circle-x', color: 'var(--mantine-color-dimmed)' },
  disabled: { icon: 'circle-x', color: 'var(--mantine-color-dimmed)' },
}

/** Where it is, or what is started. */
export const placeOf = ({ url, command, args }: Pick<Connection, 'url' | 'command' | 'args'>): string =>
  url ?? [command, ...(args ?? [])].filter((word) => word !== null).join(' ')

/** Returns the last problem; undefined where there is none or the connection is disabled. */
export function problemOf(
  connection: Pick<Connection, 'status' | 'status_reason' | 'stale_reason'>,
): string | undefined {
  const { status, status_reason: reason, stale_reason: stale } = connection
  if (status === 'disabled') return undefined
  return localizedOr((status === 'connected' ? stale : (reason ?? stale)) ?? undefined)
}
