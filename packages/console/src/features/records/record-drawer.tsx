/** One record with everything that it holds: the way of its call, why it ended so, and what else belongs to the same request. */
import { Alert, Anchor, Drawer, Group, Stack, Text, Timeline, Title } from '@mantine/core'
import { listAudit, listOrganizationAudit, type AuditEvent } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { RecordPart as Part } from './record-part.tsx'
import { useOrganization } from '../../data/me.ts'
import { useNamesOf } from '../../data/names.ts'
import { ask } from '../../data/queries.ts'
import { RuleLink } from '../../parts/rule-link.tsx'
import { actorWord } from '../../parts/actor-word.ts'
import { texts } from '../../texts/texts.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton, TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { count, duration, exactTime } from '../../ui/times.ts'
import { RecordPayload } from './record-payload.tsx'
import { RecordTimings } from './record-timings.tsx'
import { argumentsOf, errorOf, faultOf, isCall, stepsOf, type Step } from './record-steps.ts'
import { Outcome, wordsOf } from './records-words.tsx'
import { RetryLink } from './retry-link.tsx'
import { TraceLink } from './trace-link.tsx'

const t = texts.records.drawer

interface DrawerProps {
  readonly id: string | undefined
  readonly everywhere: boolean
  readonly set: (change: { record: string | undefined }, how?: 'push') => void
}

type Query = Readonly<Partial<Record<'id' | 'correlation_id' | 'start' | 'end', string | undefined>>>

/** The records that fit, of this organization or of all. */
function useRecords(query: Query, everywhere: boolean, enabled: boolean) {
  const organization = useOrganization()
  const own = useQuery({
    ...ask('records', listOrganizationAudit, { path: { organization }, query }),
    enabled: enabled && !everywhere,
  })
  const all = useQuery({
    ...ask('records', listAudit, { query }),
    enabled: enabled && everywhere,
  })
  return everywhere ? all : own
}

export function RecordDrawer({ id, everywhere, set }: DrawerProps) {
  const found = useRecords({ id }, everywhere, id !== undefined)
  return (
    <Drawer
      opened={id !== undefined}
      onClose={() => set({ record: undefined })}
      title={t.title}
      position="right"
      size="lg"
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <Loaded query={found} lines={8}>
        {({ items: [event] }) =>
          event === undefined ? (
            <Empty title={t.missing} hint={t.missingHint} icon="help-circle" />
          ) : (
            <Whole event={event} everywhere={everywhere} set={set} />
          )
        }
      </Loaded>
    </Drawer>
  )
}

type WholeProps = { readonly event: AuditEvent } & Pick<DrawerProps, 'everywhere' | 'set'>

function Whole({ event, everywhere, set }: WholeProps) {
  const key = event.details['key_id']
  const named = useNamesOf([typeof key === 'string' ? key : undefined])
  const nameOf = (id: string): string => (id === event.actor_id ? (event.actor_name ?? actorWord(id) ?? id) : named(id))
  const { details, resource_id: target, resource_type: type, user_agent: program } = event
  const took = details['duration_ms']
  return (
    <Stack gap="lg" pb="xl">
      <Stack gap="xs">
        <Title order={2} className="breakable">
          {target ?? wordsOf(event.action)}
        </Title>
        <Group gap="xs">
          <Outcome outcome={event.outcome} />
          <CopyButton value={() => JSON.stringify(event, undefined, 2)} label={t.copy} />
          <RetryLink event={event} />
          <TraceLink event={event} />
        </Group>
      </Stack>
      <Why event={event} />
      <Facts
        facts={[
          [t.when, exactTime(new Date(event.timestamp))],
          [t.took, typeof took === 'number' && isCall(event) ? duration(took) : null],
          [t.who, nameOf(event.actor_id)],
          [t.action, <Action key="action" action={event.action} />],
          [t.what, target === null ? null : `${event.resource_name ?? target}${type === null ? '' : ` (${type})`}`],
          [t.address, event.ip_address],
          [t.program, program],
          [t.correlation, event.correlation_id],
          [t.place, count(event.seq)],
          [t.hash, <code key="hash">{event.hash}</code>],
        ]}
      />
      {isCall(event) ? <Way event={event} nameOf={nameOf} /> : <Details event={event} />}
      <Related event={event} everywhere={everywhere} set={set} />
    </Stack>
  )
}

/** Words, and the name by which the list is filtered. */
function Action({ action }: { action: string }) {
  const words = wordsOf(action)
  return words === action ? (
    <code>{action}</code>
  ) : (
    <>
      {words} <code>{action}</code>
    </>
  )
}

/** The tool's own words, or the fault's sentence; of a record from before either was kept, the step and the code. */
function Why({ event }: { event: AuditEvent }) {
  const { code, outcome, details } = event
  const fault = faultOf(code)
  const { by, says, mend } = errorOf(event)
  const connection = details['connection']
  if (fault === undefined && says === undefined) return null
  return (
    <Alert color={outcome === 'refused' ? 'orange' : 'red'} icon={<Icon name="info-circle" />} title={titleOf(outcome)}>
      <Stack gap={6}>
        {by === 'tool' ? <Text size="sm">{t.toolSays}</Text> : null}
        <Text size="sm" className="breakable">
          {says ?? texts.failed.titleAt({ phase: texts.phases[fault?.phase ?? ''] ?? '' })}
        </Text>
        {mend === undefined ? null : (
          <Text size="sm" className="breakable">
            <strong>{t.mend}</strong> {mend}
          </Text>
        )}
        <Group gap="md">
          {code === null ? null : <code>{code}</code>}
          {typeof connection === 'string' && outcome !== 'refused' ? (
            <LinkButton to={`/connections/${connection}`} variant="default" size="xs">
              {t.connection}
            </LinkButton>
          ) : null}
        </Group>
      </Stack>
    </Alert>
  )
}

const titleOf = (outcome: AuditEvent['outcome']): string => {
  if (outcome === 'refused') return t.why.refused
  return outcome === 'ok' ? t.why.ok : t.why.failed
}

function Way({ event, nameOf }: { event: AuditEvent; nameOf: (caller: string) => string }) {
  const steps = stepsOf(event)
  const shadows = event.details['policy']
  return (
    <>
      <RecordTimings event={event} />
      <Part title={t.steps}>
        <Timeline active={steps.length - 1} bulletSize={22} lineWidth={2}>
          {steps.map((step) => (
            <Timeline.Item
              key={step.name}
              title={step.state === 'ended' ? t.endedAt({ name: t.names[step.name] }) : t.names[step.name]}
              bullet={<Icon name={step.state === 'ended' ? 'x' : 'check'} size={12} />}
              {...(step.state === 'ended' ? { color: 'red' } : {})}
            >
              <Learned step={step} nameOf={nameOf} />
            </Timeline.Item>
          ))}
        </Timeline>
      </Part>
      <Arguments event={event} />
      <RecordPayload event={event} />
      <Shadows policy={shadows} />
    </>
  )
}

function Learned({ step: { at, after, facts }, nameOf }: { step: Step; nameOf: (caller: string) => string }) {
  const shown = Object.entries(facts).map(([name, value]): readonly [string, ReactNode] => [
    t.facts[name] ?? name,
    wordOf(name, value, nameOf),
  ])
  return (
    <Facts
      facts={[
        [t.when, at === undefined ? null : exactTime(at)],
        [t.after, after === undefined ? null : duration(after)],
        ...shown,
      ]}
    />
  )
}

function wordOf(name: string, value: string | number, nameOf: (caller: string) => string): ReactNode {
  if (name === 'caller' || name === 'key') return nameOf(String(value))
  if (name === 'decision') return t.decisions[value] ?? value
  if (name === 'rule') return <RuleLink id={String(value)}>{String(value)}</RuleLink>
  if (name === 'approval')
    return (
      <TextLink to="/approvals" search={{ tab: 'history', approval: String(value) }}>
        {String(value)}
      </TextLink>
    )
  if (name === 'outcome') return texts.records.outcomes[value as AuditEvent['outcome']]
  return typeof value === 'number' ? count(value) : value
}

function Arguments({ event }: { event: AuditEvent }) {
  const { values, absent, changed } = argumentsOf(event)
  const shown = [
    ...Object.entries(values).map(([path, value]) => [path, JSON.stringify(value)] as const),
    ...absent.map((path) => [path, t.absent] as const),
  ]
  if (shown.length === 0 && changed.length === 0) return null
  return (
    <Part title={t.arguments} note={t.argumentsNote}>
      <Facts facts={shown} />
      {changed.length === 0 ? null : (
        <Text size="sm">
          {t.changedByRule} {changed.join(', ')}
        </Text>
      )}
    </Part>
  )
}

function Shadows({ policy }: { policy: unknown }) {
  const shadows: unknown = typeof policy === 'object' && policy !== null ? Reflect.get(policy, 'shadows') : undefined
  if (typeof shadows !== 'object' || shadows === null) return null
  return (
    <Part title={t.shadows}>
      <Facts facts={Object.entries(shadows).map(([rule, would]) => [rule, String(would)])} />
    </Part>
  )
}

/** Of a change: what is on record of it, name by name. */
function Details({ event: { details } }: { event: AuditEvent }) {
  const facts = Object.entries(details).map(([name, value]) => [name, wordOfDetail(value)] as const)
  return facts.length === 0 ? null : (
    <Part title={t.details}>
      <Facts facts={facts} />
    </Part>
  )
}

function wordOfDetail(value: unknown): string {
  if (typeof value === 'boolean') return value ? t.yes : t.no
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
}

const DAY = 86_400_000

function Related({ event, everywhere, set }: Pick<WholeProps, 'event' | 'everywhere' | 'set'>) {
  const at = new Date(event.timestamp).getTime()
  // Within a day: what one request does is done by then, and the rest need not be read.
  const span = { start: new Date(at - DAY).toISOString(), end: new Date(at + DAY).toISOString() }
  const found = useRecords({ correlation_id: event.correlation_id, ...span }, everywhere, true)
  return (
    <Part title={t.related}>
      <Loaded query={found} lines={2}>
        {({ items }) => {
          const others = items.filter(({ id }) => id !== event.id)
          if (others.length === 0) return <Text size="sm">{t.relatedNone}</Text>
          return (
            <Stack gap={6}>
              {others.map((other) => (
                <Group key={other.id} gap="xs">
                  <Anchor component="button" type="button" size="sm" onClick={() => set({ record: other.id }, 'push')}>
                    {wordsOf(other.action)} {other.resource_id ?? ''}
                  </Anchor>
                  <Outcome outcome={other.outcome} />
                </Group>
              ))}
            </Stack>
          )
        }}
      </Loaded>
    </Part>
  )
}
