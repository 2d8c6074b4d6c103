/** Several servers of one configuration: which of them, what each still needs, and how each went. */
import { ActionIcon, Box, Button, Checkbox, Group, Loader, Paper, Stack, Text } from '@mantine/core'
import { aliasOf } from '@toolway/contract'
import { listConnections, type Connection } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useOrganization } from '../../../data/me.ts'
import type { Problem } from '../../../data/problem.ts'
import { askAll } from '../../../data/pages.ts'

import { TrustOffer } from '../../../parts/trust-offer.tsx'
import { texts } from '../../../texts/texts.ts'
import { StateBadge } from '../../../ui/badges.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { LinkButton, TextLink } from '../../../ui/links.tsx'
import classes from './connect.module.css'
import { isThere, missingIn, nameOf, placeOf, secretsIn, twinOf, type Draft } from './draft.ts'
import { FromFile } from './from-file.tsx'
import { NameField } from './name-field.tsx'
import { useConnectOne } from './use-connect-one.ts'
import { useMayStart } from './use-may-start.ts'
import { Values } from './values.tsx'
import { mendOf } from '../../../ui/mend.ts'

const review = texts.importReview

const t = texts.connect.several

type Progress =
  | { readonly at: 'idle' | 'waiting' | 'busy' }
  | { readonly at: 'connected'; readonly alias: string; readonly tools: number }
  | { readonly at: 'sign-in'; readonly alias: string }
  | { readonly at: 'failed'; readonly alias: string | undefined; readonly problem: Problem }

interface Row {
  readonly draft: Draft
  /** Undefined: nobody said; what is not there yet is wanted. */
  readonly wanted: boolean | undefined
  readonly progress: Progress
  /** The names of values that were missing when the text was pasted: their fields stay visible while they are filled in. */
  readonly asks: readonly string[]
  /** Its header names a key that was not in the configuration. */
  readonly asksKey: boolean
  /** Its name is being changed: the field stays. */
  readonly naming: boolean
}

/** The alias that what was made of it has for good. */
const madeOf = ({ progress }: Row): string | undefined => ('alias' in progress ? progress.alias : undefined)
const aliasIn = (row: Row): string => madeOf(row) ?? aliasOf(nameOf(row.draft))

const lacksKey = ({ auth, key }: Draft): boolean => auth === 'api_key' && key.trim() === ''

interface SeveralServersProps {
  readonly drafts: readonly Draft[]
  /** Names of entries that cannot be used here. */
  readonly left: readonly string[]
}

export function SeveralServers({ drafts, left }: SeveralServersProps) {
  const mayStart = useMayStart()
  const connectOne = useConnectOne()
  const [rows, setRows] = useState<readonly Row[]>(() =>
    drafts.map((draft) => ({
      draft,
      wanted: draft.off ? false : undefined,
      progress: { at: 'idle' },
      asks: missingIn(draft).map(({ name }) => name),
      asksKey: lacksKey(draft),
      naming: false,
    })),
  )
  const change = (at: number, next: Partial<Row>) =>
    setRows((before) => before.map((row, index) => (index === at ? { ...row, ...next } : row)))
  const may = ({ draft }: Row) => draft.kind !== 'program' || mayStart
  const path = { organization: useOrganization() }
  const connections = useQuery(askAll('connections', listConnections, { path }))
  const [before, setBefore] = useState<readonly Connection[]>()
  // Connections added by this import do not mark their rows as existing before.
  if (before === undefined && connections.data !== undefined) setBefore(connections.data.items)
  const there = ({ draft }: Row) => before?.find((item) => isThere(draft, item))
  const twins = drafts.map((_, at) => twinOf(drafts, at))
  /** A server that another entry reaches too is not selected, unless the person selects it or gives it another name. */
  const isWanted = (row: Row) => {
    const at = rows.indexOf(row)
    return row.wanted ?? (row.draft.name !== drafts[at]?.name || (there(row) === undefined && twins[at] === undefined))
  }
  const isOpen = (row: Row) => isWanted(row) && may(row) && (row.progress.at === 'idle' || row.progress.at === 'failed')
  const open = rows.filter(isOpen)
  /** Two with one name would get aliases that nobody chose. */
  const nameProblem = (row: Row) => {
    if (!isOpen(row) || madeOf(row) !== undefined) return undefined
    const alias = aliasIn(row)
    if (before?.some((item) => item.alias === alias)) return review.taken({ alias })
    const others = rows.filter((item) => item !== row && ((isWanted(item) && may(item)) || madeOf(item) !== undefined))
    return others.some((item) => aliasIn(item) === alias) ? review.takenHere({ alias }) : undefined
  }
  const isIncomplete = (row: Row) =>
    missingIn(row.draft).length > 0 || lacksKey(row.draft) || nameProblem(row) !== undefined
  const busy = rows.some(({ progress }) => progress.at === 'busy' || progress.at === 'waiting')

  /** One after another: a machine that starts ten programs at once serves nobody. */
  const connectAll = async () => {
    const turn = rows.flatMap((row, at) => (isOpen(row) ? [{ row, at }] : []))
    for (const { at } of turn) change(at, { progress: { at: 'waiting' } })
    for (const { row, at } of turn) {
      change(at, { progress: { at: 'busy' } })
      change(at, { progress: await connectOne(row.draft, at) })
    }
  }

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
        {rows.map((row, at) => (
          <Server
            key={at}
            row={row}
            wanted={isWanted(row)}
            there={there(row)?.alias}
            twin={rows.find((_, index) => drafts[index] === twins[at])?.draft}
            alias={aliasIn(row)}
            nameProblem={nameProblem(row)}
            may={may(row)}
            onChange={(next) => change(at, next)}
          />
        ))}
      </Stack>
      <Group gap="sm">
        <Button
          disabled={connections.isPending || open.length === 0 || open.some(isIncomplete)}
          loading={busy}
          onClick={() => void connectAll()}
        >
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

interface ServerProps {
  readonly row: Row
  readonly wanted: boolean
  /** Alias of the connection that it is already. */
  readonly there: string | undefined
  /** Another of the same configuration that reaches the same. */
  readonly twin: Draft | undefined
  readonly alias: string
  /** Why its name cannot be taken. */
  readonly nameProblem: string | undefined
  readonly may: boolean
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
  const askedOf = (values: Draft['headers']) => values.filter(({ name }) => asks.includes(name))
  const merge = (all: Draft['headers'], some: Draft['headers']) =>
    all.map((value) => some.find(({ name }) => name === value.name) ?? value)
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
        ) : null}
      </Stack>
    </Paper>
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
