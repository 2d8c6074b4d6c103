/** Groups of members, which rules, approvers and toolsets name. One that is removed can be brought back as it was. */
import { ActionIcon, Anchor, Box, Button, Group as Row, Text, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { listGroups, putGroup, removeGroup, type Group } from '@toolway/contract/admin'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { usePages } from '../../data/pages.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { sayDone } from '../../ui/say.tsx'
import { column, Table } from '../../ui/table.tsx'

const NAMES_SHOWN = 4

export function Groups({ onOpen }: { onOpen: (what: string) => void }) {
  const organization = useOrganization()
  const groups = usePages('people', listGroups, { path: { organization } })
  const t = texts.people.group
  return (
    <Table
      label={texts.people.groups}
      query={groups}
      onMore={groups.onMore}
      rowKey={({ slug }) => slug}
      empty={
        <Empty title={t.empty.title} hint={t.empty.hint} icon="users">
          <Button onClick={() => onOpen('group')}>{texts.people.addGroup}</Button>
        </Empty>
      }
      columns={[
        column(t.columns.name, (group: Group) => <Name group={group} onOpen={onOpen} />, 3, { plain: true }),
        column(t.columns.members, Members, 5),
        column(t.columns.actions, (group: Group) => <Remove group={group} />, 2, { plain: true }),
      ]}
    />
  )
}

function Name({ group: { slug, title, origin }, onOpen }: { group: Group; onOpen: (what: string) => void }) {
  const t = texts.people.group
  return (
    <Box>
      {origin === 'file' ? (
        <Row gap="xs">
          <Text fw={600}>{title}</Text>
          <StateBadge tone="plain">{t.ofFile}</StateBadge>
        </Row>
      ) : (
        <Anchor component="button" type="button" fw={600} onClick={() => onOpen(slug)}>
          {title}
        </Anchor>
      )}
      <Text size="sm" c="dimmed">
        {slug}
      </Text>
    </Box>
  )
}

const Members = ({ members, awaited }: Group) => {
  const t = texts.people.group
  const names = members.map(({ name }) => name)
  const more = names.length - NAMES_SHOWN
  const shown = names.length === 0 ? t.nobody : names.slice(0, NAMES_SHOWN).join(', ')
  return (
    <Text size="sm">
      {shown}
      {more > 0 ? t.more({ number: more }) : ''}
      {awaited.length > 0 ? t.awaited({ number: awaited.length }) : ''}
    </Text>
  )
}

function Remove({ group }: { group: Group }) {
  const { slug, title, members, origin } = group
  const organization = useOrganization()
  const queries = useQueryClient()
  const path = { organization, group: slug }
  const t = texts.people.group
  const after = { onError: sayProblem, onSettled: () => fresh() }
  const fresh = () => queries.invalidateQueries({ queryKey: ['people'] })
  const restore = useMutation({
    mutationFn: () => call(putGroup, { path, body: { title, members: members.map(({ email }) => email) } }),
    ...after,
  })
  const remove = useMutation({
    mutationFn: () => call(removeGroup, { path }),
    onSuccess: () => sayDone(t.removed({ title }), () => restore.mutate()),
    ...after,
  })
  if (origin === 'file') return null
  const label = t.remove({ title })
  return (
    <Row>
      <Tooltip label={label}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={label}
          loading={remove.isPending}
          onClick={() => remove.mutate()}
        >
          <Icon name="trash" />
        </ActionIcon>
      </Tooltip>
    </Row>
  )
}
