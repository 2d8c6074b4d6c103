/** A rule as a form, with what it will do beside it; it is tried before it is kept, and kept as one that watches first. */
import { Alert, Button, Grid, Group, List, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { KeptDraft } from '../../data/kept-draft.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { ActionChoice, ActionFields } from './action-fields.tsx'
import { nameFor, type Draft } from './draft.ts'
import { problemAt, type EditProps } from './problems.ts'
import { ConditionField, MatchFields } from './match-fields.tsx'
import { PlaceFields } from './place-fields.tsx'
import { Summary } from './summary.tsx'
import { Trial } from './trial.tsx'
import { useCheck } from './use-check.ts'

export interface Verb {
  readonly label: string
  readonly hint?: string
  readonly run: (draft: Draft) => void
}

export interface EditorProps {
  readonly drafting: KeptDraft<Draft>
  /** Its name in force; undefined for one that is new. */
  readonly kept: string | undefined
  readonly busy: boolean
  /** The actions offered for the rule; the first is the recommended one. */
  readonly verbs: readonly Verb[]
}

export function Editor({ drafting, kept, busy, verbs }: EditorProps) {
  const { draft, set: setDraft, isRestored, isChanged, discard } = drafting
  const [tried, setTried] = useState(false)
  const { problems, checkNow, isReadable, tools, error } = useCheck(draft, tried)
  const props: EditProps = { draft, onChange: setDraft, problems }
  const t = texts.rules.edit
  // Asked about the rule as it stands, whatever was typed last.
  const finish = useMutation({
    mutationFn: async (verb: Verb) => ((await checkNow()) ? verb : undefined),
    onSuccess: (verb) => verb?.run({ ...draft, name: draft.name || nameFor(draft) }),
    onError: sayProblem,
  })
  const save = (verb: Verb) => {
    setTried(true)
    finish.mutate(verb)
  }
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack gap="lg">
          {isRestored && isChanged ? <Restored onDiscard={discard} /> : null}
          <Part title={t.speaksOf}>
            <MatchFields {...props} />
          </Part>
          <Part title={t.follows}>
            <ActionChoice {...props} />
            <ActionFields key={draft.action} {...props} />
          </Part>
          <Part title={t.where}>
            <PlaceFields {...props} fixed={kept !== undefined} />
          </Part>
          <Part title={t.onlyIf}>
            <ConditionField {...props} />
          </Part>
          <Part title={t.called}>
            <Called {...props} />
          </Part>
          <Trial draft={draft} before={kept} isReadable={isReadable} tool={tools?.named[0]?.name} />
          {tried && problems.length > 0 ? <Unfinished problems={problems} /> : null}
          <Group gap="sm">
            {verbs.map((verb, at) => (
              <Button
                key={verb.label}
                variant={at === 0 ? 'filled' : 'default'}
                loading={busy || (finish.isPending && finish.variables.label === verb.label)}
                onClick={() => save(verb)}
              >
                {verb.label}
              </Button>
            ))}
          </Group>
          <Text size="sm" c="dimmed">
            {verbs[0]?.hint}
          </Text>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }} order={{ base: -1, md: 0 }}>
        <div style={{ position: 'sticky', top: 72 }}>
          <Summary draft={draft} tools={tools} error={error} />
        </div>
      </Grid.Col>
    </Grid>
  )
}

function Restored({ onDiscard }: { onDiscard: () => void }) {
  return (
    <Alert color="blue" icon={<Icon name="info-circle" />}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">{texts.rules.edit.restored}</Text>
        <Button size="xs" variant="default" onClick={onDiscard}>
          {texts.rules.edit.discard}
        </Button>
      </Group>
    </Alert>
  )
}

function Called({ draft, onChange, problems }: EditProps) {
  const t = texts.rules.edit
  return (
    <Stack gap="md">
      <TextInput
        label={t.reason}
        description={t.reasonHint}
        maxLength={500}
        value={draft.reason}
        onChange={(event) => onChange({ ...draft, reason: event.currentTarget.value })}
        error={problemAt(problems, '/reason')}
      />
      <TextInput
        label={t.name}
        description={t.nameHint}
        placeholder={nameFor(draft)}
        maxLength={64}
        value={draft.name}
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        error={problemAt(problems, '/name')}
      />
    </Stack>
  )
}

function Unfinished({ problems }: Pick<EditProps, 'problems'>) {
  const t = texts.rules.edit
  return (
    <Alert color="red" icon={<Icon name="alert-triangle" />} title={t.unfinished} role="alert">
      <List size="sm">
        {problems.map(({ place, problem }) => (
          <List.Item key={`${place} ${problem}`} className="breakable">
            {t.at({
              place: place
                .replace(/^\/(?:match|parameters)\//, '')
                .replace(/^\//, '')
                .replaceAll('/', ' '),
            })}
            : {problem}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <Title order={2}>{title}</Title>
        {children}
      </Stack>
    </Paper>
  )
}
