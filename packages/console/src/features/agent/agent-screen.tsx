/** The agent console: a person writes a wish, and a model of the organization's choice carries it out with the person's tools. */
import { Button, Group, Kbd, Paper, Stack, Text, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { getAgentModel, type AgentModel } from '@toolway/contract/admin'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Screen } from '../../ui/screen.tsx'
import { Conversation } from './conversation.ts'
import { ModelDialog } from './model-form.tsx'
import { TurnCard } from './turn-card.tsx'

const t = texts.agent
/** Of this visit: it stays while one looks at another screen, and ends with the page. */
const conversation = new Conversation()

export function AgentScreen() {
  const may = useMay('tool_call')
  const administers = useMay('connector_update')
  const organization = useOrganization()
  const query = useQuery({ ...ask('settings', getAgentModel, { path: { organization } }), enabled: may })
  const [opened, { open, close }] = useDisclosure(false)
  const model = query.data?.model ?? null
  const action =
    administers && model !== null ? (
      <Button variant="default" leftSection={<Icon name="settings" />} onClick={open}>
        {t.model.change}
      </Button>
    ) : undefined
  return (
    <Screen title={texts.nav.agent} hint={t.hint} action={action}>
      {may ? (
        <Loaded query={query} lines={6}>
          {() =>
            model === null ? (
              <Empty title={t.unset} hint={administers ? t.unsetHint : t.unsetAsk} icon="wand">
                {administers ? <Button onClick={open}>{t.model.set}</Button> : null}
              </Empty>
            ) : (
              <Bench key={organization} organization={organization} model={model} />
            )
          }
        </Loaded>
      ) : (
        <Empty title={texts.playground.forbidden} hint={texts.playground.forbiddenHint} icon="lock" />
      )}
      <ModelDialog opened={opened} model={model} onClose={close} />
    </Screen>
  )
}

function Bench({ organization, model }: { organization: string; model: AgentModel }) {
  const all = useSyncExternalStore(conversation.subscribe, conversation.turns)
  const turns = all.filter((turn) => turn.organization === organization)
  const [wish, setWish] = useState('')
  const running = turns.some(({ state }) => state === 'running')
  const bottom = useBottom(turns.reduce((sum, { steps }) => sum + steps.length + 1, 0))
  const start = (text: string) => {
    if (running || text.trim() === '') return
    setWish('')
    void conversation.wish(organization, text.trim())
  }
  return (
    <Stack gap="md">
      {turns.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t.nothing({ model: model.model })}
        </Text>
      ) : (
        <Stack gap="md" component="section" aria-label={t.transcript}>
          {turns.map((turn) => (
            <TurnCard key={turn.id} turn={turn} onContinue={() => start(t.goOn)} />
          ))}
        </Stack>
      )}
      <Paper withBorder p="md">
        <Stack gap="sm">
          <Textarea
            label={t.wish}
            placeholder={t.example}
            value={wish}
            onChange={(event) => setWish(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) start(wish)
            }}
            autosize
            minRows={2}
            maxRows={10}
          />
          <Group gap="xs">
            <Button
              leftSection={<Icon name="send" size={16} />}
              disabled={running || wish.trim() === ''}
              onClick={() => start(wish)}
            >
              {t.send}
            </Button>
            {running ? (
              <Button variant="default" onClick={() => conversation.stop()}>
                {t.stop}
              </Button>
            ) : (
              <Kbd size="xs">{texts.playground.keys}</Kbd>
            )}
            {turns.length === 0 || running ? null : (
              <Button variant="subtle" onClick={() => conversation.clear()}>
                {t.clear}
              </Button>
            )}
          </Group>
        </Stack>
      </Paper>
      <div ref={bottom} />
    </Stack>
  )
}

/** Scrolls to the newest step when there is one more. */
function useBottom(steps: number) {
  const bottom = useRef<HTMLDivElement>(null)
  const before = useRef(steps)
  useEffect(() => {
    if (steps > before.current) bottom.current?.scrollIntoView({ block: 'nearest' })
    before.current = steps
  }, [steps])
  return bottom
}
