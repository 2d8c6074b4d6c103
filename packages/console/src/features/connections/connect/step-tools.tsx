/** It is there: what it can do, and the first call. Until then: how far it is, or what went wrong and how to mend it. */
import { Box, Button, Group, Loader, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { getConnection, listTools, syncTools, type Connection, type Tool } from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { visibleText } from '@toolway/contract'
import { call } from '../../../data/call.ts'
import { useMay, useOrganization } from '../../../data/me.ts'
import { Problem } from '../../../data/problem.ts'
import { ask } from '../../../data/queries.ts'
import type { OAuthRedirect } from '../../../parts/account/use-oauth-redirect.ts'
import { usePages } from '../../../data/pages.ts'
import { texts } from '../../../texts/texts.ts'
import { EffectBadge } from '../../../ui/effect-badge.tsx'
import { Failed } from '../../../ui/failed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { LinkButton } from '../../../ui/links.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { column, Table } from '../../../ui/table.tsx'
import { Effects } from './effects.tsx'
import { Trust } from './trust.tsx'

const t = texts.connect.tools

/** With its forms it is larger than all the rest: loaded when it is there to be used. */
const FirstCall = lazy(() => import('./first-call.tsx').then((module) => ({ default: module.FirstCall })))

export interface StepToolsProps {
  /** Alias of what was made. */
  readonly made: string
  readonly oauthRedirect: OAuthRedirect
  /** Back to what was typed; undefined where nothing is left of it. */
  readonly onCorrect: (() => void) | undefined
  readonly onAnother: () => void
}

export function StepTools(props: StepToolsProps) {
  const path = { organization: useOrganization(), connection: props.made }
  const connection = useQuery(ask('connections', getConnection, { path }))
  return (
    <Loaded query={connection}>
      {(found) =>
        found.status === 'connected' || isUntried(found) ? (
          <Ready {...props} connection={found} />
        ) : (
          <Pending {...props} connection={found} />
        )
      }
    </Loaded>
  )
}

/** Its tools are known without a request to its server: the first call shows whether the key is good. */
const isUntried = ({ status, tools, auth_type: auth }: Connection): boolean =>
  status === 'new' && tools > 0 && auth === 'api_key'

interface OneProps extends StepToolsProps {
  readonly connection: Connection
}

function Ready({ connection, onAnother }: OneProps) {
  const { title, alias } = connection
  const path = { organization: useOrganization(), connection: alias }
  const tools = usePages('tools', listTools, { path, query: {} })
  const mayCall = useMay('tool_call')
  const items = tools.data?.items ?? []
  const by = tools.data?.by_effect ?? {}
  return (
    <Stack gap="lg">
      <Group gap="sm" role="status" wrap="nowrap">
        <Box c="var(--mantine-color-teal-text)" style={{ display: 'inline-flex' }}>
          <Icon name="circle-check" size={24} />
        </Box>
        <Title order={2}>{isUntried(connection) ? t.added({ title }) : t.connected({ title })}</Title>
      </Group>
      {tools.data === undefined ? null : (
        <Effects
          counts={{ read: by['read'] ?? 0, write: by['write'] ?? 0, destructive: by['destructive'] ?? 0 }}
          unknown={by['unknown'] ?? 0}
        />
      )}
      <Trust alias={alias} tools={items} />
      {mayCall ? (
        <Suspense fallback={<Skeleton height={160} radius="md" />}>
          <FirstCall alias={alias} />
        </Suspense>
      ) : null}
      <Box>
        <Title order={2} mb="xs">
          {t.list}
        </Title>
        <Table
          label={t.list}
          query={tools}
          onMore={tools.onMore}
          rowKey={({ name }) => name}
          columns={COLUMNS}
          empty={<Text c="dimmed">{t.none}</Text>}
        />
      </Box>
      <Group gap="sm">
        <LinkButton to={`/connections/${alias}`}>{t.open}</LinkButton>
        <LinkButton to="/clients" variant="default">
          {t.client}
        </LinkButton>
        <Button variant="default" onClick={onAnother}>
          {t.another}
        </Button>
      </Group>
    </Stack>
  )
}

const COLUMNS = [
  column<Tool>(t.columns.name, ({ name, title }) => visibleText(title ?? name), 3),
  column<Tool>(t.columns.effect, ({ effect, effect_from: from }) => <EffectBadge effect={effect} from={from} />, 2, {
    plain: true,
  }),
  column<Tool>(
    t.columns.description,
    ({ description }) => (
      <Text component="span" size="sm" c="dimmed" lineClamp={2}>
        {visibleText(description ?? '')}
      </Text>
    ),
    6,
    { plain: true },
  ),
]

/** It is made, and not let in yet: a person is at the vendor, or its server says no. */
function Pending({ connection, oauthRedirect, onCorrect, onAnother }: OneProps) {
  const { title, status, alias, id, url } = connection
  if (oauthRedirect.failure !== undefined)
    return (
      <Stack gap="md">
        <Failed failure={oauthRedirect.failure}>
          <Button size="xs" onClick={() => oauthRedirect.depart(undefined, () => Promise.resolve({ alias, id }))}>
            {t.signInAgain}
          </Button>
          <Correct onCorrect={onCorrect} />
        </Failed>
        <Later alias={alias} onAnother={onAnother} />
      </Stack>
    )
  if (
    status === 'needs_auth' ||
    oauthRedirect.state !== 'here' ||
    (status === 'new' && connection.auth_type === 'oauth')
  )
    return (
      <Paper withBorder p="lg">
        <Stack gap="md">
          <Group gap="sm" role="status">
            {oauthRedirect.state === 'here' ? <Icon name="lock" /> : <Loader size="sm" />}
            <Title order={2}>
              {oauthRedirect.state === 'here' ? t.needsSignIn({ title }) : t.away({ host: hostOf(url) ?? title })}
            </Title>
          </Group>
          <Text c="dimmed">{oauthRedirect.state === 'here' ? t.needsSignInHint : t.awayHint}</Text>
          <Group gap="sm">
            <Button
              variant={oauthRedirect.state === 'here' ? 'filled' : 'default'}
              onClick={() => oauthRedirect.depart(undefined, () => Promise.resolve({ alias, id }))}
            >
              {oauthRedirect.state === 'here' ? t.signIn : t.openAgain}
            </Button>
            <Correct onCorrect={onCorrect} />
          </Group>
        </Stack>
      </Paper>
    )
  return <Refused connection={connection} onCorrect={onCorrect} />
}

const hostOf = (url: string | null) => (url === null ? undefined : URL.parse(url)?.host)

const Correct = ({ onCorrect }: Pick<StepToolsProps, 'onCorrect'>) =>
  onCorrect === undefined ? null : (
    <Button size="xs" variant="default" onClick={onCorrect}>
      {t.correct}
    </Button>
  )

const Later = ({ alias, onAnother }: { alias: string; onAnother: () => void }) => (
  <Group gap="sm">
    <LinkButton to={`/connections/${alias}`} variant="default">
      {t.open}
    </LinkButton>
    <Button variant="default" onClick={onAnother}>
      {t.another}
    </Button>
  </Group>
)

/** Asked anew, it says at which step it failed. */
function Refused({ connection, onCorrect }: Pick<OneProps, 'connection' | 'onCorrect'>) {
  const { alias, status_reason: reason, title } = connection
  const path = { organization: useOrganization(), connection: alias }
  const queries = useQueryClient()
  const test = useMutation({
    mutationFn: () => call(syncTools, { path }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['connections'] }),
  })
  const failed = test.data?.failure
  const failure =
    failed == null
      ? new Problem({ message: reason ?? t.waiting({ title }), phase: 'open', asked: t.asked })
      : new Problem({ ...failed, message: failed.problem, asked: t.asked })
  return (
    <Failed failure={test.error === null ? failure : Problem.of(test.error)} onRetry={() => test.mutate()}>
      <Correct onCorrect={onCorrect} />
    </Failed>
  )
}
