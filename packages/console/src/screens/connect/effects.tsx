/** How many tools read, write and destroy. */
import { Group, Text } from '@mantine/core'
import { EFFECTS, type Effect } from '@toolway/contract'
import { texts } from '../../texts/texts.ts'
import { EffectBadge } from '../../ui/effect-badge.tsx'

export function Effects({ counts }: { counts: Readonly<Record<Effect, number>> }) {
  const total = EFFECTS.reduce((sum, effect) => sum + counts[effect], 0)
  return (
    <Group gap="md">
      <Text size="sm">{texts.connect.toolCount({ count: total })}</Text>
      {EFFECTS.filter((effect) => counts[effect] > 0).map((effect) => (
        <Group key={effect} gap={6}>
          <EffectBadge effect={effect} />
          <Text size="sm">{counts[effect]}</Text>
        </Group>
      ))}
    </Group>
  )
}
