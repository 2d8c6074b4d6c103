/** The saved calls: a click fills the form, and sends nothing. */
import { ActionIcon, Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import type { SavedCall } from './saved-calls.ts'

interface SavedListProps {
  readonly saved: readonly SavedCall[]
  readonly onUse: (call: SavedCall) => void
  readonly onRemove: (call: SavedCall) => void
}

export function SavedList({ saved, onUse, onRemove }: SavedListProps) {
  const t = texts.playground.saved
  if (saved.length === 0) return null
  return (
    <Paper withBorder p="md" component="section" aria-label={t.title}>
      <Title order={2} mb="xs">
        {t.title}
      </Title>
      <Stack gap={2} mah={220} style={{ overflowY: 'auto' }}>
        {saved.map((call) => (
          <Group key={JSON.stringify(call)} gap="xs" wrap="nowrap" justify="space-between">
            <UnstyledButton
              onClick={() => onUse(call)}
              className="row-link one-line"
              style={{ flex: 1, minHeight: 28 }}
              aria-label={t.use({ tool: call.tool, args: call.args ?? '' })}
            >
              <span>{call.tool}</span>
              <Text span size="sm" c="dimmed" ff="monospace" className="aside">
                {call.args ?? ''}
              </Text>
            </UnstyledButton>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t.remove({ tool: call.tool })}
              onClick={() => onRemove(call)}
            >
              <Icon name="x" size={16} />
            </ActionIcon>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}
