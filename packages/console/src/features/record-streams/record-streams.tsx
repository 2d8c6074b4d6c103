/** Destinations that records and alerts are pushed to: how far each is, and what can be done with it. */
import { ActionIcon, Button, Menu, Stack, Text } from '@mantine/core'
import { destinationKind, type RecordStream } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { useUrlState } from '../../data/url-state.ts'
import { localized } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { useStreamChanges, type StreamChanges } from './stream-changes.ts'
import { StreamForm } from './stream-form.tsx'
import { useStreamCalls, type StreamOwner } from './stream-owner.ts'

const t = texts.recordStreams

/** `new`, or the id of the one that is open. */
const State = z.object({ stream: z.string().optional() })

export function RecordStreams() {
  return <StreamsOf owner="organization" />
}

export function StreamsOf({ owner }: { owner: StreamOwner }) {
  const [{ stream: open }, set] = useUrlState(State)
  const [secret, setSecret] = useState<string>()
  const [leaving, setLeaving] = useState<RecordStream>()
  const calls = useStreamCalls(owner)
  const found = useQuery(calls.list)
  const changes = useStreamChanges(calls)
  const words = owner === 'installation' ? t.all : t
  const items = found.data?.items ?? []
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => set({ stream: 'new' }, 'push')}>
      {t.add}
    </Button>
  )
  const acts = (stream: RecordStream) => (
    <Acts
      stream={stream}
      changes={changes}
      onChange={() => set({ stream: stream.id }, 'push')}
      onRemove={() => setLeaving(stream)}
    />
  )
  const columns = [
    column<RecordStream>(t.columns.name, ({ name }) => name, 3),
    column<RecordStream>(t.columns.destination, Destination, 4),
    column<RecordStream>(t.columns.state, Delivery, 4, { plain: true }),
    column<RecordStream>(t.columns.action, acts, 1, { plain: true }),
  ]
  return (
    <Section title={words.title} hint={words.hint} bare action={items.length === 0 ? undefined : add}>
      <Table
        label={words.title}
        query={found}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          <Empty title={words.empty} hint={words.emptyHint} icon="send">
            {add}
          </Empty>
        }
      />
      <StreamForm
        open={open}
        held={items}
        calls={calls}
        onClose={() => set({ stream: undefined })}
        onMade={(made) => {
          setSecret(made)
          set({ stream: undefined })
        }}
      />
      <SecretOnce secret={secret} onClose={() => setSecret(undefined)} />
      <Confirm
        opened={leaving !== undefined}
        title={t.removeTitle}
        verb={t.remove}
        busy={changes.remove.isPending}
        onClose={() => setLeaving(undefined)}
        onConfirm={() => leaving && changes.remove.mutate(leaving, { onSettled: () => setLeaving(undefined) })}
      >
        {t.removeText({ name: leaving?.name ?? '' })}
      </Confirm>
    </Section>
  )
}

const Destination = ({ destination }: RecordStream) => (
  <Stack gap={0}>
    <Text>{t.kinds[destination.kind]}</Text>
    <Text size="xs" c="dimmed" className="breakable">
      {destinationKind(destination.kind).placeOf(destination)}
    </Text>
  </Stack>
)

function stateOf({ enabled, behind_since: behind, failed_at: failed, delivered_at: delivered }: RecordStream) {
  if (!enabled) return { tone: 'off', word: t.off } as const
  if (failed !== null && (delivered === null || failed > delivered)) return { tone: 'warn', word: t.failing } as const
  return behind === null ? ({ tone: 'good', word: t.on } as const) : ({ tone: 'warn', word: t.behind } as const)
}

function Delivery(stream: RecordStream) {
  const { waiting, delivered_at: delivered, failed_at: failed, last_problem: problem, behind_since: behind } = stream
  const { tone, word } = stateOf(stream)
  return (
    <Stack gap={2} align="flex-start">
      <StateBadge tone={tone}>{word}</StateBadge>
      {delivered === null ? null : (
        <Text size="xs" c="dimmed">
          {t.delivered} <When at={delivered} />
        </Text>
      )}
      {word === t.failing && failed !== null ? (
        <Text size="xs" className="breakable">
          {t.failed} <When at={failed} />
          {problem === null ? '' : `: ${localized(problem)}`}
        </Text>
      ) : null}
      {behind === null ? null : (
        <Text size="xs">
          {t.since} <When at={behind} />
        </Text>
      )}
      {waiting === 0 ? null : <Text size="xs">{t.waiting({ count: waiting })}</Text>}
    </Stack>
  )
}

interface ActsProps {
  readonly stream: RecordStream
  readonly changes: StreamChanges
  readonly onChange: () => void
  readonly onRemove: () => void
}

function Acts({ stream, changes: { test, toggle }, onChange, onRemove }: ActsProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t.actions({ name: stream.name })}
          loading={[test, toggle].some(({ isPending, variables }) => isPending && variables.id === stream.id)}
        >
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="send" size={16} />} onClick={() => test.mutate(stream)}>
          {t.test}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="pencil" size={16} />} onClick={onChange}>
          {t.edit}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name={stream.enabled ? 'player-pause' : 'player-play'} size={16} />}
          onClick={() => toggle.mutate(stream)}
        >
          {stream.enabled ? t.switchOff : t.switchOn}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="trash" size={16} />} color="red" onClick={onRemove}>
          {t.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
