/** The private networks and names that connections of this organization may reach. The installation's administrator sets them. */
import { List, Stack, Text } from '@mantine/core'
import { getEgress } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { LinkButton } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'

const t = texts.settings.egress

export function EgressSettings() {
  const organization = useOrganization()
  const found = useQuery(ask('settings', getEgress, { path: { organization } }))
  const mayChange = useMay('tenant_update', 'platform')
  return (
    <Section
      title={t.title}
      hint={t.hint}
      action={
        mayChange ? (
          <LinkButton to="/organizations" variant="default">
            {t.change}
          </LinkButton>
        ) : undefined
      }
    >
      <Loaded query={found}>
        {({ networks, hosts }) => (
          <Stack>
            <Named title={t.networks} all={networks} />
            <Named title={t.hosts} all={hosts} />
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

function Named({ title, all }: { title: string; all: readonly string[] }) {
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      {all.length === 0 ? (
        <Text size="sm">{t.none}</Text>
      ) : (
        <List size="sm">
          {all.map((name) => (
            <List.Item key={name}>
              <code>{name}</code>
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  )
}
