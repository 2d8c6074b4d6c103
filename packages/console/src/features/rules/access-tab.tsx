/** Who reaches which connections through which toolsets; the member and the selected entry are part of the address. */
import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { getAccessMap } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { PickOne } from '../../parts/picker/picker.tsx'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { AccessMap } from './access-map.tsx'

const State = z.object({ as: z.string().optional(), selected: z.string().optional() })

export function AccessTab() {
  const organization = useOrganization()
  const [{ as, selected }, set] = useUrlState(State)
  const map = useQuery(ask('rules', getAccessMap, { path: { organization }, query: as === undefined ? {} : { as } }))
  const t = texts.access
  return (
    <Stack gap="md">
      <Text c="dimmed" maw={720}>
        {t.hint}
      </Text>
      <Group align="flex-end" gap="sm">
        <PickOne
          kind="members"
          label={t.member}
          placeholder={t.all}
          description={t.memberHint}
          value={as ?? null}
          onChange={(member) => set({ as: member ?? undefined, selected: undefined })}
          clearable
          clearButtonProps={{ 'aria-label': texts.rules.clearOf({ filter: t.member }) }}
          w={{ base: '100%', xs: 320 }}
        />
        <LinkButton
          to="/rules"
          search={{ tab: 'explain', as }}
          variant="default"
          leftSection={<Icon name="help-circle" size={16} />}
        >
          {t.explain}
        </LinkButton>
        {selected === undefined ? null : (
          <Button variant="subtle" onClick={() => set({ selected: undefined })}>
            {t.clear}
          </Button>
        )}
      </Group>
      <Loaded query={map} lines={8}>
        {(message) => (
          <Paper withBorder p="md">
            <AccessMap map={message} selected={selected} onSelect={(next) => set({ selected: next }, 'push')} />
          </Paper>
        )}
      </Loaded>
    </Stack>
  )
}
