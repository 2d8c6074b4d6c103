/** Where a person calls tools as a client would: one surface for everything that is connected, the company's and their own. */
import { Grid, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState, useSyncExternalStore } from 'react'
import { useMay, useOrganization } from '../../data/me.ts'
import { useUrlState } from '../../data/url-state.ts'
import type { Endpoint } from '../../parts/call/endpoint.ts'
import type { JsonObject } from '../../parts/call/mcp/wire.ts'
import { argumentErrorsOf, createRuns, type Run } from '../../parts/call/runs.ts'
import { toolsAt, useMcpClients, type Listing } from '../../parts/call/tools.ts'
import { PickMixed } from '../../parts/picker/picker.tsx'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Screen } from '../../ui/screen.tsx'
import { ActingAccount } from './accounts.tsx'
import { ClientChoice } from './client-choice.tsx'
import { readArguments, shareable } from './commands.ts'
import { Composer } from './composer.tsx'
import { placeOf, placeWord, useFixedPlaces } from './places.ts'
import { useSavedCalls, type SavedCall } from './saved-calls.ts'
import { SavedList } from './saved-list.tsx'
import { abilitiesOf, ableOf, PlaygroundState, withoutOf } from './state.ts'
import { ToolChoice } from './tool-choice.tsx'
import { Transcript } from './transcript.tsx'

/** Of this visit: it stays while one looks at another screen, and ends with the page. */
const runs = createRuns()

export function PlaygroundScreen() {
  const may = useMay('tool_call')
  const t = texts.playground
  return (
    <Screen title={texts.nav.playground} hint={t.hint}>
      {may ? <Playground /> : <Empty title={t.forbidden} hint={t.forbiddenHint} icon="lock" />}
    </Screen>
  )
}

function Playground() {
  const organization = useOrganization()
  const [state] = useUrlState(PlaygroundState)
  const { connection, toolset, era } = state
  const endpoint: Endpoint = { organization, connection, toolset }
  // The form stays in place when the user changes its endpoint.
  const query = useQuery({ ...toolsAt(endpoint, era), placeholderData: keepPreviousData })
  const all = useSyncExternalStore(runs.subscribe, runs.all)
  const shown = all.filter((run) => run.endpoint.organization === organization)
  return (
    <Loaded query={query} lines={8}>
      {(listing) => <Bench key={organization} listing={listing} endpoint={endpoint} state={state} shown={shown} />}
    </Loaded>
  )
}

interface BenchProps {
  readonly listing: Listing
  readonly endpoint: Endpoint
  readonly state: PlaygroundState
  readonly shown: readonly Run[]
}

function Bench({ listing, endpoint, state, shown }: BenchProps) {
  const { tools } = listing
  const [, set] = useUrlState(PlaygroundState)
  const t = texts.playground.saved
  const { era, connection } = state
  const abilities = abilitiesOf(state.without)
  const clientOf = useMcpClients()
  const [value, setValue] = useState<JsonObject>(() => readArguments(state.args))
  const [version, setVersion] = useState(0)
  const tool = tools.find(({ name }) => name === state.tool)
  const call =
    tool === undefined ? undefined : { endpoint, tool: tool.name, arguments: value, schema: tool.inputSchema }
  const { saved, save, remove, restore } = useSavedCalls()
  const last = shown.findLast((run) => run.tool === tool?.name)

  const start = () => {
    if (call === undefined) return
    set({ args: shareable(value, call.schema) })
    void runs.start({ client: clientOf(endpoint, era, abilities), ...call })
  }
  const again = (run: Run) => {
    setValue(run.arguments)
    setVersion(version + 1)
    set({ ...placeOf(placeWord(run.endpoint)), tool: run.tool, era: run.era, args: undefined })
  }
  const keep = () => {
    if (call === undefined) return
    const args = shareable(value, call.schema)
    save({ place: placeWord(endpoint), tool: call.tool, args, era })
    sayDone(args === undefined && Object.keys(value).length > 0 ? t.keptWithout : t.kept)
  }
  const use = ({ place, tool: name, args, era: as }: SavedCall) => {
    setValue(readArguments(args ?? '{}'))
    setVersion(version + 1)
    set({ ...placeOf(place), tool: name, era: as, args: undefined })
  }
  const forget = (savedCall: SavedCall) => {
    remove(savedCall)
    sayDone(t.removed, () => restore([...saved]))
  }
  // A stored result is read at the endpoint that it came from, and nowhere else.
  const read = ({ endpoint: from, era: as }: Run, uri: string) =>
    void runs.start({
      ...{ client: clientOf(from, as, abilities), endpoint: from },
      ...{ method: 'resources/read', tool: uri, arguments: {} },
    })
  const choose = (change: Parameters<typeof set>[0]) => {
    setValue({})
    set({ ...change, args: undefined })
  }
  if (tools.length === 0 && connection === undefined && state.toolset === undefined) return <NoTools />
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Composer
          version={`${placeWord(endpoint)} ${tool?.name} ${version}`}
          place={<PlaceChoice endpoint={endpoint} onChoose={(word) => choose({ ...placeOf(word), tool: undefined })} />}
          choice={<ToolChoice listing={listing} chosen={state.tool} onChoose={(name) => choose({ tool: name })} />}
          client={<Client />}
          tool={tool}
          call={call}
          errors={last === undefined || last.state === 'running' ? [] : argumentErrorsOf(last)}
          onChange={setValue}
          onRun={start}
          onSave={keep}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="md">
          <SavedList saved={saved} onUse={use} onRemove={forget} />
          <Transcript runs={runs} shown={shown} onAgain={again} onRead={read} />
        </Stack>
      </Grid.Col>
    </Grid>
  )
}

function Client() {
  const [{ era, without }, set] = useUrlState(PlaygroundState)
  return (
    <ClientChoice
      era={era}
      able={ableOf(abilitiesOf(without))}
      onChange={({ era: next, able }) =>
        set({
          ...(next === undefined ? {} : { era: next }),
          ...(able === undefined ? {} : { without: withoutOf(able) }),
        })
      }
    />
  )
}

function NoTools() {
  const t = texts.playground
  return (
    <Empty title={t.empty} hint={t.emptyHint} icon="plug-connected">
      <LinkButton to="/connections/new">{t.connect}</LinkButton>
    </Empty>
  )
}

function PlaceChoice({ endpoint, onChoose }: { endpoint: Endpoint; onChoose: (word: string) => void }) {
  const fixed = useFixedPlaces()
  const t = texts.playground
  return (
    <Stack gap={6}>
      <PickMixed
        label={t.place}
        value={placeWord(endpoint)}
        labelOf={(word) => word.replace(/^\w+:/, '')}
        fixed={fixed}
        sources={[
          {
            kind: 'connections',
            group: t.connections,
            wordOf: (alias) => placeWord({ connection: alias, toolset: undefined }),
          },
        ]}
        onChange={onChoose}
      />
      {endpoint.connection === undefined ? null : <ActingAccount connection={endpoint.connection} />}
    </Stack>
  )
}
