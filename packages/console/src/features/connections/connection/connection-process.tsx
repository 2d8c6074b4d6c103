/** The program of a connection: whether it runs, how often it failed, a restart and a stop, and what it says. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { findProcess, stopProcess, type Connection, type Process } from '@toolway/contract/admin'
import { call } from '../../../data/call.ts'
import { useMay } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { StateBadge, type Tone } from '../../../ui/badges.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { sayDone } from '../../../ui/say.tsx'
import { When } from '../../../ui/when.tsx'
import { Facts } from './connection-facts.tsx'
import { ConnectionLog } from './connection-log.tsx'
import { askAgain, usePath, useRestart } from './connection-ways.tsx'
import { sayProblem } from '../../../parts/say-problem.ts'

const t = texts.connection.process
const TONES: Readonly<Record<Process['status'], Tone>> = {
  ...{ starting: 'busy', running: 'good', stopped: 'off', error: 'bad', restarting: 'warn' },
}

export function ConnectionProcess({ connection }: { connection: Connection }) {
  const may = useMay('process_manage')
  if (!may) return <Empty title={t.title} hint={texts.connection.notYours} icon="lock" />
  return (
    <Stack gap="lg">
      <Processes connection={connection} />
      <ConnectionLog connection={connection} />
    </Stack>
  )
}

function Processes({ connection }: { connection: Connection }) {
  const path = usePath(connection)
  const processes = useQuery(ask('runtime', findProcess, { path }))
  return (
    <Loaded query={processes}>
      {({ processes }) => (
        <Stack gap="md">
          {processes.length === 0 ? (
            <Empty title={t.none} hint={connection.enabled ? t.noneHint : t.offHint} icon="server" />
          ) : (
            processes.map((item, at) => (
              <OneProcess
                key={item.pid ?? `${at}`}
                connection={connection}
                process={item}
                title={t.titleOf({ number: at + 1 })}
              />
            ))
          )}
          <Ways connection={connection} running={processes.some(({ status }) => status === 'running')} />
        </Stack>
      )}
    </Loaded>
  )
}

function OneProcess({ process, title }: { connection: Connection; process: Process; title: string }) {
  const { status, pid, of_one_caller: own, started_at: started, last_health_check: checked } = process
  const { restart_count: restarts, error_message: error, memory_limit_mb: memory } = process
  return (
    <Facts
      title={title}
      facts={[
        [
          t.state,
          <StateBadge key="state" tone={TONES[status]}>
            {t.states[status]}
          </StateBadge>,
        ],
        [t.serves, own ? t.oneCaller : t.everybody],
        [t.pid, pid ?? '–'],
        [t.started, <When key="started" at={started} />],
        [t.checked, <When key="checked" at={checked} never={t.notChecked} />],
        [t.failures, restarts],
        [t.memory, t.megabytes({ megabytes: memory })],
      ]}
    >
      {error === null ? null : (
        <Alert
          color={status === 'error' ? 'red' : 'orange'}
          icon={<Icon name="alert-triangle" />}
          title={status === 'error' ? t.givenUp : t.lastEnd}
        >
          <Text size="sm" className="breakable">
            {error}
          </Text>
          {status === 'error' ? <Text size="sm">{t.givenUpHint}</Text> : null}
        </Alert>
      )}
    </Facts>
  )
}

function Ways({ connection, running }: { connection: Connection; running: boolean }) {
  const path = usePath(connection)
  const queries = useQueryClient()
  const restart = useRestart(connection)
  const stop = useMutation({
    mutationFn: () => call(stopProcess, { path }),
    onSuccess: () => {
      sayDone(t.stopped)
      return askAgain(queries)
    },
    onError: sayProblem,
  })
  return (
    <Group gap="sm">
      <Allowed may={connection.enabled} why={t.offHint}>
        <Button
          leftSection={<Icon name="rotate" />}
          loading={restart.isPending}
          disabled={!connection.enabled}
          onClick={() => restart.mutate()}
        >
          {t.restart}
        </Button>
      </Allowed>
      <Allowed may={running} why={t.nothingToStop}>
        <Button
          variant="default"
          leftSection={<Icon name="player-stop" />}
          loading={stop.isPending}
          disabled={!running}
          onClick={() => stop.mutate()}
        >
          {t.stop}
        </Button>
      </Allowed>
      <Text size="sm" c="dimmed">
        {t.stopHint}
      </Text>
    </Group>
  )
}
