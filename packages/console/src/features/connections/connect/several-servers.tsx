/** Several servers of one configuration: which of them, what each still needs, and how each went. */
import { ActionIcon, Box, Button, Checkbox, Group, Loader, Paper, Stack, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'

import { TrustOffer } from '../../../parts/trust-offer.tsx'
import { texts } from '../../../texts/texts.ts'
import { StateBadge } from '../../../ui/badges.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { LinkButton, TextLink } from '../../../ui/links.tsx'
import classes from './connect.module.css'
import { nameOf, placeOf, secretsIn, type Draft } from './draft.ts'
import { FromFile } from './from-file.tsx'
import { NameField } from './name-field.tsx'
import { useSeveralRows, type Progress, type Row, type SeveralServer } from './use-several-rows.ts'
import { Values } from './values.tsx'
import { mendOf } from '../../../ui/mend.ts'

const review = texts.importReview

const t = texts.connect.several

interface SeveralServersProps {
  readonly drafts: readonly Draft[]
  /** Names of entries that cannot be used here. */
  readonly left: readonly string[]
}

export function SeveralServers({ drafts, left }: SeveralServersProps) {
  const { rows, servers, open, isReady, isBusy, change, connectAll } = useSeveralRows(drafts)
  return (
    <Stack gap="sm">
      <Text role="status">
        {t.found({ count: rows.length })} {review.note}
      </Text>
      {left.length === 0 ? null : (
        <Text size="sm" c="dimmed" className="breakable">
          {review.left({ names: left.join(', ') })}
        </Text>
      )}
      <Stack gap="xs" component="ul" className={classes['list'] ?? ''}>
        {servers.map((server, at) => (
          <Server key={at} {...server} onChange={(next) => change(at, next)} />
        ))}
      </Stack>
      <Group gap="sm">
        <Button disabled={!isReady} loading={isBusy} onClick={() => void connectAll()}>
          {t.connect({ count: open.length })}
        </Button>
        {rows.some(({ progress }) => progress.at === 'connected' || progress.at === 'sign-in') ? (
          <LinkButton to="/connections" variant="default">
            {t.list}
          </LinkButton>
        ) : null}
      </Group>
    </Stack>
  )
}

interface ServerProps extends SeveralServer {
  readonly onChange: (next: Partial<Row>) => void
}

function Server({ row, wanted, there, twin, alias, nameProblem, may, onChange }: ServerProps) {
  const { draft, progress, asks, asksKey } = row
  const secrets = [...(draft.auth === 'api_key' ? [review.key] : []), ...secretsIn(draft)]
  const settled = progress.at === 'connected' || progress.at === 'sign-in'
  const mayRename = may && (progress.at === 'idle' || progress.at === 'failed')
  const naming = mayRename && (row.naming || nameProblem !== undefined)
  const field = useRef<HTMLInputElement>(null)
  // A person who opened the field types in it next.
  useEffect(() => {
    if (row.naming) field.current?.focus()
  }, [row.naming])
  return (
    <Paper component="li" withBorder p="sm">
      <Stack gap="xs">
        <Group gap="sm" align="flex-start" wrap="nowrap">
          <Group justify="space-between" gap="sm" align="flex-start" flex={1} miw={0}>
            {settled ? (
              <Settled draft={draft} />
            ) : (
              <Checkbox
                checked={wanted && may}
                disabled={!may}
                label={nameOf(draft)}
                description={may ? placeOf(draft) : texts.connect.program.notAllowedHint}
                onChange={({ currentTarget }) => onChange({ wanted: currentTarget.checked })}
                styles={{ description: { overflowWrap: 'anywhere' } }}
                style={{ flex: '1 1 16rem', minWidth: 0 }}
              />
            )}
            {there !== undefined && progress.at === 'idle' ? (
              <TextLink to={`/connections/${there}`}>{t.there}</TextLink>
            ) : null}
            {twin !== undefined && progress.at === 'idle' ? (
              <Text size="sm">{review.twin({ name: nameOf(twin) })}</Text>
            ) : null}
            <Outcome progress={progress} />
          </Group>
          {mayRename && !naming ? (
            <ActionIcon
              variant="subtle"
              aria-label={review.rename({ name: nameOf(draft) })}
              onClick={() => onChange({ naming: true })}
            >
              <Icon name="pencil" size={16} />
            </ActionIcon>
          ) : null}
        </Group>
        {naming ? (
          <Box pl="xl">
            <NameField
              ref={field}
              draft={draft}
              description={review.alias({ alias })}
              error={nameProblem}
              onChange={(name) => onChange({ draft: { ...draft, name }, naming: true })}
            />
          </Box>
        ) : null}
        {progress.at === 'connected' ? <TrustOffer alias={progress.alias} /> : null}
        {wanted && may && secrets.length > 0 ? (
          <Text size="sm" c="dimmed" pl="xl" className="breakable">
            {review.sealed({ names: secrets.join(', ') })}
          </Text>
        ) : null}
        {wanted && may ? (
          <Box pl="xl">
            <FromFile draft={draft} />
          </Box>
        ) : null}
        {wanted && may && !settled && (asks.length > 0 || asksKey) ? (
          <MissingValues row={row} onChange={onChange} />
        ) : null}
      </Stack>
    </Paper>
  )
}

function MissingValues({ row: { draft, asks, asksKey }, onChange }: Pick<ServerProps, 'row' | 'onChange'>) {
  const askedOf = (values: Draft['headers']) => values.filter(({ name }) => asks.includes(name))
  const merge = (all: Draft['headers'], some: Draft['headers']) =>
    all.map((value) => some.find(({ name }) => name === value.name) ?? value)
  return (
    <Box pl="xl">
      {asksKey ? (
        <Values
          values={[{ name: t.key, value: draft.key, secret: true, required: true }]}
          onChange={([value]) => onChange({ draft: { ...draft, key: value?.value ?? '' } })}
        />
      ) : null}
      <Values
        values={askedOf(draft.blanks)}
        onChange={(some) => onChange({ draft: { ...draft, blanks: merge(draft.blanks, some) } })}
      />
      <Values
        values={askedOf(draft.environment)}
        onChange={(some) => onChange({ draft: { ...draft, environment: merge(draft.environment, some) } })}
      />
      <Values
        values={askedOf(draft.headers)}
        onChange={(some) => onChange({ draft: { ...draft, headers: merge(draft.headers, some) } })}
      />
    </Box>
  )
}

/** One that is connected cannot be chosen any longer, and is not greyed for it. */
function Settled({ draft }: { draft: Draft }) {
  return (
    <Stack gap={2} style={{ flex: '1 1 16rem', minWidth: 0 }}>
      <Text size="sm" fw={600} className="breakable">
        {nameOf(draft)}
      </Text>
      <Text size="xs" c="dimmed" className="breakable">
        {placeOf(draft)}
      </Text>
    </Stack>
  )
}

function Outcome({ progress }: { progress: Progress }) {
  switch (progress.at) {
    case 'idle':
      return null
    case 'waiting':
      return <StateBadge tone="busy">{t.waiting}</StateBadge>
    case 'busy':
      return (
        <Group gap="xs" role="status">
          <Loader size="xs" />
          <Text size="sm">{t.connecting}</Text>
        </Group>
      )
    case 'connected':
      return (
        <Group gap="xs" role="status">
          <StateBadge tone="good">{t.connected({ tools: progress.tools })}</StateBadge>
          <TextLink to={`/connections/${progress.alias}`}>{t.open}</TextLink>
        </Group>
      )
    case 'sign-in':
      return (
        <Group gap="xs" role="status">
          <StateBadge tone="warn">{t.needsSignIn}</StateBadge>
          <TextLink to={`/connections/${progress.alias}`}>{t.signIn}</TextLink>
        </Group>
      )
    case 'failed':
      return (
        <Stack gap={2} align="flex-end" role="alert" maw={420}>
          <StateBadge tone="bad">{t.failed}</StateBadge>
          <Text size="sm" className="breakable">
            {progress.problem.message}
          </Text>
          {mendOf(progress.problem) === undefined ? null : (
            <Text size="sm" c="dimmed" className="breakable">
              {mendOf(progress.problem)}
            </Text>
          )}
          {progress.alias === undefined ? null : <TextLink to={`/connections/${progress.alias}`}>{t.open}</TextLink>}
        </Stack>
      )
  }
}
