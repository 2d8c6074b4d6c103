/** Marks that say the same thing everywhere: what a tool does, and how something is. Never by colour alone. */
import { Avatar, Badge, Tooltip } from '@mantine/core'
import type { Effect, EffectSource } from '@toolway/contract'
import { texts } from '../texts/texts.ts'
import { Icon, type IconName } from './icon.tsx'

const EFFECTS: Readonly<Record<Effect, { color: string; icon: IconName }>> = {
  read: { color: 'teal', icon: 'eye' },
  write: { color: 'orange', icon: 'pencil' },
  destructive: { color: 'red', icon: 'flag' },
}

/** `from`: whose word it is, told on hover and focus, and marked where nobody confirmed it. */
export function EffectBadge({ effect, from }: { effect: Effect; from?: EffectSource }) {
  const { color, icon } = EFFECTS[effect]
  const badge = (
    <Badge
      color={color}
      variant="light"
      leftSection={<Icon name={icon} size={12} />}
      rightSection={from === 'unknown' ? <span aria-hidden>?</span> : undefined}
      style={{ textTransform: 'none' }}
      {...(from === undefined ? {} : { tabIndex: 0, 'aria-description': texts.effectFrom[from] })}
    >
      {texts.effects[effect]}
    </Badge>
  )
  if (from === undefined) return badge
  return (
    <Tooltip label={texts.effectFrom[from]} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      {badge}
    </Tooltip>
  )
}

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

/** The first letter of a name in a colour of its own, where there is no logo (ledger S2-UI-06). */
export function Letter({ name, size = 36 }: { name: string; size?: number }) {
  return <Avatar name={name.slice(0, 1).toUpperCase()} color="initials" radius="md" size={size} aria-hidden alt="" />
}
