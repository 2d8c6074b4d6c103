/** The cells of a user's row, and the changes made there. A change that can be undone is made at once. */
import { ActionIcon, Box, Text, Tooltip } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { addPasswordCode, changeUser, removeUser, type User } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useMe } from '../../data/me.ts'
import { PasswordCode } from './password-code.tsx'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { OptimisticSwitch } from '../../ui/optimistic-switch.tsx'
import { sayDone } from '../../ui/say.tsx'

interface Of {
  readonly user: User
}

export const Person = ({ user: { name, email, provider } }: Of) => (
  <Box>
    <Text fw={600}>{name}</Text>
    <Text size="sm" c="dimmed">
      {email}
      {provider === 'local' ? '' : texts.users.by({ provider })}
    </Text>
  </Box>
)

type Change = { is_active: boolean } | { platform_admin: boolean }

function useChange({ id }: User) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Change) => call(changeUser, { path: { user: id }, body }),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['people'] }),
  })
}

const isMe = (mine: { id: string } | null, { id }: User) => mine?.id === id

export function ActiveSwitch({ user }: Of) {
  const me = useMe().user
  const change = useChange(user)
  const t = texts.users
  const announcing = (now: boolean, undo?: () => void) => ({
    onSuccess: () => sayDone(t.activeNow({ name: user.name, active: now }), undo),
  })
  const set = async (active: boolean) => {
    const back = () => change.mutate({ is_active: !active }, announcing(!active))
    await Promise.allSettled([change.mutateAsync({ is_active: active }, announcing(active, back))])
  }
  return (
    <Allowed may={!isMe(me, user)} why={t.notYourself}>
      <OptimisticSwitch
        display="inline-block"
        style={{ verticalAlign: 'middle' }}
        aria-label={t.active({ name: user.name })}
        checked={user.is_active}
        disabled={isMe(me, user) || change.isPending}
        onSet={set}
      />
    </Allowed>
  )
}

export function AdminSwitch({ user }: Of) {
  const me = useMe().user
  const change = useChange(user)
  const t = texts.users
  const announcing = (now: boolean, undo?: () => void) => ({
    onSuccess: () => sayDone(t.adminNow({ name: user.name, admin: now }), undo),
  })
  const set = async (admin: boolean) => {
    const back = () => change.mutate({ platform_admin: !admin }, announcing(!admin))
    await Promise.allSettled([change.mutateAsync({ platform_admin: admin }, announcing(admin, back))])
  }
  return (
    <Allowed may={!isMe(me, user)} why={t.notYourself}>
      <OptimisticSwitch
        display="inline-block"
        style={{ verticalAlign: 'middle' }}
        aria-label={t.admin({ name: user.name })}
        checked={user.platform_admin}
        disabled={isMe(me, user) || change.isPending}
        onSet={set}
      />
    </Allowed>
  )
}

interface ActProps {
  readonly label: string
  readonly icon: IconName
  readonly busy?: boolean
  readonly disabled?: boolean
  readonly onClick: () => void
}

const Act = ({ label, icon, busy = false, disabled = false, onClick }: ActProps) => (
  <Tooltip label={label}>
    <ActionIcon variant="subtle" color="gray" aria-label={label} loading={busy} disabled={disabled} onClick={onClick}>
      <Icon name={icon} />
    </ActionIcon>
  </Tooltip>
)

export function NewCode({ user }: Of) {
  const t = texts.users
  const make = useMutation({
    mutationFn: () => call(addPasswordCode, { path: { user: user.id } }),
    onError: sayProblem,
  })
  return (
    <>
      <Act label={t.newCode({ name: user.name })} icon="key" busy={make.isPending} onClick={() => make.mutate()} />
      <Dialog opened={make.data !== undefined} title={t.codeFor({ name: user.name })} onClose={make.reset}>
        {make.data === undefined ? null : <PasswordCode email={user.email} invitation={make.data} />}
      </Dialog>
    </>
  )
}

export function RemoveUser({ user }: Of) {
  const me = useMe().user
  const queries = useQueryClient()
  const [asks, setAsks] = useState(false)
  const t = texts.users
  const remove = useMutation({
    mutationFn: () => call(removeUser, { path: { user: user.id } }),
    onSuccess: () => sayDone(t.removed({ name: user.name })),
    onError: sayProblem,
    onSettled: () => {
      setAsks(false)
      return queries.invalidateQueries({ queryKey: ['people'] })
    },
  })
  return (
    <>
      <Act label={t.remove({ name: user.name })} icon="trash" disabled={isMe(me, user)} onClick={() => setAsks(true)} />
      <Confirm
        opened={asks}
        title={t.removeTitle({ name: user.name })}
        verb={t.removeVerb}
        busy={remove.isPending}
        onClose={() => setAsks(false)}
        onConfirm={() => remove.mutate()}
      >
        {t.removeWhat}
      </Confirm>
    </>
  )
}
