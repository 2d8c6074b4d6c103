/** The questions about an account: a key, another name, and whether it is to end. */
import { Alert, Button, Group, Modal, PasswordInput, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { addAccountKey, changeAccount, removeAccount, type Account, type Connection } from '@toolway/contract/admin'
import { useState } from 'react'
import { call } from '../../../data/call.ts'
import { useMay, useMe } from '../../../data/me.ts'
import { Problem } from '../../../data/problem.ts'
import { useUrlState } from '../../../data/url-state.ts'
import { texts } from '../../../texts/texts.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { Failed } from '../../../ui/failed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { sayDone } from '../../../ui/say.tsx'
import { AccountState } from './connection-account-state.ts'
import { askAgain, usePath } from './connection-ways.tsx'
import { sayProblem } from '../../../parts/say-problem.ts'

const t = texts.connection.accounts

export function AccountDialogs({ connection, accounts }: { connection: Connection; accounts: readonly Account[] }) {
  const [{ dialog, account: id }, set] = useUrlState(AccountState)
  const close = () => set({ dialog: undefined, account: undefined })
  const account = accounts.find((item) => item.id === id)
  return (
    <>
      <Modal
        opened={dialog === 'key' && connection.auth?.kind === 'key'}
        onClose={close}
        title={t.keyTitle({ title: connection.title })}
        closeButtonProps={{ 'aria-label': texts.close }}
      >
        <KeyForm connection={connection} account={account} accounts={accounts} onDone={close} />
      </Modal>
      <Modal
        opened={dialog === 'rename' && account !== undefined}
        onClose={close}
        title={t.renameTitle}
        closeButtonProps={{ 'aria-label': texts.close }}
      >
        {account === undefined ? null : <RenameForm connection={connection} account={account} onDone={close} />}
      </Modal>
      {account === undefined ? null : (
        <End connection={connection} account={account} opened={dialog === 'end'} onClose={close} />
      )}
    </>
  )
}

interface FormProps {
  readonly connection: Connection
  readonly onDone: () => void
}

/** The account that works and whose place a new key would take: nobody can tell whether a key is of the same person. */
const inTheWay = (accounts: readonly Account[], owner: Account['owner'], user: string | undefined, name: string) => {
  const theirs = accounts.filter(({ user_id: id }) =>
    owner === 'organization' ? id === null : id !== null && id === user,
  )
  return theirs.find((their) => (name === '' ? their.is_default : their.account === name)) ?? theirs[0]
}

interface KeyFormProps extends FormProps {
  readonly account: Account | undefined
  readonly accounts: readonly Account[]
}

function KeyForm({ connection, account, accounts, onDone }: KeyFormProps) {
  const path = usePath(connection)
  const queries = useQueryClient()
  const mayShare = useMay('connector_update')
  const { user } = useMe()
  const owners = (connection.auth?.owners ?? []).filter((item) => (item === 'organization' ? mayShare : user !== null))
  const [key, setKey] = useState('')
  const [owner, setOwner] = useState(account?.owner ?? owners[0] ?? 'member')
  const [name, setName] = useState(account?.account ?? '')
  const add = useMutation({
    mutationFn: (replaces: string | undefined) => {
      const named = name === '' ? {} : { account: name }
      return call(addAccountKey, {
        path,
        body: { key, owner, ...named, ...(replaces === undefined ? {} : { replaces }) },
      })
    },
    onSuccess: () => {
      sayDone(t.keyKept)
      onDone()
      return askAgain(queries)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate(account?.id)
      }}
    >
      <Stack>
        {add.error === null ? null : (
          <NotKept
            failure={Problem.of(add.error)}
            there={inTheWay(accounts, owner, user?.id, name)}
            onReplace={(id) => add.mutate(id)}
          />
        )}
        <PasswordInput
          label={t.key}
          description={t.keyHint}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoComplete="off"
          required
          data-autofocus
          visibilityToggleButtonProps={{ 'aria-label': t.showKey }}
        />
        {account === undefined && owners.length > 1 ? (
          <Radio.Group label={t.whose} value={owner} onChange={(next) => setOwner(next)}>
            <Stack gap="xs" mt={4}>
              {owners.map((item) => (
                <Radio key={item} value={item} label={t.owners[item]} />
              ))}
            </Stack>
          </Radio.Group>
        ) : null}
        {account === undefined && connection.auth?.accounts === 'many' ? (
          <TextInput
            label={t.name}
            description={t.nameHint}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        ) : null}
        <Group justify="flex-end">
          <Button type="submit" loading={add.isPending} disabled={key === ''}>
            {t.keepKey}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface NotKeptProps {
  readonly failure: Problem
  readonly there: Account | undefined
  onReplace(id: string): void
}

/** Nothing that works is replaced unasked. */
function NotKept({ failure, there, onReplace }: NotKeptProps) {
  if (failure.code !== 'account.connected' || there === undefined) return <Failed failure={failure} />
  const name = there.name ?? there.account
  return (
    <Alert color="yellow" icon={<Icon name="alert-triangle" />} title={t.replaceTitle({ name })} role="alert">
      <Text size="sm" mb="xs">
        {t.replaceText}
      </Text>
      <Button size="xs" variant="default" onClick={() => onReplace(there.id)}>
        {t.replace}
      </Button>
    </Alert>
  )
}

function RenameForm({ connection, account, onDone }: FormProps & { account: Account }) {
  const path = usePath(connection)
  const queries = useQueryClient()
  const [name, setName] = useState(account.account)
  const to = (next: string) => call(changeAccount, { path: { ...path, account: account.id }, body: { account: next } })
  const back = useMutation({ mutationFn: to, onSuccess: () => askAgain(queries), onError: sayProblem })
  const rename = useMutation({
    mutationFn: to,
    onSuccess: () => {
      sayDone(t.renamed({ name }), () => back.mutate(account.account))
      onDone()
      return askAgain(queries)
    },
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        rename.mutate(name)
      }}
    >
      <Stack>
        {rename.error === null ? null : <Failed failure={Problem.of(rename.error)} />}
        <TextInput
          label={t.name}
          description={t.nameHint}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          data-autofocus
        />
        <Group justify="flex-end">
          <Button type="submit" loading={rename.isPending} disabled={name === '' || name === account.account}>
            {t.rename}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function End({
  connection,
  account,
  opened,
  onClose,
}: Omit<FormProps, 'onDone'> & { account: Account; opened: boolean; onClose: () => void }) {
  const path = usePath(connection)
  const queries = useQueryClient()
  const end = useMutation({
    mutationFn: () => call(removeAccount, { path: { ...path, account: account.id } }),
    onSuccess: ({ problems }) => {
      sayDone(problems.length === 0 ? t.ended : t.endedHere({ problems: problems.join('; ') }))
      onClose()
      return askAgain(queries)
    },
    onError: sayProblem,
  })
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t.endTitle({ name: account.name ?? account.account })}
      verb={t.end}
      busy={end.isPending}
      onConfirm={() => end.mutate()}
    >
      <Text size="sm">{account.owner === 'organization' ? t.endShared : t.endOwn}</Text>
    </Confirm>
  )
}
