/** The audit log: every call, change and sign-in, with filters, live updates, and the full history of each. */
import { Anchor, Button, Group, Text } from '@mantine/core'
import { listAudit, listOrganizationAudit, type AuditEvent } from '@toolway/contract/admin'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay, useMe, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { actorWord } from '../../parts/actor-word.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { OneLine } from '../../ui/one-line.tsx'
import { Screen } from '../../ui/screen.tsx'
import { column, Table } from '../../ui/table.tsx'
import { duration, exactTime } from '../../ui/times.ts'
import { When } from '../../ui/when.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { RecordDrawer } from './record-drawer.tsx'
import { isNarrowed, isOver, queryOf, RecordsState } from './records-filter.ts'
import { RecordsFilters } from './records-filters.tsx'
import { CLEARED, Outcome, wordsOf } from './records-words.tsx'
import { VerifyDialog } from './verify-dialog.tsx'

const t = texts.records

export function RecordsScreen() {
  if (useMay('audit_view_own')) return <Records />
  return <Forbidden screen={texts.nav.records} title={t.forbidden} hint={t.forbiddenHint} />
}

function Records() {
  const organization = useOrganization()
  const { organizations } = useMe()
  const mayAll = useMay('audit_view_global', 'platform')
  const [state, set] = useUrlState(RecordsState)
  const everywhere = state.all === 'true' && mayAll
  const { range, from, to } = state
  // A range counts from when it is chosen, so that the question stays the same while it is looked at.
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the moment is what is meant to stay
  const now = useMemo(() => Date.now(), [range, from, to])
  const query = queryOf(state, now)
  const { limit: _, offset: __, ...filter } = query
  const here = useQuery({
    ...ask('records', listOrganizationAudit, { path: { organization }, query }),
    enabled: !everywhere,
  })
  const all = useQuery({
    ...ask('records', listAudit, { query }),
    enabled: everywhere,
    placeholderData: keepPreviousData,
  })
  const open = ({ id }: AuditEvent) => set({ record: id }, 'push')
  const whose = ({ tenant_id: id }: AuditEvent) =>
    id === null ? t.platform : (organizations.find((item) => item.id === id)?.name ?? id)
  const columns = [
    column<AuditEvent>(t.columns.what, (event) => <What event={event} onOpen={() => open(event)} />, 5),
    ...(everywhere ? [column<AuditEvent>(t.columns.organization, whose, 2)] : []),
    column<AuditEvent>(
      t.columns.who,
      ({ actor_id: id, actor_name: name }) => <OneLine text={name ?? actorWord(id) ?? id} />,
      3,
    ),
    column<AuditEvent>(t.columns.outcome, (event) => <Ended event={event} />, 3),
    column<AuditEvent>(t.columns.took, ({ details }) => tookOf(details), 2),
    column<AuditEvent>(t.columns.when, ({ timestamp }) => <When at={timestamp} />, 2),
  ]
  return (
    <Screen title={texts.nav.records} hint={t.hint} action={<Actions onOpen={(dialog) => set({ dialog }, 'push')} />}>
      <RecordsFilters state={state} set={set} mayAll={mayAll} />
      {isOver(state, now) ? null : <Live state={state} set={set} />}
      <Table
        label={t.list}
        choice="audit-log"
        query={everywhere ? all : here}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          <Nothing narrowed={isNarrowed(state) || range !== 'all'} onClear={() => set({ ...CLEARED, range: 'all' })} />
        }
        onPage={(offset) =>
          set({ offset: String(offset), until: state.until ?? (offset > 0 ? new Date().toISOString() : undefined) })
        }
      />
      <RecordDrawer id={state.record} everywhere={everywhere} set={set} />
      <VerifyDialog
        everywhere={everywhere}
        opened={state.dialog === 'verify'}
        onClose={() => set({ dialog: undefined })}
      />
      <ExportDialog
        everywhere={everywhere}
        opened={state.dialog === 'export'}
        filter={filter}
        onClose={() => set({ dialog: undefined })}
      />
    </Screen>
  )
}

function Actions({ onOpen }: { onOpen: (dialog: 'verify' | 'export') => void }) {
  return (
    <>
      <Button variant="default" leftSection={<Icon name="shield-check" size={16} />} onClick={() => onOpen('verify')}>
        {t.verify.button}
      </Button>
      <Button variant="default" leftSection={<Icon name="download" size={16} />} onClick={() => onOpen('export')}>
        {t.export.button}
      </Button>
    </>
  )
}

function What({ event, onOpen }: { event: AuditEvent; onOpen: () => void }) {
  const { action, resource_id: target, resource_name: name, details } = event
  const call = action === 'tools/call'
  const connection = typeof details['connection'] === 'string' ? details['connection'] : undefined
  const main = call ? (target ?? wordsOf(action)) : wordsOf(action)
  const beside = call ? (connection === undefined ? undefined : t.through({ connection })) : (name ?? target)
  return (
    <div className="one-line">
      <Anchor
        component="button"
        type="button"
        onClick={onOpen}
        aria-label={t.open({ what: main })}
        title={action}
        className="row-link"
      >
        {main}
      </Anchor>
      {beside === undefined || beside === null ? null : (
        <Text size="xs" c="dimmed" component="span" className="aside" title={beside}>
          {beside}
        </Text>
      )}
    </div>
  )
}

/** Why it ended so, beside it: the code of the fault, which the record explains. */
const Ended = ({ event: { outcome, code } }: { event: AuditEvent }) => (
  <Group gap={6}>
    <Outcome outcome={outcome} />
    {code === null ? null : (
      <Text size="xs" c="dimmed" component="span" className="breakable">
        {code}
      </Text>
    )}
  </Group>
)

const tookOf = ({ duration_ms: took }: AuditEvent['details']) => (typeof took === 'number' ? duration(took) : '–')

interface LiveProps {
  readonly state: RecordsState
  readonly set: (change: { until?: string | undefined; offset?: string | undefined }) => void
}

/** New records come by themselves; a list that is read page by page, or paused, stands still. */
function Live({ state: { until }, set }: LiveProps) {
  if (until === undefined)
    return (
      <Group gap="sm">
        <StateBadge tone="good">{t.live.on}</StateBadge>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="player-pause" size={14} />}
          onClick={() => set({ until: new Date().toISOString() })}
        >
          {t.live.pause}
        </Button>
      </Group>
    )
  return (
    <Group gap="sm">
      <Text size="sm" c="dimmed">
        {t.live.still} {exactTime(new Date(until))}
      </Text>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="player-play" size={14} />}
        onClick={() => set({ until: undefined, offset: undefined })}
      >
        {t.live.resume}
      </Button>
    </Group>
  )
}

function Nothing({ narrowed, onClear }: { narrowed: boolean; onClear: () => void }) {
  if (!narrowed)
    return (
      <Empty title={t.empty} hint={t.emptyHint} icon="list-details">
        <LinkButton to="/playground">{t.emptyAction}</LinkButton>
      </Empty>
    )
  return (
    <Empty title={t.nothing} hint={t.nothingHint} icon="filter">
      <Button variant="default" onClick={onClear}>
        {t.clear}
      </Button>
    </Empty>
  )
}
