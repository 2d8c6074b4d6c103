/** The first call, before anybody leaves the wizard: one that only reads is suggested, and any other can be chosen. */
import { Alert, Group, Paper, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useOrganization } from '../../../data/me.ts'
import { CallTool } from '../../../parts/call/call-tool.tsx'
import { toolsAt } from '../../../parts/call/tools.ts'
import { texts } from '../../../texts/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import { LinkButton } from '../../../ui/links.tsx'
import { suggestTool } from './suggest-tool.ts'

const t = texts.connect.first

export function FirstCall({ alias }: { alias: string }) {
  const organization = useOrganization()
  const { data: listing } = useQuery(toolsAt({ organization, connection: alias }, 'modern'))
  // A suggestion does not change under the eyes of who reads it.
  const tools = listing === undefined || listing.rest === 'coming' ? [] : listing.tools
  const [chosen, setChosen] = useState<string>()
  const [done, setDone] = useState(false)
  const name = chosen ?? suggestTool(tools)?.name
  if (tools.length === 0) return null
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="first-call">
      <Stack gap="md">
        <Group justify="space-between" align="flex-end" gap="sm">
          <Stack gap={2} style={{ flex: '1 1 14rem' }}>
            <Title order={2} id="first-call">
              {t.title}
            </Title>
            <Text size="sm" c="dimmed">
              {t.hint}
            </Text>
          </Stack>
          <Select
            label={t.choose}
            searchable
            allowDeselect={false}
            data={tools.map((tool) => ({ value: tool.name, label: tool.title ?? tool.name }))}
            value={name ?? null}
            onChange={(value) => setChosen(value ?? undefined)}
            style={{ flex: '0 1 20rem' }}
          />
        </Group>
        {name === undefined ? null : (
          <CallTool key={name} tool={{ connection: alias, name }} onDone={() => setDone(true)} />
        )}
        {done ? (
          <Alert color="teal" role="status" icon={<Icon name="rocket" />} title={t.done}>
            <Group gap="md">
              <Text size="sm">{t.doneHint}</Text>
              <LinkButton size="xs" to="/clients">
                {texts.nav.clients}
              </LinkButton>
            </Group>
          </Alert>
        ) : null}
      </Stack>
    </Paper>
  )
}
