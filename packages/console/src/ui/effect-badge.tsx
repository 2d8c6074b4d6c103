/** The effect of a tool, shown the same everywhere: it reads, writes or is destructive. Never by colour alone. */
import { Badge, Tooltip } from '@mantine/core'
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
