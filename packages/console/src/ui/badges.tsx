/** Marks that say the same thing everywhere: how something is, and whose it is. Never by colour alone. */
import { Badge } from '@mantine/core'
import type { CSSProperties } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { tileOf } from './tile.ts'

export type Tone = 'good' | 'bad' | 'warn' | 'off' | 'plain' | 'busy'

const TONES: Readonly<Record<Tone, { color: string; icon: IconName }>> = {
  good: { color: 'teal', icon: 'circle-check' },
  bad: { color: 'red', icon: 'circle-x' },
  warn: { color: 'orange', icon: 'alert-triangle' },
  off: { color: 'gray', icon: 'circle-minus' },
  plain: { color: 'blue', icon: 'info-circle' },
  busy: { color: 'blue', icon: 'clock' },
}

export function StateBadge({ tone, children }: { tone: Tone; children: string }) {
  const { color, icon } = TONES[tone]
  return (
    <Badge color={color} variant="light" leftSection={<Icon name={icon} size={12} />} style={{ textTransform: 'none' }}>
      {children}
    </Badge>
  )
}

/** One or two letters of a name in a colour of its own, where there is no logo (ledger S2-UI-06). */
export function Letter({ name, size = 36 }: { name: string; size?: number }) {
  const { letters, hue, isDeep } = tileOf(name)
  return (
    <span
      className={isDeep ? 'mark letter deep' : 'mark letter'}
      style={{ width: size, height: size, fontSize: Math.round(size * 0.4), '--hue': hue } as CSSProperties}
      aria-hidden
    >
      {letters}
    </span>
  )
}
