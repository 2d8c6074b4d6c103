/** The members of the organization. A role is changed in its row and can be taken back; who is removed loses keys, so that is asked. */
import { ActionIcon, Box, Group, NativeSelect, Text, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeMember, listMembers, removeMember, type Member, type MemberRole } from '@toolway/contract/admin'
import { useState } from 'react'
import { z } from 'zod'
import { call } from '../../data/call.ts'
import { useMay, useMe, useOrganization } from '../../data/me.ts'
import { usePages } from '../../data/pages.ts'
import { useUrlState } from '../../data/url-state.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { StateBadge } from '../../ui/badges.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { withBreaks } from '../../ui/breaks.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconLink } from '../../ui/icon-link.tsx'
import { sayDone } from '../../ui/say.tsx'
import { TypedSearch } from '../../ui/typed-search.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'

/** As in the contract, which has them as a schema. */
const ROLES: readonly MemberRole[] = ['tenant_admin', 'tenant_member', 'tenant_viewer']

const Shown = z.object({
  q: z.string().default(''),
  role: z.enum(['tenant_admin', 'tenant_member', 'tenant_viewer']).optional(),
  sort: z.enum(['name', 'role', 'signed_in_at']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
})

export function Members() {
  const organization = useOrganization()
  const [{ q, role, sort, order }, set] = useUrlState(Shown)
  const query = { sort, order, role, ...(q === '' ? {} : { search: q }) }
  const members = usePages('people', listMembers, { path: { organization }, query })
  const [leaving, setLeaving] = useState<Member>()
  const t = texts.people
  return (
    <>
      <Group gap="sm" align="flex-end" mb="md">
        <TypedSearch
          label={t.search}
          placeholder={t.searchHint}
          value={q}
          onSearch={(next) => set({ q: next })}
          style={{ flex: '3 1 14rem' }}
        />
        <NativeSelect
          label={t.roleFilter}
          value={role ?? ''}
          data={[{ value: '', label: t.anyRole }, ...ROLES.map((item) => ({ value: item, label: texts.roles[item] }))]}
          onChange={({ currentTarget: { value } }) => set({ role: value === '' ? undefined : (value as typeof role) })}
          style={{ flex: '1 1 9.5rem' }}
        />
      </Group>
      <Table
        label={t.members}
        query={members}
        rowKey={({ user_id: id }) => id}
        empty={
          q === '' && role === undefined ? (
            <Empty title={t.empty.title} hint={t.empty.hint} icon="users" />
          ) : (
            <Empty title={texts.picker.nothing} hint={t.searchHint} icon="search" />
          )
        }
        onMore={members.onMore}
        sorting={{ sort, order, onSort: (by, to) => set({ sort: by as typeof sort, order: to }) }}
        columns={[
          column(t.columns.person, Person, 4, { plain: true, sort: 'name' }),
          column(t.columns.role, (member: Member) => <Role member={member} />, 3, { sort: 'role' }),
          column(t.columns.state, State, 2),
          column(t.columns.signedIn, ({ signed_in_at: at }: Member) => <When at={at} never={t.never} />, 2, {
            sort: 'signed_in_at',
          }),
          column(
            t.columns.actions,
            (member: Member) => <Remove member={member} onRemove={() => setLeaving(member)} />,
            1,
            { plain: true },
          ),
        ]}
      />
      <Leaving member={leaving} onClose={() => setLeaving(undefined)} />
    </>
  )
}

const Person = ({ name, email }: Member) => (
  <Box>
    <Text fw={600}>{name}</Text>
    {name === email ? null : (
      <Text size="sm" c="dimmed">
        {withBreaks(email)}
      </Text>
    )}
  </Box>
)

const State = ({ is_active: active, signed_in_at: at }: Member) => {
  const t = texts.people.states
  if (!active) return <StateBadge tone="off">{t.off}</StateBadge>
  return at === null ? (
    <StateBadge tone="busy">{t.invited}</StateBadge>
  ) : (
    <StateBadge tone="good">{t.active}</StateBadge>
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
