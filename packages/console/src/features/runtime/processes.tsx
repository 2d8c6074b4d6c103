/** The programs that connections of this organization start: how each is, restart, stop. */
import { kindOf } from '@toolway/contract'
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import {
  findProcess,
  listConnections,
  restartProcess,
  stopProcess,
  type Connection,
  type Process,
} from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { usePages } from '../../data/pages.ts'
import { ask } from '../../data/queries.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { StateBadge, type Tone } from '../../ui/badges.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton, TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Section } from '../../ui/section.tsx'
import { size } from '../../ui/times.ts'
import { When } from '../../ui/when.tsx'

const t = texts.runtime.processes

const TONES: Readonly<Record<Process['status'], Tone>> = {
  starting: 'busy',
  running: 'good',
  stopped: 'off',
  error: 'bad',
  restarting: 'busy',
}

export function Processes() {
  const organization = useOrganization()
  const found = usePages('connections', listConnections, { path: { organization }, query: {} })
  return (
    <Section title={t.title} hint={t.hint} bare>
      <Loaded query={found}>
        {({ items }) => {
          const programs = items.filter(({ connector }) => kindOf(connector).runsHere)
          if (programs.length === 0 && found.onMore === undefined) return <Nothing />
          return (
            <Stack>
              {programs.map((connection) => (
                <Program key={connection.id} connection={connection} />
              ))}
              {found.onMore === undefined ? null : (
                <Button variant="default" onClick={found.onMore}>
                  {texts.table.more}
                </Button>
              )}
            </Stack>
          )
        }}
      </Loaded>
    </Section>
  )
}

const Nothing = () => (
  <Empty title={t.empty} hint={t.emptyHint} icon="terminal-2">
    <LinkButton to="/connections/new" variant="default">
      {t.emptyAction}
    </LinkButton>
  </Empty>
)

function Program({ connection }: { connection: Connection }) {
  const organization = useOrganization()
  const found = useQuery(ask('runtime', findProcess, { path: { organization, connection: connection.id } }))
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }}>
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <Title order={3} className="breakable">
            <TextLink to={`/connections/${connection.id}`}>{connection.title}</TextLink>
          </Title>
          <Acts connection={connection} />
        </Group>
        <Loaded query={found} lines={2}>
          {({ processes }) =>
            processes.length === 0 ? (
              <Text size="sm">{t.none}</Text>
            ) : (
              <Stack gap="md">
                {processes.map((process, at) => (
                  // Without a number of its own it is known by its place: the shared one first.
                  <One key={process.pid ?? `at ${at}`} process={process} />
                ))}
              </Stack>
            )
          }
        </Loaded>
      </Stack>
    </Paper>
  )
}

function One({ process }: { process: Process }) {
  const { status, pid, of_one_caller: own, restart_count: failures, error_message: problem } = process
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <StateBadge tone={TONES[status]}>{t.status[status]}</StateBadge>
        <Text size="sm">{own ? t.own : t.shared}</Text>
      </Group>
      <Facts
        facts={[
          [t.pid, pid === null ? null : String(pid)],
          [t.started, process.started_at === null ? null : <When key="at" at={process.started_at} />],
          [t.checked, process.last_health_check === null ? null : <When key="at" at={process.last_health_check} />],
          [t.restarts, failures === 0 ? null : String(failures)],
          [t.problem, problem],
          [t.memory, size(process.memory_limit_mb * 1024 * 1024)],
        ]}
      />
    </Stack>
  )
}

function Acts({ connection }: { connection: Connection }) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const { id, title, enabled } = connection
  const path = { organization, connection: id }
  const always = {
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['runtime'] }),
  }
  const restart = useMutation({
    ...always,
    mutationFn: () => call(restartProcess, { path }),
    onSuccess: () => sayDone(t.restarted({ name: title })),
  })
  const stop = useMutation({
    ...always,
    mutationFn: () => call(stopProcess, { path }),
    onSuccess: () => sayDone(t.stopped({ name: title })),
  })
  return (
    <Group gap="xs">
      <Allowed may={enabled} why={t.off}>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="rotate" size={14} />}
          aria-label={t.restartOf({ name: title })}
          disabled={!enabled}
          loading={restart.isPending}
          onClick={() => restart.mutate()}
        >
          {t.restart}
        </Button>
      </Allowed>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="player-stop" size={14} />}
        aria-label={t.stopOf({ name: title })}
        loading={stop.isPending}
        onClick={() => stop.mutate()}
      >
        {t.stop}
      </Button>
    </Group>
  )
}
