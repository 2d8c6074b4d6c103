/** Calls one tool of a connection where one happens to be, such as in the middle of connecting it: form, run, progress, result. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { visibleText } from '@toolway/contract'
import { useOrganization } from '../../data/me.ts'
import { texts } from '../../texts/texts.ts'
import { EffectBadge } from '../../ui/effect-badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { ArgumentsForm } from './form/arguments-form.tsx'
import { missingArguments } from './form/missing-arguments.ts'
import type { JsonObject } from './mcp/wire.ts'
import { RunCard } from './run-card.tsx'
import { argumentErrorsOf, createRuns, type Run } from './runs.ts'
import { toolsAt, useMcpClients, type ListedTool } from './tools.ts'

export interface CallToolProps {
  readonly tool: {
    /** The alias of its connection. */
    readonly connection: string
    /** As the connection names it. */
    readonly name: string
  }
  /** Told of each call that came back with a result of the tool's. */
  readonly onDone?: (run: Run) => void
}

export function CallTool({ tool: { connection, name }, onDone }: CallToolProps) {
  const organization = useOrganization()
  const query = useQuery(toolsAt({ organization, connection }, 'modern'))
  return (
    <Loaded query={query}>
      {({ tools, rest }) => {
        const tool = tools.find((item) => item.name === name)
        if (tool === undefined && rest === 'coming') return null
        if (tool === undefined) return <Text size="sm">{texts.call.unknown({ tool: name })}</Text>
        return <Caller key={`${connection} ${name}`} connection={connection} tool={tool} onDone={onDone} />
      }}
    </Loaded>
  )
}

interface CallerProps {
  readonly connection: string
  readonly tool: ListedTool
  readonly onDone: CallToolProps['onDone'] | undefined
}

function Caller({ connection, tool, onDone }: CallerProps) {
  const organization = useOrganization()
  const endpoint = { organization, connection }
  const clientOf = useMcpClients()
  const [runs] = useState(createRuns)
  const [run] = useSyncExternalStore(runs.subscribe, runs.all).slice(-1)
  const [value, setValue] = useState<JsonObject>({})
  const [valid, setValid] = useState(true)
  const isRunning = run?.state === 'running'
  const [tried, setTried] = useState(false)
  const missing = missingArguments(tool.inputSchema, value)
  const start = async () => {
    setTried(true)
    if (isRunning || !valid || missing.length > 0) return
    const call = { tool: tool.name, schema: tool.inputSchema, arguments: value }
    const ended = await runs.start({ client: clientOf(endpoint, 'modern'), endpoint, ...call })
    if (ended.state === 'done') onDone?.(ended)
  }
  return (
    <Stack gap="md">
      <Group gap="xs">
        <Text fw={600}>{visibleText(tool.title ?? tool.name)}</Text>
        <EffectBadge effect={tool.effect} from={tool.effectFrom} />
      </Group>
      {tool.description === undefined ? null : (
        <Text size="sm" c="dimmed" className="breakable" lineClamp={4}>
          {visibleText(tool.description)}
        </Text>
      )}
      <ArgumentsForm
        schema={tool.inputSchema}
        value={value}
        errors={tried && missing.length > 0 ? missing : run === undefined || isRunning ? [] : argumentErrorsOf(run)}
        onChange={setValue}
        onSubmit={() => void start()}
        onValid={setValid}
      />
      <Group>
        <Button
          leftSection={<Icon name="player-play" size={16} />}
          loading={isRunning && run.question === undefined}
          disabled={!valid || isRunning}
          onClick={() => void start()}
        >
          {texts.call.start}
        </Button>
      </Group>
      {run === undefined ? null : (
        <RunCard run={run} onCancel={() => runs.cancel(run.id)} onAnswer={(answer) => runs.answer(run.id, answer)} />
      )}
    </Stack>
  )
}
