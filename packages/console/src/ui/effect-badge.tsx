/**
 * The effect of a tool, shown the same everywhere: it reads, writes, is destructive, or nobody that counts stated it, and then rules
 * treat it as a write. Never by colour alone.
 */
import { Badge, Tooltip } from '@mantine/core'
import { SHOWN_EFFECTS, type Effect, type EffectSource, type ShownEffect } from '@toolway/contract'
import { texts } from '../texts/texts.ts'
import { Icon, type IconName } from './icon.tsx'

const EFFECTS: Readonly<Record<Effect, { color: string; icon: IconName }>> = {
  read: { color: 'teal', icon: 'eye' },
  write: { color: 'orange', icon: 'pencil' },
  destructive: { color: 'red', icon: 'flag' },
}

const UNKNOWN = { color: 'gray', icon: 'help-circle' } as const

export interface EffectBadgeProps {
  readonly effect: Effect
  /** The source of the effect, shown on hover and focus. */
  readonly from?: EffectSource | null | undefined
}

/** For filters: each effect as it is shown, with its word. */
export const effectChoices = (): [ShownEffect, string][] =>
  SHOWN_EFFECTS.map((effect) => [effect, effect === 'unknown' ? texts.effectUnknown.label : texts.effects[effect]])

export function EffectBadge({ effect, from }: EffectBadgeProps) {
  const { color, icon } = from === 'unknown' ? UNKNOWN : EFFECTS[effect]
  const badge = (
    <Badge
      color={color}
      variant="light"
      leftSection={<Icon name={icon} size={12} />}
      style={{ textTransform: 'none' }}
      {...(from == null ? {} : { tabIndex: 0, 'aria-description': texts.effectFrom[from] })}
    >
      {from === 'unknown' ? texts.effectUnknown.label : texts.effects[effect]}
    </Badge>
  )
  if (from == null) return badge
  return (
    <Tooltip label={texts.effectFrom[from]} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      {badge}
    </Tooltip>
  )
}
