/**
 * The first step: the choice of the service, from the catalog or from pasted text. One field accepts any form and shows what it
 * recognized.
 */
import { Alert, Button, Group, Paper, Select, Stack, Text, Textarea, Title } from '@mantine/core'
import type { CatalogEntry } from '@toolway/contract'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { FileButtons } from '../../../parts/document-files/file-buttons.tsx'
import type { Upload } from '../../../parts/document-files/upload.ts'
import { texts } from '../../../texts/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Catalog, EntryCards } from './catalog-cards.tsx'
import { FromFile } from './from-file.tsx'
import { DOCUMENT_KIND, draft, draftOfEntry, isGiven, placeOf, type Draft, type Kind } from './draft.ts'
import type { Guess } from './guess/guess.ts'
import { useGuess } from './guess/use-guess.ts'
import { SeveralServers } from './several-servers.tsx'

const t = texts.connect.what

export interface StepWhatProps {
  readonly entries: readonly CatalogEntry[]
  readonly text: string
  readonly onText: (text: string) => void
  /** The kind assumed for an address, where the user corrected it. */
  readonly kind: Kind | undefined
  readonly onKind: (kind: Kind) => void
  readonly onNext: (draft: Draft) => void
}

export function StepWhat(props: StepWhatProps) {
  const { entries, text, onText, onNext } = props
  const [opened, setOpened] = useState<Opened>()
  const guessed = useGuess(text, entries)
  const found = opened === undefined ? guessed : guessOf(opened)
  const next = () => {
    if (found.kind === 'one') onNext(corrected(found.draft, props.kind))
  }
  const take = (upload: Upload) => {
    setOpened(upload.kind === 'text' ? undefined : upload)
    onText(upload.kind === 'text' ? upload.text : '')
  }
  return (
    <Stack gap="xl">
      <Catalog entries={entries} onChoose={(entry) => onNext(draftOfEntry(entry))} />
      <Stack gap="sm" component="section" aria-labelledby="box">
        <Title order={2} id="box">
          {t.title}
        </Title>
        <Textarea
          label={t.label}
          description={t.hint}
          placeholder={t.placeholder}
          autosize
          minRows={2}
          maxRows={14}
          spellCheck={false}
          autoComplete="off"
          value={text}
          error={found.kind === 'refused' ? t.refused[found.why] : undefined}
          onChange={({ currentTarget }) => {
            setOpened(undefined)
            onText(currentTarget.value)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || text.includes('\n') || found.kind !== 'one') return
            event.preventDefault()
            next()
          }}
        />
        {isUnderstood(found) ? (
          <InView key={found.kind}>
            <Understood {...props} found={found} onContinue={next} />
          </InView>
        ) : null}
        <FileButtons accept=".json,.yaml,.yml,.toml,.txt,.md,.zip" onUpload={take} />
      </Stack>
    </Stack>
  )
}

/** Scrolls to what has been recognised: below a long text it would be out of sight. */
function InView({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return <div ref={place}>{children}</div>
}

/** Files that are no text. */
type Opened = Exclude<Upload, { kind: 'text' }>

const guessOf = (opened: Opened): Guess =>
  opened.kind === 'refused'
    ? { kind: 'refused', why: opened.why }
    : { kind: 'one', seen: 'archive', draft: draft({ kind: DOCUMENT_KIND, archive: opened.archive }) }

type Understanding = Exclude<Guess, { kind: 'nothing' | 'refused' | 'unread' }>

const isUnderstood = (found: Guess): found is Understanding =>
  found.kind !== 'nothing' && found.kind !== 'refused' && found.kind !== 'unread'

interface UnderstoodProps extends StepWhatProps {
  readonly found: Understanding
  readonly onContinue: () => void
}

function Understood({ found, kind, onKind, onContinue, onNext }: UnderstoodProps) {
  if (found.kind === 'several')
    return <SeveralServers key={found.drafts.map(placeOf).join()} drafts={found.drafts} left={found.left} />
  if (found.kind === 'entries')
    return (
      <Stack gap="xs">
        <Text size="sm" role="status">
          {t.inCatalog}
        </Text>
        <EntryCards entries={found.entries} onChoose={(entry) => onNext(draftOfEntry(entry))} />
      </Stack>
    )
  const corrections = corrected(found.draft, kind)
  const seen = t.seen[found.seen]
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" align="flex-end" gap="md">
        <Stack gap={2} style={{ flex: '1 1 16rem', minWidth: 0 }} role="status">
          <Text fw={600}>{typeof seen === 'string' ? seen : seen({ name: corrections.name })}</Text>
          <Text size="sm" c="dimmed" className="breakable">
            {placeOf(corrections)}
          </Text>
          <FromFile draft={corrections} />
        </Stack>
        {isCorrectable(found) ? (
          <Select
            label={t.kind}
            w={220}
            allowDeselect={false}
            data={CORRECTIONS.map((value) => ({ value, label: t.kinds[value] }))}
            value={corrections.kind}
            onChange={(chosen) => onKind(chosen ?? 'remote')}
          />
        ) : null}
        <Button onClick={onContinue} rightSection={<Icon name="arrow-right" size={16} />}>
          {texts.connect.next}
        </Button>
      </Group>
      {corrections.kind === 'program' ? (
        <Alert mt="md" color="gray" icon={<Icon name="info-circle" />}>
          {t.runsHere}
        </Alert>
      ) : null}
    </Paper>
  )
}

/** An address says little of what is there. */
const CORRECTIONS = ['remote', 'openapi', 'contract'] as const
const isCorrectable = (found: Extract<Guess, { kind: 'one' }>): boolean =>
  found.seen === 'address' || found.seen === 'document-address'

const corrected = (item: Draft, kind: Kind | undefined): Draft =>
  kind === undefined || item.kind === 'program' || isGiven(item) || item.entry !== undefined ? item : { ...item, kind }
