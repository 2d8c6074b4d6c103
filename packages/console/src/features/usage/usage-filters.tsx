/** The filters of the usage screen that are set, each with a way to remove it, and the fields of a span of one's own. */
import { Group, Pill, SimpleGrid, Text } from '@mantine/core'
import type { Usage } from '@toolway/contract/admin'
import { actorWord } from '../../parts/actor-word.ts'
import { texts } from '../../texts/texts.ts'
import { MomentField } from '../../ui/moment-field.tsx'
import type { UsageState } from './state.ts'

const t = texts.usageDetails

interface FiltersProps {
  readonly state: UsageState
  readonly usage: Usage | undefined
  readonly isSpan: boolean
  readonly set: (change: Partial<UsageState>) => void
}

export function UsageFilters({ state: { range, from, to, connection, caller }, usage, isSpan, set }: FiltersProps) {
  const name = usage?.callers?.find(({ id }) => id === caller)?.name ?? caller
  return (
    <>
      {range === 'custom' ? (
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="md">
          <MomentField label={t.from} value={from} onChange={(value) => set({ from: value })} />
          <MomentField label={t.to} value={to} onChange={(value) => set({ to: value })} />
        </SimpleGrid>
      ) : null}
      {isSpan ? null : <Text role="alert">{t.invalid}</Text>}
      {connection === undefined && caller === undefined ? null : (
        <Group gap="xs">
          {connection === undefined ? null : (
            <Chip label={t.connection({ name: connection })} onRemove={() => set({ connection: undefined })} />
          )}
          {caller === undefined ? null : (
            <Chip
              label={t.caller({ name: actorWord(caller) ?? name ?? caller })}
              onRemove={() => set({ caller: undefined })}
            />
          )}
        </Group>
      )}
    </>
  )
}

const Chip = ({ label, onRemove }: { label: string; onRemove: () => void }) => (
  <Pill
    size="lg"
    withRemoveButton
    onRemove={onRemove}
    removeButtonProps={{ 'aria-label': t.clear({ filter: label }), tabIndex: 0, 'aria-hidden': false }}
  >
    {label}
  </Pill>
)
