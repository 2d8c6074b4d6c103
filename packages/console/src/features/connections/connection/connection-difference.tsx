/** One tool as it was accepted and as its server lists it now, for somebody who says yes or no to it. */
import { Box, Button, Drawer, Group, List, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  acceptTool,
  getToolDifference,
  rejectTool,
  type Connection,
  type ToolDifference,
} from '@toolway/contract/admin'
import type { z } from 'zod'
import { call } from '../../../data/call.ts'
import { useMay } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { StateBadge } from '../../../ui/badges.tsx'
import { CodeBlock } from '../../../ui/copy.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { sayDone } from '../../../ui/say.tsx'
import { whatChanged } from './connection-change-words.ts'
import { ConnectionLines } from './connection-lines.tsx'
import { askAgain, usePath } from './connection-ways.tsx'
import { sayProblem } from '../../../parts/say-problem.ts'

const t = texts.connection.changes
type Difference = z.output<typeof ToolDifference>

export function ConnectionDifference({
  connection,
  tool,
  onClose,
}: {
  connection: Connection
  tool: string
  onClose: () => void
}) {
  return (
    <Drawer
      opened={tool !== ''}
      onClose={onClose}
      position="right"
      size="xl"
      title={t.lookTitle({ name: tool })}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {tool === '' ? null : <Look connection={connection} tool={tool} onDone={onClose} />}
    </Drawer>
  )
}

function Look({ connection, tool, onDone }: { connection: Connection; tool: string; onDone: () => void }) {
  const path = { ...usePath(connection), tool }
  const difference = useQuery(ask('tools', getToolDifference, { path }))
  return (
    <Loaded query={difference}>
      {(found) => (
        <Stack gap="md">
          <Group gap="xs">
            <StateBadge tone={found.state === 'accepted' ? 'good' : found.state === 'gone' ? 'off' : 'warn'}>
              {t.kinds({ state: found.state, known: found.accepted_hash !== null })}
            </StateBadge>
          </Group>
          {found.held === null ? (
            <CodeBlock label={t.definition}>{JSON.stringify(found.accepted, null, 2)}</CodeBlock>
          ) : (
            <>
              <Summary found={found} />
              <Verdict path={path} found={found} onDone={onDone} />
              <Title order={3}>{t.lineByLine}</Title>
              <ConnectionLines lines={found.difference} />
            </>
          )}
        </Stack>
      )}
    </Loaded>
  )
}

/** The summary of the difference, above the lines. */
function Summary({ found: { accepted, held } }: { found: Difference }) {
  const changes = whatChanged(accepted, held ?? {})
  return (
    <Box>
      <Title order={3} mb={6}>
        {accepted === null ? t.isNew : t.comesDownTo}
      </Title>
      <List size="sm" spacing={6}>
        {changes.map(({ what, before, after }) => (
          <List.Item key={what} className="breakable">
            {what}
            <Side name={t.before} text={before} color="red" />
            <Side name={t.now} text={after} color="teal" />
          </List.Item>
        ))}
      </List>
    </Box>
  )
}

function Side({ name, text, color }: { name: string; text: string | undefined; color: string }) {
  if (text === undefined) return null
  return (
    <Box pl="sm" my={4} style={{ borderLeft: `3px solid var(--mantine-color-${color}-light-color)` }}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm" className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
        {text}
      </Text>
    </Box>
  )
}

function Verdict({
  path,
  found,
  onDone,
}: {
  path: Readonly<Record<string, string>>
  found: Difference
  onDone: () => void
}) {
  const queries = useQueryClient()
  const may = useMay('connector_update')
  const settle = useMutation({
    mutationFn: (yes: boolean) => call(yes ? acceptTool : rejectTool, { path, body: { hash: found.hash } }),
    onSuccess: (_, yes) => {
      sayDone(yes ? t.acceptedOne({ name: found.name }) : t.rejectedOne({ name: found.name }))
      onDone()
    },
    onError: sayProblem,
    onSettled: () => void askAgain(queries),
  })
  return (
    <Group gap="sm">
      <Allowed may={may} why={texts.connection.notYours}>
        <Button disabled={!may} loading={settle.isPending && settle.variables} onClick={() => settle.mutate(true)}>
          {t.accept}
        </Button>
      </Allowed>
      {found.state === 'rejected' ? null : (
        <Allowed may={may} why={texts.connection.notYours}>
          <Button
            variant="default"
            disabled={!may}
            loading={settle.isPending && !settle.variables}
            onClick={() => settle.mutate(false)}
          >
            {t.reject}
          </Button>
        </Allowed>
      )}
      <Text size="sm" c="dimmed">
        {t.verdictHint}
      </Text>
    </Group>
  )
}
