/** Changes that a server made to its tools: those held for review, and the lock that decides what is held. */
import { Alert, Button, Group, Progress, SegmentedControl, Select, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { LOCK_MODES, type LockMode } from '@toolway/contract'
import {
  acceptTool,
  getToolLock,
  listLockedTools,
  setToolLock,
  type Connection,
  type LockedTool,
  type ToolLock,
} from '@toolway/contract/admin'
import { useState } from 'react'
import { z } from 'zod'
import { call } from '../../../data/call.ts'
import { useMay } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'
import { useUrlState } from '../../../data/url-state.ts'
import { readAll } from '../../../data/pages.ts'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { Confirm } from '../../../ui/confirm.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { sayDone } from '../../../ui/say.tsx'
import { column, Table } from '../../../ui/table.tsx'
import { When } from '../../../ui/when.tsx'
import { Section } from '../../../ui/section.tsx'
import { ConnectionDifference } from './connection-difference.tsx'
import { askAgain, usePath } from './connection-ways.tsx'
import { sayProblem } from '../../../parts/say-problem.ts'

const t = texts.connection.changes
const SHOWN = ['held', 'rejected', 'gone', 'accepted'] as const
const State = z.object({
  state: z.enum(SHOWN).default('held'),
  looked: z.string().default(''),
  offset: z.coerce.number().int().min(0).default(0),
})

export function ConnectionChanges({ connection }: { connection: Connection }) {
  const may = useMay('tool_configure')
  if (!may) return <Empty title={t.title} hint={texts.connection.notYours} icon="lock" />
  return <Changes connection={connection} />
}

function Changes({ connection }: { connection: Connection }) {
  const path = usePath(connection)
  const lock = useQuery(ask('tools', getToolLock, { path }))
  return (
    <Loaded query={lock}>
      {(found) => (
        <Stack gap="lg">
          <Lock connection={connection} lock={found} />
          <Locked connection={connection} lock={found} />
        </Stack>
      )}
    </Loaded>
  )
}

function Lock({ connection, lock }: { connection: Connection; lock: ToolLock }) {
  const path = usePath(connection)
  const queries = useQueryClient()
  const may = useMay('connector_update')
  const set = useMutation({
    mutationFn: (body: { mode: LockMode; trusted?: boolean }) => call(setToolLock, { path, body }),
    onSuccess: (now) => {
      const { mode, trusted } = lock
      // Off accepts what was held, which no other mode gives back.
      const back = now.mode === 'off' && lock.held > 0 ? undefined : () => set.mutate({ mode, trusted })
      sayDone(t.lockSet({ mode: t.modes[now.mode].title }), back)
      return askAgain(queries)
    },
    onError: sayProblem,
  })
  return (
    <Section title={t.lock} hint={t.lockHint}>
      <Group align="flex-end" gap="lg">
        <Allowed may={may} why={texts.connection.notYours}>
          <Select
            label={t.mode}
            data={LOCK_MODES.map((mode) => ({ value: mode, label: t.modes[mode].title }))}
            value={lock.mode}
            allowDeselect={false}
            disabled={!may || set.isPending}
            onChange={(mode) => set.mutate({ mode: mode as LockMode })}
            w={280}
            maw="100%"
          />
        </Allowed>
        <Allowed may={may} why={texts.connection.notYours}>
          <Switch
            label={t.trusted}
            description={t.trustedHint}
            checked={lock.trusted}
            disabled={!may || set.isPending}
            onChange={(event) => set.mutate({ mode: lock.mode, trusted: event.currentTarget.checked })}
          />
        </Allowed>
      </Group>
      <Text size="sm" c="dimmed">
        {t.modes[lock.mode].hint}
      </Text>
    </Section>
  )
}

function Locked({ connection, lock }: { connection: Connection; lock: ToolLock }) {
  const path = usePath(connection)
  const [{ state, looked, offset }, set] = useUrlState(State)
  const lockedTools = useQuery(ask('tools', listLockedTools, { path, query: { state, limit: 50, offset } }))
  const columns = [
    column<LockedTool>(t.tool, ({ name }) => name, 3),
    column<LockedTool>(t.what, (tool) => t.kinds({ state: tool.state, known: tool.accepted_hash !== null }), 3),
    column<LockedTool>(t.since, (tool) => <When at={sinceOf(tool)} />, 2),
    column<LockedTool>(
      t.look,
      ({ name }) => (
        <Button
          size="xs"
          variant="default"
          onClick={() => set({ looked: name }, 'push')}
          aria-label={t.lookAt({ name })}
        >
          {t.look}
        </Button>
      ),
      1,
      { plain: true },
    ),
  ]
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <SegmentedControl
          value={state}
          aria-label={t.show}
          data={SHOWN.map((item) => ({ value: item, label: t.states[item] }))}
          onChange={(next) => set({ state: next, offset: undefined })}
        />
        {state === 'held' && lock.held > 1 ? <AcceptAll connection={connection} /> : null}
      </Group>
      <Table
        label={t.states[state]}
        query={lockedTools}
        rowKey={({ name }) => name}
        onPage={(next) => set({ offset: String(next) })}
        empty={<Empty title={t.none[state]} hint={lock.mode === 'off' ? t.offHint : t.noneHint} icon="git-compare" />}
        columns={columns}
      />
      <ConnectionDifference connection={connection} tool={looked} onClose={() => set({ looked: undefined })} />
    </Stack>
  )
}

const sinceOf = ({ state, held_at, rejected_at, gone_at, accepted_at }: LockedTool): string | null =>
  ({ held: held_at, rejected: rejected_at, gone: gone_at, accepted: accepted_at })[state]

/** Each by the hash that was listed when it was begun, so that nobody accepts what came meanwhile. */
function AcceptAll({ connection }: { connection: Connection }) {
  const path = usePath(connection)
  const queries = useQueryClient()
  const may = useMay('connector_update')
  const [asking, setAsking] = useState(false)
  const [done, setDone] = useState({ of: 0, accepted: 0 })
  const accept = useMutation({
    mutationFn: async () => {
      const items = await readAll(listLockedTools, { path, query: { state: 'held' } })
      setDone({ of: items.length, accepted: 0 })
      for (const [at, { name, hash }] of items.entries()) {
        await call(acceptTool, { path: { ...path, tool: name }, body: { hash } })
        setDone({ of: items.length, accepted: at + 1 })
      }
      return items.length
    },
    onSuccess: (count) => sayDone(t.acceptedAll({ count })),
    onError: sayProblem,
    onSettled: () => {
      setAsking(false)
      void askAgain(queries)
    },
  })
  return (
    <>
      <Allowed may={may} why={texts.connection.notYours}>
        <Button variant="default" disabled={!may} leftSection={<Icon name="check" />} onClick={() => setAsking(true)}>
          {t.acceptAll}
        </Button>
      </Allowed>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={t.acceptAllTitle}
        verb={t.acceptAll}
        busy={accept.isPending}
        onConfirm={() => accept.mutate()}
      >
        <Alert color="orange" icon={<Icon name="alert-triangle" />}>
          {t.acceptAllHint}
        </Alert>
        {accept.isPending && done.of > 0 ? (
          <Progress
            mt="sm"
            value={(done.accepted / done.of) * 100}
            aria-label={t.accepting({ done: done.accepted, of: done.of })}
          />
        ) : null}
      </Confirm>
    </>
  )
}
