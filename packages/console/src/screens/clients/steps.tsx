/** The steps of one client, numbered, each with what is to be copied or pressed for it. */
import { Alert, Anchor, Box, Button, Group, List, Text } from '@mantine/core'
import { texts } from '../../texts/texts.ts'
import { CodeBlock, CopyButton } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Part } from './part.tsx'
import { calledOf, type Preset, type Step } from './presets.ts'
import type { Setup, Snippet } from './snippets.ts'

interface StepsProps {
  readonly preset: Preset
  readonly setup: Setup
  /** Whether what is to be copied is whole: there is a key, or none is needed. */
  readonly ready: boolean
}

export function Steps({ preset, setup, ready }: StepsProps) {
  const t = texts.clients
  const name = calledOf(preset, t)
  return (
    <Part title={t.steps.title({ client: name })}>
      {ready ? null : (
        <Alert color="blue" icon={<Icon name="key" />}>
          {t.steps.keyFirst({ placeholder: t.keyHere })}
        </Alert>
      )}
      <List
        size="sm"
        type="ordered"
        spacing="md"
        styles={{ itemWrapper: { display: 'block' }, itemLabel: { display: 'block' } }}
      >
        {preset.steps(setup).map((step, at) => (
          <List.Item key={`${at} ${step.say}`}>
            <OneStep step={step} at={at + 1} name={name} ready={ready} />
          </List.Item>
        ))}
      </List>
      <Text size="sm" c="dimmed">
        {t.steps.named({ name: setup.name })}{' '}
        <Anchor href={preset.source} target="_blank" rel="noreferrer" size="sm" underline="always">
          {preset.id === 'generic' ? t.steps.sourceUnnamed : t.steps.source({ client: name })}
        </Anchor>
      </Text>
    </Part>
  )
}

interface OneStepProps {
  readonly step: Step
  readonly at: number
  readonly name: string
  readonly ready: boolean
}

function OneStep({ step: { say, snippet }, at, name, ready }: OneStepProps) {
  const t = texts.clients.steps
  return (
    <Box>
      <Text size="sm">{t.say[say]}</Text>
      {snippet === undefined || (snippet.kind === 'link' && !ready) ? null : snippet.kind === 'link' ? (
        <Button
          component="a"
          href={snippet.text}
          mt={6}
          size="xs"
          variant="light"
          leftSection={<Icon name="external-link" size={14} />}
        >
          {t.openIn({ client: name })}
        </Button>
      ) : (
        <Copied snippet={snippet} at={at} />
      )}
    </Box>
  )
}

function Copied({ snippet: { text, file, kind }, at }: { snippet: Snippet; at: number }) {
  const t = texts.clients.steps
  const label = file ?? t.kinds[kind]
  return (
    <Box mt={6}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm" c="dimmed" className="breakable">
          {label}
        </Text>
        <CopyButton value={text} label={t.copy({ kind: t.kinds[kind], step: at })} />
      </Group>
      <CodeBlock label={t.block({ step: at, label })}>{text}</CodeBlock>
    </Box>
  )
}
