/** Destinations that records and alerts are pushed to: how far each is, and what can be done with it. */
import { Stack, Text } from '@mantine/core'
import { destinationKind, type RecordStream } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { column } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { AddedList } from '../../parts/added-list.tsx'
import { DestinationMenu, type DestinationMenuProps } from '../../parts/destination/destination-menu.tsx'
import { failedLast, LastDelivery } from '../../parts/destination/last-delivery.tsx'
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
  const acts = (stream: RecordStream) => (
    <Acts
      stream={stream}
      changes={changes}
      onEdit={() => set({ stream: stream.id }, 'push')}
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
    <AddedList
      label={words.title}
      words={{ ...words, add: t.add }}
      icon="send"
      query={found}
      columns={columns}
      onAdd={() => set({ stream: 'new' }, 'push')}
      removal={{
        row: leaving,
        title: t.removeTitle,
        text: t.removeText({ name: leaving?.name ?? '' }),
        verb: t.remove,
        mutation: changes.remove,
        onClose: () => setLeaving(undefined),
      }}
    >
      <StreamForm
        open={open}
        streams={found.data?.items ?? []}
        calls={calls}
        onClose={() => set({ stream: undefined })}
        onMade={(made) => {
          setSecret(made)
          set({ stream: undefined })
        }}
      />
      <SecretOnce secret={secret} onClose={() => setSecret(undefined)} />
    </AddedList>
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

function stateOf(stream: RecordStream) {
  if (!stream.enabled) return { tone: 'off', word: t.off } as const
  if (failedLast(stream)) return { tone: 'warn', word: t.failing } as const
  return stream.behind_since === null
    ? ({ tone: 'good', word: t.on } as const)
    : ({ tone: 'warn', word: t.behind } as const)
}

function Delivery(stream: RecordStream) {
  const { enabled, waiting, behind_since: behind } = stream
  const { tone, word } = stateOf(stream)
  return (
    <Stack gap={2} align="flex-start">
      <StateBadge tone={tone}>{word}</StateBadge>
      <LastDelivery of={stream} words={t} showsFailure={enabled && failedLast(stream)} />
      {behind === null ? null : (
        <Text size="xs">
          {t.since} <When at={behind} />
        </Text>
      )}
      {waiting === 0 ? null : <Text size="xs">{t.waiting({ count: waiting })}</Text>}
    </Stack>
  )
}

interface ActsProps extends Pick<DestinationMenuProps, 'onEdit' | 'onRemove'> {
  readonly stream: RecordStream
  readonly changes: StreamChanges
}

const Acts = ({ stream, changes: { test, toggle }, onEdit, onRemove }: ActsProps) => (
  <DestinationMenu
    label={t.actions({ name: stream.name })}
    words={t}
    enabled={stream.enabled}
    busy={[test, toggle].some(({ isPending, variables }) => isPending && variables.id === stream.id)}
    onTest={() => test.mutate(stream)}
    onEdit={onEdit}
    onToggle={() => toggle.mutate(stream)}
    onRemove={onRemove}
  />
)
