/** The problem of a connection, and the result of its last test: phase, cause, remedy, and a button that leads to the remedy. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutationState } from '@tanstack/react-query'
import type { Connection, syncTools } from '@toolway/contract/admin'
import { useState } from 'react'
import type { z } from 'zod'
import { z as schema } from 'zod'
import { useUrlState } from '../../../data/url-state.ts'
import { localized } from '../../../texts/gateway-words.ts'
import { texts } from '../../../texts/texts.ts'
import { Failed } from '../../../ui/failed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { fixesFor, sentence, stateOf, type Fix } from './connection-states.ts'
import { useRestart, useToggle, useWhyNot } from './connection-ways.tsx'

const t = texts.connection
type TestResult = z.output<(typeof syncTools)['answer']>

/** Health first, then what a healthy server lacks. A test result is shown while the user stays here, and while it matches the state of the connection. */
export function ConnectionHealth({ connection }: { connection: Connection }) {
  return (
    <>
      <Tested connection={connection} />
      <Lacks hints={connection.hints} />
    </>
  )
}

/** Paths and hosts that the sandbox keeps from a connected server, with the commands that grant them. */
function Lacks({ hints }: Pick<Connection, 'hints'>) {
  if (hints.length === 0) return null
  return (
    <Alert color="orange" icon={<Icon name="lock" />} title={t.lacksTitle}>
      <Stack gap={4}>
        {hints.map((hint) => (
          <Text key={hint} size="sm" className="breakable">
            {localized(hint)}
          </Text>
        ))}
      </Stack>
    </Alert>
  )
}

function Tested({ connection }: { connection: Connection }) {
  const [since, setSince] = useState(Date.now)
  const tests = useMutationState({
    filters: { mutationKey: ['test', connection.id], status: 'success' },
    select: ({ state }) => ({ at: state.submittedAt, found: state.data as TestResult }),
  })
  const last = tests.findLast(({ at }) => at >= since)?.found
  const well = stateOf(connection).tone === 'good'
  if (last?.ok === true && well) return <Passed tested={last} onClose={() => setSince(Date.now())} />
  if (last?.failure != null && connection.enabled && !well) {
    const { failure } = last
    return (
      <Failed
        failure={{ ...failure, message: localized(failure.problem), asked: t.testOf({ alias: connection.alias }) }}
      >
        <Fixes connection={connection} fixes={fixesFor(connection, failure.code)} />
      </Failed>
    )
  }
  return <Unwell connection={connection} />
}

function Passed({ tested, onClose }: { tested: TestResult; onClose: () => void }) {
  const { tools, resources, prompts, revision } = tested
  return (
    <Alert
      color="teal"
      icon={<Icon name="circle-check" />}
      title={t.passed.title}
      role="status"
      withCloseButton
      onClose={onClose}
      closeButtonLabel={texts.close}
    >
      {t.passed.offers({ tools, resources, prompts })}
      {revision === null ? '' : ` ${t.passed.speaks({ revision })}`}
    </Alert>
  )
}

const TITLES = { app: t.needsAppTitle, account: t.needsTitle, credential: t.refusedTitle } as const

/** The known state of the connection without a test. */
function Unwell({ connection }: { connection: Connection }) {
  const { enabled, status, status_reason: reason, stale_reason: stale } = connection
  if (!enabled || status === 'connected' || status === 'new') {
    const hint = enabled ? stale : t.offHint
    if (hint === null) return null
    return (
      <Alert
        color={enabled ? 'orange' : 'gray'}
        icon={<Icon name={enabled ? 'alert-triangle' : 'circle-minus'} />}
        title={enabled ? t.staleTitle : t.offTitle}
      >
        <Text size="sm" className="breakable" mb="xs">
          {sentence(localized(hint))}
        </Text>
        <Fixes connection={connection} fixes={fixesFor(connection)} />
      </Alert>
    )
  }
  const needs = status === 'needs_auth'
  return (
    <Alert
      color={needs ? 'orange' : 'red'}
      icon={<Icon name="alert-triangle" />}
      title={needs ? TITLES[connection.needs ?? 'account'] : t.errorTitle}
    >
      <Text size="sm" className="breakable" mb="xs">
        {sentence(localized(reason ?? t.noReason))}
      </Text>
      <Fixes connection={connection} fixes={fixesFor(connection)} />
    </Alert>
  )
}

const State = schema.object({ tab: schema.string().default('') })
const TAB_OF = { account: 'accounts', settings: 'settings', process: 'process', document: 'document' } as const

/** Buttons that mend, or lead to where it is mended. */
export function Fixes({ connection, fixes }: { connection: Connection; fixes: readonly Fix[] }) {
  const [, set] = useUrlState(State)
  const restart = useRestart(connection)
  const toggle = useToggle(connection)
  const whyNot = useWhyNot(connection, 'connector_update')
  const run = (fix: Fix) => {
    if (fix === 'restart') restart.mutate()
    else if (fix === 'enable') toggle.mutate(true)
    else set({ tab: TAB_OF[fix] }, 'push')
  }
  const offered = fixes.filter((fix) => whyNot === undefined || (fix !== 'enable' && fix !== 'restart'))
  return (
    <Group gap="xs">
      {offered.map((fix) => (
        <Button
          key={fix}
          size="xs"
          variant="default"
          loading={(fix === 'restart' && restart.isPending) || (fix === 'enable' && toggle.isPending)}
          onClick={() => run(fix)}
        >
          {t.fixes[fix]}
        </Button>
      ))}
    </Group>
  )
}
