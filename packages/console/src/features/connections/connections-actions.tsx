/** The actions on a connection without opening it (ledger S2-UI-07): test, sign in, switch on or off, delete. */
import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { removeConnection, syncTools, toggleConnection, type Connection } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { useOAuthRedirect } from '../../parts/account/use-oauth-redirect.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { sayDone, sayFailed } from '../../ui/say.tsx'

const t = texts.connections

interface Changes {
  readonly test: { run(): void; readonly busy: boolean }
  readonly toggle: { run(enabled: boolean): void }
  readonly remove: { run(): void; readonly busy: boolean }
}

/** A wrong key or a server that is away is no failure of the gateway: the answer says at which step it failed. */
function useChanges({ alias, title }: Connection): Changes {
  const queries = useQueryClient()
  const path = { organization: useOrganization(), connection: alias }
  const settled = () => queries.invalidateQueries({ queryKey: ['connections'] })

  const test = useMutation({
    mutationFn: () => call(syncTools, { path }),
    onSuccess: ({ failure, tools }) => {
      if (failure === null) sayDone(t.tested({ title, tools }))
      else sayFailed(new Problem({ ...failure, message: failure.problem, asked: t.testOf({ title }) }))
    },
    onError: sayProblem,
    onSettled: settled,
  })
  const toggle = useMutation({
    mutationFn: (enabled: boolean) => call(toggleConnection, { path, body: { enabled } }),
    onSuccess: (_, enabled) =>
      sayDone(enabled ? t.enabled({ title }) : t.disabled({ title }), () => toggle.mutate(!enabled)),
    onError: sayProblem,
    onSettled: settled,
  })
  const remove = useMutation({
    mutationFn: () => call(removeConnection, { path }),
    onSuccess: () => sayDone(t.deleted({ title })),
    onError: sayProblem,
    onSettled: settled,
  })
  return {
    test: { run: () => test.mutate(), busy: test.isPending },
    toggle: { run: toggle.mutate },
    remove: { run: () => remove.mutate(), busy: remove.isPending },
  }
}

export function ConnectionActions({ connection }: { connection: Connection }) {
  const { test, ...changes } = useChanges(connection)
  const mayTest = useMay('tool_configure')
  const { title, enabled } = connection
  const why = mayTest ? (enabled ? undefined : t.whyNoTest) : t.whyNot
  return (
    <Group gap="xs" wrap="nowrap" style={{ flexShrink: 0 }}>
      <SignIn connection={connection} />
      <Allowed may={why === undefined} why={why ?? ''}>
        <Button
          size="xs"
          px="sm"
          variant="default"
          disabled={why !== undefined}
          loading={test.busy}
          onClick={test.run}
          aria-label={t.testOf({ title })}
        >
          {t.test}
        </Button>
      </Allowed>
      <More connection={connection} {...changes} />
    </Group>
  )
}

/** Straight to the vendor, in a window of its own. It stays while its button goes: whoever comes back is waited for. */
function SignIn({ connection: { alias, id, title, status, needs } }: { connection: Connection }) {
  const { depart, state, failure } = useOAuthRedirect({ alias, id })
  const may = useMay('tool_call')
  useEffect(() => {
    if (failure !== undefined) sayFailed(failure)
  }, [failure])
  if (status !== 'needs_auth' || needs === 'app') return null
  return (
    <Allowed may={may} why={t.whyNoSignIn}>
      <Button
        size="xs"
        px="sm"
        disabled={!may}
        loading={state === 'leaving'}
        onClick={() => depart()}
        aria-label={t.signInTo({ title })}
      >
        {t.signIn}
      </Button>
    </Allowed>
  )
}

function More({ connection, toggle, remove }: { connection: Connection } & Omit<Changes, 'test'>) {
  const [asking, setAsking] = useState(false)
  const { title, enabled, origin, alias, tools } = connection
  const declared = origin === 'file'
  const mayChange = useMay('connector_update') && !declared
  const mayDelete = useMay('connector_delete') && !declared
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label={t.more({ title })}>
            <Icon name="dots" size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayChange ? null : <Menu.Label>{declared ? t.whyDeclared : t.whyNot}</Menu.Label>}
          <Menu.Item
            disabled={!mayChange}
            leftSection={<Icon name={enabled ? 'player-pause' : 'player-play'} size={16} />}
            onClick={() => toggle.run(!enabled)}
          >
            {enabled ? t.disable : t.enable}
          </Menu.Item>
          <Menu.Item
            disabled={!mayDelete}
            color="red"
            leftSection={<Icon name="trash" size={16} />}
            onClick={() => setAsking(true)}
          >
            {t.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asking}
        title={t.deleteTitle({ title })}
        verb={t.delete}
        busy={remove.busy}
        onConfirm={remove.run}
        onClose={() => setAsking(false)}
      >
        {t.deleteHint({ alias, tools })}
      </Confirm>
    </>
  )
}
