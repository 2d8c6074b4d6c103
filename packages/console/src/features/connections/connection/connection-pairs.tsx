/** Headers or variables by their names. A value goes in and is never shown again: one that is there is kept, replaced or taken away. */
import { ActionIcon, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { texts } from '../../../texts/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { PairDraft } from './connection-draft.ts'

const t = texts.connection.pairs

export interface PairsProps {
  readonly label: string
  readonly hint: string
  readonly pairs: readonly PairDraft[]
  readonly disabled: boolean
  readonly onChange: (pairs: readonly PairDraft[]) => void
}

export function ConnectionPairs({ label, hint, pairs, disabled, onChange }: PairsProps) {
  const put = (id: number, change: Partial<PairDraft>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...change } : pair)))
  const add = () =>
    onChange([
      ...pairs,
      { id: Math.max(0, ...pairs.map(({ id }) => id + 1)), name: '', value: '', state: 'typed', known: false },
    ])
  return (
    <Stack gap="xs" role="group" aria-label={label}>
      <div>
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      </div>
      {pairs
        .filter(({ known, state }) => known || state !== 'gone')
        .map((pair) => (
          <Pair key={pair.id} pair={pair} disabled={disabled} onPut={(change) => put(pair.id, change)} />
        ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          disabled={disabled}
          onClick={add}
        >
          {t.add({ label })}
        </Button>
      </Group>
    </Stack>
  )
}

function Pair({
  pair: { name, value, state, known },
  disabled,
  onPut,
}: {
  pair: PairDraft
  disabled: boolean
  onPut: (change: Partial<PairDraft>) => void
}) {
  if (known && state !== 'typed')
    return (
      <Group gap="sm" justify="space-between">
        <Text size="sm" fw={600} td={state === 'gone' ? 'line-through' : undefined} className="breakable">
          {name}{' '}
          <Text span size="sm" fw={400} c="dimmed">
            {state === 'gone' ? t.goes : t.kept}
          </Text>
        </Text>
        <Group gap="xs">
          {state === 'gone' ? (
            <Button size="xs" variant="default" disabled={disabled} onClick={() => onPut({ state: 'kept' })}>
              {t.keep({ name })}
            </Button>
          ) : (
            <>
              <Button size="xs" variant="default" disabled={disabled} onClick={() => onPut({ state: 'typed' })}>
                {t.replace({ name })}
              </Button>
              <Button size="xs" variant="default" disabled={disabled} onClick={() => onPut({ state: 'gone' })}>
                {t.remove({ name })}
              </Button>
            </>
          )}
        </Group>
      </Group>
    )
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <TextInput
        label={t.name}
        value={name}
        disabled={disabled || known}
        onChange={(event) => onPut({ name: event.currentTarget.value })}
        style={{ flex: 1 }}
      />
      <PasswordInput
        label={t.value}
        value={value}
        disabled={disabled}
        autoComplete="off"
        onChange={(event) => onPut({ value: event.currentTarget.value })}
        visibilityToggleButtonProps={{ 'aria-label': t.show({ name }) }}
        style={{ flex: 2 }}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={known ? t.keep({ name }) : t.drop({ name })}
        disabled={disabled}
        onClick={() => onPut(known ? { state: 'kept', value: '' } : { state: 'gone' })}
      >
        <Icon name="x" />
      </ActionIcon>
    </Group>
  )
}
