/** One organization in its row, with what can be done about it. */
import { ActionIcon, Box, Group, Text, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Organization } from '@toolway/contract/admin'
import { ORGANIZATION } from '../../data/organization-path.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'

export const Named = ({ organization: { name, slug, description } }: { organization: Organization }) => (
  <Box>
    <Text fw={600}>{name}</Text>
    <Text size="sm" c="dimmed" lineClamp={2}>
      {description === null || description === '' ? slug : `${slug} · ${description}`}
    </Text>
  </Box>
)

interface ActionsProps {
  readonly organization: Organization
  readonly onChange: () => void
}

export function Actions({ organization: { name, slug, is_active: active }, onChange }: ActionsProps) {
  const t = texts.organizations
  return (
    <Group gap={4} wrap="nowrap">
      {active ? (
        <Tooltip label={t.enter({ name })}>
          <ActionIcon
            component={Link}
            to="/"
            search={{ [ORGANIZATION]: slug } as never}
            variant="subtle"
            color="gray"
            aria-label={t.enter({ name })}
          >
            <Icon name="arrow-right" />
          </ActionIcon>
        </Tooltip>
      ) : null}
      <Tooltip label={t.change({ name })}>
        <ActionIcon variant="subtle" color="gray" aria-label={t.change({ name })} onClick={onChange}>
          <Icon name="pencil" />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}
