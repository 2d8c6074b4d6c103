/** The members of the organization. A role is changed in its row and can be taken back; who is removed loses keys, so that is asked. */
import { ActionIcon, Anchor, Box, Group, NativeSelect, Text, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  changeMember,
  listMembers,
  removeMember,
  type ListedMember,
  type Member,
  type MemberRole,
} from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useMay, useMe, useOrganization } from '../../data/me.ts'
import { usePages } from '../../data/pages.ts'
import { useUrlState } from '../../data/url-state.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { withBreaks } from '../../ui/breaks.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconLink } from '../../ui/icon-link.tsx'
import { sayDone } from '../../ui/say.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { sourceOf, State } from './member-cells.tsx'
import { isNarrowed, MemberFilters, memberQuery, MembersShown, ROLES } from './member-filters.tsx'
import { MemberPage } from './member-page.tsx'
import { today } from './seen.ts'

export function Members() {
  const organization = useOrganization()
  const [shown, set] = useUrlState(MembersShown)
  const { sort, order } = shown
  const query = { sort, order, ...memberQuery(shown, today()) }
  const members = usePages('people', listMembers, { path: { organization }, query })
  const [leaving, setLeaving] = useState<Member>()
  const [opened, setOpened] = useState<ListedMember>()
  const t = texts.people
  return (
    <>
      <MemberFilters shown={shown} onChange={set} />
      <Table
        label={t.members}
        query={members}
        rowKey={({ user_id: id }) => id}
        empty={
          isNarrowed(shown) ? (
            <Empty title={texts.picker.nothing} hint={t.searchHint} icon="search" />
          ) : (
            <Empty title={t.empty.title} hint={t.empty.hint} icon="users" />
          )
        }
        choice="members"
        onMore={members.onMore}
        sorting={{ sort, order, onSort: (by, to) => set({ sort: by as typeof sort, order: to }) }}
        columns={[
          column(
            t.columns.person,
            (member: ListedMember) => <Person member={member} onOpen={() => setOpened(member)} />,
            4,
            { plain: true, sort: 'name' },
          ),
          column(t.columns.role, (member: ListedMember) => <Role member={member} />, 3, { sort: 'role' }),
          column(t.columns.state, State, 2),
          column(t.columns.source, sourceOf, 2),
          column(t.columns.groups, ({ groups }: ListedMember) => groups.join(', '), 2),
          column(t.columns.seen, ({ last_seen_at: at }: ListedMember) => <When at={at} never={t.never} />, 2, {
            sort: 'last_seen_at',
          }),
          column(
            t.columns.actions,
            (member: ListedMember) => <Remove member={member} onRemove={() => setLeaving(member)} />,
            2,
            { plain: true },
          ),
        ]}
      />
      {opened === undefined ? null : <MemberPage member={opened} onClose={() => setOpened(undefined)} />}
      <Leaving member={leaving} onClose={() => setLeaving(undefined)} />
    </>
  )
}

function Person({ member: { name, email }, onOpen }: { member: ListedMember; onOpen: () => void }) {
  return (
    <Box>
      <Anchor component="button" type="button" fw={600} ta="start" className="breakable" onClick={onOpen}>
        {name}
      </Anchor>
      {name === email ? null : (
        <Text size="sm" c="dimmed">
          {withBreaks(email)}
        </Text>
      )}
    </Box>
  )
}

function Role({ member }: { member: Member }) {
  const { user } = useMe()
  const organization = useOrganization()
  const queries = useQueryClient()
  const t = texts.people
  const change = useMutation({
    mutationFn: (role: MemberRole) =>
      call(changeMember, { path: { organization, user: member.user_id }, body: { role } }),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['people'] }),
  })
  const choose = (role: MemberRole, before?: MemberRole) =>
    change.mutate(role, {
      onSuccess: () =>
        sayDone(
          t.changed({ name: member.name, role: texts.roles[role] }),
          before === undefined ? undefined : () => choose(before),
        ),
    })
  if (user?.id === member.user_id)
    return (
      <Allowed may={false} why={t.ownRole}>
        <Text>{texts.roles[member.role]}</Text>
      </Allowed>
    )
  return (
    <NativeSelect
      aria-label={t.roleOf({ name: member.name })}
      size="sm"
      value={change.isPending ? change.variables : member.role}
      disabled={change.isPending}
      data={ROLES.map((role) => ({ value: role, label: texts.roles[role] }))}
      onChange={({ currentTarget }) => choose(currentTarget.value as MemberRole, member.role)}
    />
  )
}

function Remove({ member, onRemove }: { member: Member; onRemove: () => void }) {
  const { user } = useMe()
  const label = texts.people.remove({ name: member.name })
  return (
    <Group gap={4} wrap="nowrap">
      <AccessLink member={member} />
      <Tooltip label={label}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={label}
          disabled={user?.id === member.user_id}
          onClick={onRemove}
        >
          <Icon name="trash" />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

function AccessLink({ member: { name, email } }: { member: Member }) {
  const mayRules = useMay('policy_manage')
  const label = texts.access.of({ name })
  if (!mayRules) return null
  return <IconLink to="/rules" search={{ tab: 'access', as: email }} label={label} icon="shield-check" />
}

function Leaving({ member, onClose }: { member: Member | undefined; onClose: () => void }) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const t = texts.people
  const remove = useMutation({
    mutationFn: (user: string) => call(removeMember, { path: { organization, user } }),
    onSuccess: () => sayDone(t.removed({ name: member?.name ?? '' })),
    onError: sayProblem,
    onSettled: () => {
      onClose()
      return queries.invalidateQueries({ queryKey: ['people'] })
    },
  })
  return (
    <Confirm
      opened={member !== undefined}
      title={t.removeTitle({ name: member?.name ?? '' })}
      verb={t.removeVerb}
      busy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(member?.user_id ?? '')}
    >
      {t.removeWhat}
    </Confirm>
  )
}
