/** Connect a client: which one, to which tools, signed in how; then its steps, and a check that turns as it comes in. */
import { Box, Grid, Stack } from '@mantine/core'
import { listClientsSeen, type SeenClient } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { useMe, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import type { Made } from '../../parts/make-key/make-key.tsx'
import { texts } from '../../texts/texts.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Screen } from '../../ui/screen.tsx'
import { ChooseClient } from './choose-client.tsx'
import { ChoosePlace } from './choose-place.tsx'
import { ChooseWay } from './choose-way.tsx'
import { FarAway } from './far-away.tsx'
import { LiveCheck } from './live-check.tsx'
import { isNear, nameOf, pathOf, type McpEndpoint } from './place.ts'
import { CLIENT_IDS, presetOf, type Preset } from './presets.ts'
import type { Setup } from './snippets.ts'
import { Steps } from './steps.tsx'

const State = z.object({
  client: z.enum(CLIENT_IDS).default('claude-code'),
  toolset: z.string().default(''),
  connection: z.string().default(''),
  way: z.enum(['oauth', 'key', '']).default(''),
})

export function ClientsScreen() {
  const organization = useOrganization()
  const seen = useQuery(ask('clients', listClientsSeen, { path: { organization } }))
  return (
    <Screen title={texts.nav.clients} hint={texts.clients.hint}>
      <Loaded query={seen} lines={8}>
        {({ items, address, bridge }) => <Connecting seen={items} address={address} bridge={bridge} />}
      </Loaded>
    </Screen>
  )
}

interface ConnectingProps {
  readonly seen: readonly SeenClient[]
  readonly address: string
  readonly bridge: Setup['bridge']
}

function Connecting({ seen, address, bridge }: ConnectingProps) {
  const { organizations } = useMe()
  const organization = useOrganization()
  const [state, set] = useUrlState(State)
  const [made, setMade] = useState<Made>()
  const preset = presetOf(state.client)
  const place = placeOf(state)
  // A key of one toolset is none for other places.
  const key = made !== undefined && reaches(made, place) ? made : undefined
  const way = wayOf(preset, state.way)
  const setup = {
    name: nameOf(organization, place),
    url: address + pathOf(organization, place, organizations.length === 1),
    key: way === 'key' ? (key?.key ?? texts.clients.keyHere) : undefined,
    bridge,
  }
  return (
    <Stack gap="lg">
      <ChooseClient chosen={preset.id} onChoose={(client) => set({ client, way: undefined })} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="lg">
            {preset.cloud === true && isNear(address) ? <FarAway client={texts.clients.names[preset.id]} /> : null}
            <ChoosePlace place={place} onChoose={(next) => set(addressed(next))} />
            <ChooseWay
              preset={preset}
              way={way}
              toolset={place.kind === 'toolset' ? place.toolset : undefined}
              made={key}
              onWay={(next) => set({ way: next })}
              onMade={setMade}
            />
            <Steps preset={preset} setup={setup} ready={way === 'oauth' || key !== undefined} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Box pos={{ base: 'static', lg: 'sticky' }} top={72}>
            <LiveCheck
              key={preset.id}
              preset={preset}
              rows={seen}
              keyId={way === 'key' ? key?.id : undefined}
              url={setup.url}
            />
          </Box>
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

function placeOf({ toolset, connection }: z.output<typeof State>): McpEndpoint {
  if (connection !== '') return { kind: 'connection', connection }
  return toolset === '' ? { kind: 'all' } : { kind: 'toolset', toolset }
}

const reaches = ({ toolset }: Made, place: McpEndpoint): boolean =>
  toolset === null || (place.kind === 'toolset' && place.toolset === toolset)

const addressed = (place: McpEndpoint) => ({
  toolset: place.kind === 'toolset' ? place.toolset : undefined,
  connection: place.kind === 'connection' ? place.connection : undefined,
})

const wayOf = ({ ways }: Preset, wished: string) => ways.find((way) => way === wished) ?? ways[0]
