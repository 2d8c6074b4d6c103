/** The choice of the client: a list by kind where there is room, and one field where there is not. */
import { Box, Group, Select, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core'
import { texts } from '../../texts/texts.ts'
import { logoOfClient } from '../../ui/logo-of.ts'
import { Logo } from '../../ui/logo.tsx'
import { Icon } from '../../ui/icon.tsx'
import { GROUPS, PRESETS, type ClientId, type Group as Kind } from './presets.ts'

interface ChooseClientProps {
  readonly chosen: ClientId
  readonly onChoose: (client: ClientId) => void
}

const ofKind = (kind: Kind) => PRESETS.filter(({ group }) => group === kind)

export function ChooseClient({ chosen, onChoose }: ChooseClientProps) {
  const t = texts.clients
  return (
    <>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="md" visibleFrom="sm">
        {GROUPS.map((kind) => (
          <Stack key={kind} gap={6} role="group" aria-label={t.groups[kind]}>
            <Text size="sm" c="dimmed" fw={600} aria-hidden>
              {t.groups[kind]}
            </Text>
            {ofKind(kind).map(({ id }) => (
              <Client key={id} id={id} chosen={id === chosen} onChoose={onChoose} />
            ))}
          </Stack>
        ))}
      </SimpleGrid>
      <Box hiddenFrom="sm">
        <Select
          label={t.which}
          value={chosen}
          onChange={(id) => (id === null ? undefined : onChoose(id))}
          data={GROUPS.map((kind) => ({
            group: t.groups[kind],
            items: ofKind(kind).map(({ id }) => ({ value: id, label: t.names[id] })),
          }))}
          allowDeselect={false}
        />
      </Box>
    </>
  )
}

interface ClientProps {
  readonly id: ClientId
  readonly chosen: boolean
  readonly onChoose: (client: ClientId) => void
}

function Client({ id, chosen, onChoose }: ClientProps) {
  const name = texts.clients.names[id]
  return (
    <UnstyledButton
      onClick={() => onChoose(id)}
      aria-pressed={chosen}
      p={8}
      bd={`1px solid var(--mantine-color-${chosen ? 'anchor' : 'default-border'})`}
      bdrs="md"
      bg="var(--mantine-color-body)"
    >
      <Group gap="sm" wrap="nowrap">
        <Logo logo={logoOfClient(id)} name={name} size={28} />
        <Text size="sm" fw={chosen ? 650 : 500} style={{ flex: 1 }}>
          {name}
        </Text>
        {chosen ? <Icon name="check" size={16} /> : null}
      </Group>
    </UnstyledButton>
  )
}
