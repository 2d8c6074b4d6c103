/** How many tools read, write and destroy. */
import { Group, Text } from '@mantine/core'
import { EFFECTS, type Effect } from '@toolway/contract'
import { texts } from '../../../texts/texts.ts'
import { EffectBadge } from '../../../ui/effect-badge.tsx'

export interface EffectsProps {
  readonly counts: Readonly<Record<Effect, number>>
  /** Tools whose effect nobody that counts stated; not in `counts`. */
  readonly unknown?: number
}

export function Effects({ counts, unknown = 0 }: EffectsProps) {
  const total = EFFECTS.reduce((sum, effect) => sum + counts[effect], unknown)
  return (
    <Group gap="md">
      <Text size="sm">{texts.connect.toolCount({ count: total })}</Text>
      {EFFECTS.filter((effect) => counts[effect] > 0).map((effect) => (
        <Group key={effect} gap={6}>
          <EffectBadge effect={effect} />
          <Text size="sm">{counts[effect]}</Text>
        </Group>
      ))}
      {unknown === 0 ? null : (
        <Group gap={6}>
          <EffectBadge effect="write" from="unknown" />
          <Text size="sm">{unknown}</Text>
        </Group>
      )}
    </Group>
  )
}
