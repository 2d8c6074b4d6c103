/** The call that is being made up: where, which tool, with which arguments, as which client. */
import { Button, Group, Kbd, Paper, Stack, Text, Title } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { visibleText } from '@toolway/contract'
import { ArgumentsForm } from '../../parts/call/form/arguments-form.tsx'
import type { JsonObject } from '../../parts/call/mcp/wire.ts'
import type { ArgumentError } from '../../parts/call/runs.ts'
import type { ListedTool } from '../../parts/call/tools.ts'
import { texts } from '../../texts/texts.ts'
import { missingArguments } from '../../parts/call/form/missing-arguments.ts'
import { EffectBadge } from '../../ui/effect-badge.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TextLink } from '../../ui/links.tsx'
import { commandOf, curlOf, type Call } from './commands.ts'

export interface ComposerProps {
  readonly place: ReactNode
  readonly client: ReactNode
  readonly choice: ReactNode
  /** Undefined until one is chosen. */
  readonly tool: ListedTool | undefined
  readonly call: Call | undefined
  /** Another one: the form begins anew. */
  readonly version: string
  readonly errors: readonly ArgumentError[]
  readonly onChange: (value: JsonObject) => void
  readonly onRun: () => void
  readonly onSave: () => void
}

export function Composer({
  place,
  client,
  choice,
  tool,
  call,
  version,
  errors,
  onChange,
  onRun,
  onSave,
}: ComposerProps) {
  const [valid, setValid] = useState(true)
  const t = texts.playground
  /** What lacked arguments when it was to be run; another tool has not been tried. */
  const [tried, setTried] = useState<string>()
  const missing = call === undefined ? [] : missingArguments(call.schema ?? {}, call.arguments)
  const run = () => {
    setTried(call?.tool)
    if (valid && missing.length === 0) onRun()
  }
  return (
    <Paper
      withBorder
      p="md"
      component="section"
      aria-label={t.compose}
      // Beside a long transcript it stays in sight.
      pos={{ base: 'static', md: 'sticky' }}
      top={72}
      mah={{ base: 'none', md: 'calc(100dvh - 88px)' }}
      style={{ overflow: 'auto' }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        run()
      }}
    >
      <Stack gap="md">
        <Title order={2}>{t.compose}</Title>
        {place}
        {choice}
        {tool === undefined || call === undefined ? null : (
          <>
            <About tool={tool} />
            <ArgumentsForm
              key={version}
              schema={tool.inputSchema}
              value={call.arguments}
              errors={tried === call.tool && missing.length > 0 ? missing : errors}
              onChange={onChange}
              onSubmit={run}
              onValid={setValid}
            />
          </>
        )}
        {client}
        <Group gap="xs">
          <Button
            leftSection={<Icon name="player-play" size={16} />}
            disabled={call === undefined || !valid}
            onClick={run}
          >
            {t.run}
          </Button>
          <Kbd size="xs">{t.keys}</Kbd>
          {call === undefined ? null : (
            <Button variant="subtle" size="xs" ml="auto" onClick={onSave}>
              {t.saved.save}
            </Button>
          )}
        </Group>
        {call === undefined ? null : <Copies call={call} />}
      </Stack>
    </Paper>
  )
}

function About({ tool }: { tool: ListedTool }) {
  return (
    <Stack gap={6} align="flex-start">
      <EffectBadge effect={tool.effect} from={tool.effectFrom} />
      {tool.description === undefined ? null : (
        <Text size="sm" c="dimmed" className="breakable" lineClamp={6}>
          {visibleText(tool.description)}
        </Text>
      )}
    </Stack>
  )
}

function Copies({ call }: { call: Call }) {
  const t = texts.playground
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <CopyButton label={t.copyCurl} value={() => curlOf(call, window.location.origin)} />
        <CopyButton label={t.copyCommand} value={() => commandOf(call, window.location.origin)} />
      </Group>
      <Text size="sm" c="dimmed">
        {t.needsKey}{' '}
        <TextLink to="/keys" inText>
          {t.toKeys}
        </TextLink>
      </Text>
    </Stack>
  )
}
