/** Connections as cards (ledger S2-UI-06): letter, name, way in, place, how it is, tools, and what went wrong last. */
import { Badge, Box, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Connection } from '@toolway/contract/admin'
import { connectionStateOf } from '../../data/connection-state.ts'
import { texts } from '../../texts/texts.ts'
import { logoOfConnection } from '../../ui/logo-of.ts'
import { Logo } from '../../ui/logo.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TextLink } from '../../ui/links.tsx'
import { ConnectionActions } from './connections-actions.tsx'
import { placeOf, problemOf, SIGNS } from './connections-state.ts'

const t = texts.connections

export function ConnectionCards({ items, lifted }: { items: readonly Connection[]; lifted: string | undefined }) {
  return (
    <SimpleGrid
      component="ul"
      aria-label={texts.nav.connections}
      cols={{ base: 1, sm: 2, xl: 3 }}
      spacing="md"
      style={{ listStyle: 'none', padding: 0, margin: 0 }}
    >
      {items.map((connection) => (
        <Card key={connection.id} connection={connection} lifted={connection.id === lifted} />
      ))}
    </SimpleGrid>
  )
}

function Card({ connection, lifted }: { connection: Connection; lifted: boolean }) {
  const { title, alias, auth_type: auth } = connection
  const problem = problemOf(connection)
  return (
    <Paper
      component="li"
      withBorder
      shadow={lifted ? 'md' : 'none'}
      p="md"
      aria-current={lifted ? 'true' : undefined}
      style={lifted ? { borderColor: 'var(--mantine-primary-color-filled)' } : undefined}
    >
      <Stack gap="sm" h="100%">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Logo logo={logoOfConnection(connection)} name={title} size={36} />
          <Box style={{ minWidth: 0, flex: 1 }}>
            <Group gap="xs" justify="space-between" align="flex-start">
              <Text fw={600} component="h2" fz="md">
                <TextLink to={`/connections/${alias}`}>{title}</TextLink>
              </Text>
              <AuthBadge auth={auth} />
            </Group>
            <Text size="sm" c="dimmed" lineClamp={2} className="breakable" title={placeOf(connection)}>
              {placeOf(connection)}
            </Text>
          </Box>
        </Group>
        {problem === undefined ? null : (
          <Text
            size="sm"
            c={
              ['needs_app', 'needs_account'].includes(connectionStateOf(connection))
                ? 'dimmed'
                : 'var(--mantine-color-error)'
            }
            lineClamp={3}
            className="breakable"
            title={problem}
          >
            {problem}
          </Text>
        )}
        <Group justify="space-between" align="center" gap="xs" mt="auto">
          <StateOf connection={connection} />
          <ConnectionActions connection={connection} />
        </Group>
      </Stack>
    </Paper>
  )
}

export const AuthBadge = ({ auth }: { auth: Connection['auth_type'] }) => (
  <Badge variant="outline" color="gray" tt="none" style={{ flexShrink: 0, overflow: 'visible' }}>
    {t.auths[auth]}
  </Badge>
)

/** The sign has words beside it: nobody has to know its colour. */
export function StateOf({ connection }: { connection: Connection }) {
  const state = connectionStateOf(connection)
  const { icon, color } = SIGNS[state]
  return (
    <Group gap={6} wrap="nowrap">
      <Box component="span" c={color} style={{ display: 'inline-flex' }}>
        <Icon name={icon} />
      </Box>
      <Text size="sm">{state === 'connected' ? t.connectedWith({ tools: connection.tools }) : t.states[state]}</Text>
    </Group>
  )
}
