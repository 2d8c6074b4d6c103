/** The authentication step of a native connector: what its tools do, how far its account reaches, and the OAuth app that it needs. */
import { Accordion, Alert, Button, Code, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { EFFECTS, LIMITS, type Effect } from '@toolway/contract'
import { getNativeConnector, listProviders, type NativeConnector } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import { ask } from '../../../data/queries.ts'
import { OAuthAppForm } from '../../../parts/account/oauth-app-form.tsx'
import { OutsideLink } from '../../../parts/call/outside-link.tsx'
import { texts } from '../../../texts/texts.ts'
import { withBreaks } from '../../../ui/breaks.tsx'
import { EffectBadge } from '../../../ui/effect-badge.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import type { AuthFieldsProps } from './auth-fields.ts'
import { problemOfAddress, wayOf, WAYS } from './draft.ts'
import { Effects } from './effects.tsx'
import { WayIn } from './way-in.tsx'

const t = texts.connect.native

type Connector = z.output<typeof NativeConnector>

export function NativeFields(props: AuthFieldsProps) {
  const { draft, entry, onChange } = props
  const connector = useQuery(ask('catalog', getNativeConnector, { path: { vendor: draft.vendor } }))
  const problem = problemOfAddress(draft.url)
  const way = wayOf(draft)
  return (
    <>
      <Loaded query={connector}>{(item) => <Tools connector={item} />}</Loaded>
      {entry?.documentation == null ? null : (
        <Text size="sm">
          <OutsideLink to={entry.documentation}>{t.reference({ title: entry.title })}</OutsideLink>
        </Text>
      )}
      <WayIn {...props} ways={entry?.auth ?? WAYS.native.ways} chosen={way} />
      {way === 'oauth' && connector.data !== undefined ? (
        <>
          <App
            provider={connector.data.provider}
            title={connector.data.title}
            server={isElsewhere(draft.url, entry?.url) ? draft.url : undefined}
          />
          {connector.data.scopes.execute.length === 0 ? null : <Reach {...props} connector={connector.data} />}
        </>
      ) : null}
      {draft.url === entry?.url ? null : (
        <Text size="sm" c="dimmed">
          {t.otherAddress}
        </Text>
      )}
      <TextInput
        label={texts.connect.auth.address}
        description={t.address}
        type="url"
        value={draft.url}
        error={problem === undefined ? undefined : texts.connect.auth.problems[problem]}
        onChange={({ currentTarget }) => onChange({ url: currentTarget.value })}
      />
    </>
  )
}

function Tools({ connector: { tools } }: { connector: Connector }) {
  const counts = Object.fromEntries(
    EFFECTS.map((effect) => [effect, tools.filter((tool) => tool.effect === effect).length]),
  ) as Record<Effect, number>
  return (
    <Stack gap="xs">
      <Effects counts={counts} />
      <Accordion variant="contained">
        <Accordion.Item value="tools">
          <Accordion.Control>
            <Text size="sm">{t.tools}</Text>
          </Accordion.Control>
          <Accordion.Panel mah={360} style={{ overflowY: 'auto' }} tabIndex={0}>
            <Stack gap="sm">
              {tools.map(({ name, description, effect, unsupported }) => (
                <div key={name}>
                  <Group gap="xs">
                    <Code className="breakable">{withBreaks(name)}</Code>
                    <EffectBadge effect={effect} />
                  </Group>
                  <Text size="sm" c="dimmed">
                    {unsupported === null ? description : t.removed({ why: unsupported })}
                  </Text>
                </div>
              ))}
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  )
}

/** The scopes for which the account is asked at first: fewer for tools that only read. */
function Reach({ draft, onChange, connector }: AuthFieldsProps & { connector: Connector }) {
  const scopes = connector.scopes[draft.scopesFor]
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600} id="reach">
        {t.reach}
      </Text>
      <SegmentedControl
        aria-labelledby="reach"
        value={draft.scopesFor}
        onChange={(scopesFor) => onChange({ scopesFor })}
        data={LIMITS.map((value) => ({ value, label: t.reaches[value] }))}
        style={{ alignSelf: 'flex-start' }}
      />
      <Text size="xs" c="dimmed">
        {t.reachHint}
      </Text>
      {scopes.length === 0 ? null : (
        <Group gap={6} aria-label={t.scopes} role="list">
          {scopes.map((scope) => (
            <Code key={scope} role="listitem" className="breakable">
              {scope}
            </Code>
          ))}
        </Group>
      )}
    </Stack>
  )
}

/** Whether an address is one of another host; what is no address yet is not. */
function isElsewhere(url: string, usual: string | null | undefined): boolean {
  const host = URL.parse(url)?.host
  return host !== undefined && host !== URL.parse(usual ?? '')?.host
}

/** Whether nobody can sign in yet at the vendor's own service, as no OAuth app is set up for it. */
export function useLacksApp({ draft, entry }: Pick<AuthFieldsProps, 'draft' | 'entry'>): boolean {
  const isAsked = draft.kind === 'native' && wayOf(draft) === 'oauth' && !isElsewhere(draft.url, entry?.url)
  const connector = useQuery({
    ...ask('catalog', getNativeConnector, { path: { vendor: draft.vendor } }),
    enabled: isAsked,
  })
  const providers = useQuery({ ...ask('oauth', listProviders), enabled: isAsked })
  const found = providers.data?.items.find(({ id }) => id === connector.data?.provider)
  return isAsked && found?.configured === false
}

interface AppProps {
  readonly provider: string | null
  readonly title: string
  /** The server in place of the vendor's own service. */
  readonly server: string | undefined
}

/** Signing in needs an OAuth app that somebody registered with the vendor, or with the server that runs the vendor's product. */
function App({ provider, title, server }: AppProps) {
  const [open, setOpen] = useState(false)
  const providers = useQuery(ask('oauth', listProviders))
  const vendors = providers.data?.items ?? []
  const found = vendors.find(({ id }) => id === provider)
  if (found === undefined || (server === undefined && found.configured !== false)) return null
  return (
    <Alert
      color="orange"
      icon={<Icon name="key" />}
      title={server === undefined ? t.noApp({ title }) : t.serverApp({ title })}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{server === undefined ? t.noAppHint : t.serverAppHint}</Text>
        <Button size="xs" onClick={() => setOpen(true)}>
          {t.setApp}
        </Button>
      </Stack>
      <OAuthAppForm
        open={open ? found.id : undefined}
        apps={[]}
        {...{ vendors, server }}
        onClose={() => setOpen(false)}
      />
    </Alert>
  )
}
