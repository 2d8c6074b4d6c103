/** Everything by its name: places, things found by typing, and what can be done. Opened by Ctrl or Command and K. */
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import '@mantine/spotlight/styles.css'
import { createSpotlight, Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from '@mantine/spotlight'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { listAllTools, listConnections, listMembers, listToolsets } from '@toolway/contract/admin'
import { useEffect, useState } from 'react'
import { useMay, useMe, useMembership } from '../data/me.ts'
import { ORGANIZATION } from '../data/organization-path.ts'
import { ask } from '../data/queries.ts'
import { signOut } from '../data/session.ts'
import { texts } from '../texts/texts.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { useDestinations } from './destinations.ts'
import type { TypedAhead } from './typed-ahead.ts'
import { keepOrganization } from '../ui/keep-organization.ts'

/** Milliseconds after the last key. */
const PATIENCE_MS = 150
const MOST_FOUND = 5

const [store, palette] = createSpotlight()

/** Selects the first result, so that Enter also chooses a result that arrived after the last key. */
function chooseFirst(): void {
  const list = document.querySelector(`[id="${CSS.escape(store.getState().listId)}"]`)
  if (list === null || list.querySelector('[data-selected]') !== null) return
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
}

/** `asked`: how often it was asked for; each time it opens. */
export function Palette({ asked, ahead }: { asked: number; ahead: TypedAhead }) {
  const [query, setQuery] = useState('')
  // Asked again, it opens again, with what was typed since.
  useEffect(() => {
    if (asked === 0) return
    ahead.hear(setQuery)
    palette.open()
  }, [asked, ahead])
  const things = useThings(query)
  const found = things.flatMap(({ actions }) => actions.map(({ id }) => id)).join(' ')
  useEffect(chooseFirst, [found])
  const groups: SpotlightActionGroupData[] = [
    { group: texts.palette.places, actions: usePlaces() },
    { group: texts.palette.actions, actions: useActions() },
    ...things,
  ]
  return (
    <Spotlight
      store={store}
      actions={groups.filter(({ actions }) => actions.length > 0)}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      nothingFound={texts.palette.nothing}
      title={texts.palette.title}
      searchProps={{
        placeholder: texts.palette.hint,
        'aria-label': texts.palette.hint,
        leftSection: <Icon name="search" />,
        onFocus: ({ currentTarget: box }) => {
          ahead.stop()
          box.setSelectionRange(box.value.length, box.value.length)
        },
      }}
      scrollable
      maxHeight={420}
    />
  )
}

const entry = (
  id: string,
  label: string,
  icon: IconName,
  onClick: () => void,
  more: Partial<SpotlightActionData> = {},
): SpotlightActionData => ({ id, label, leftSection: <Icon name={icon} />, onClick, ...more })

function useGo(): (to: string, search?: Record<string, string>) => () => void {
  const navigate = useNavigate()
  return (to, search) => () =>
    void navigate({
      to,
      search: ((before: Record<string, unknown>) => ({ ...keepOrganization(before), ...search })) as never,
    })
}

function usePlaces(): SpotlightActionData[] {
  const go = useGo()
  const places = useDestinations().map(({ to, title, icon }) => entry(to, title, icon, go(to)))
  return [...places, entry('/me', texts.nav.me, 'user', go('/me'))]
}

function useActions(): SpotlightActionData[] {
  const go = useGo()
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const mayConnect = useMay('connector_create')
  const mayInvite = useMay('user_manage')
  const t = texts.palette
  const other = scheme === 'dark' ? 'light' : 'dark'
  return [
    ...(mayConnect ? [entry('do:connect', t.connect, 'plus', go('/connections/new'))] : []),
    entry('do:key', t.key, 'key', go('/keys')),
    ...(mayInvite ? [entry('do:invite', t.invite, 'plus', go('/people', { open: 'member' }))] : []),
    entry('do:docs', texts.person.documentation, 'help-circle', () => window.location.assign('/docs')),
    entry('do:scheme', other === 'dark' ? t.toDark : t.toLight, other === 'dark' ? 'moon' : 'sun', () =>
      setColorScheme(other),
    ),
    entry('do:sign-out', texts.person.signOut, 'logout', () => void signOut()),
  ]
}

/** The search results for the typed text; nothing is fetched before the user types. */
function useThings(typed: string): SpotlightActionGroupData[] {
  const go = useGo()
  const [search] = useDebouncedValue(typed.trim(), PATIENCE_MS)
  const { organizations } = useMe()
  const current = useMembership()
  const mayToolsets = useMay('tool_configure')
  const mayPeople = useMay('user_manage')
  const asks = current !== undefined && search !== ''
  const path = { organization: current?.slug ?? '' }
  const connections = useQuery({
    ...ask('connections', listConnections, { path, query: { search: search.slice(0, 100), limit: MOST_FOUND } }),
    placeholderData: keepPreviousData,
    enabled: asks,
  })
  const tools = useQuery({
    ...ask('tools', listAllTools, { path, query: { search: search.slice(0, 100), limit: MOST_FOUND } }),
    placeholderData: keepPreviousData,
    enabled: asks && mayToolsets,
  })
  const people = useQuery({
    ...ask('people', listMembers, { path, query: { search: search.slice(0, 100), limit: MOST_FOUND } }),
    placeholderData: keepPreviousData,
    enabled: asks && mayPeople,
  })
  const toolsets = useQuery({ ...ask('toolsets', listToolsets, { path }), enabled: asks && mayToolsets })
  if (typed.trim() === '') return []
  const others = organizations.filter(({ slug }) => slug !== current?.slug)
  return [
    {
      group: texts.nav.connections,
      actions: (connections.data?.items ?? []).map(({ alias, title }) =>
        entry(`connection:${alias}`, title, 'plug-connected', go(`/connections/${alias}`), {
          keywords: [alias, search],
        }),
      ),
    },
    {
      group: texts.nav.tools,
      actions: (tools.data?.items ?? []).map(({ joined_name: name }) =>
        // The server chose them, by their descriptions, too.
        entry(`tool:${name}`, name, 'tools', go('/tools', { tool: name }), { keywords: [search] }),
      ),
    },
    {
      group: texts.nav.toolsets,
      actions: (toolsets.data?.items ?? []).map(({ slug, title }) =>
        entry(`toolset:${slug}`, title, 'stack-2', go(`/toolsets/${slug}`), { keywords: [slug] }),
      ),
    },
    {
      group: texts.nav.people,
      actions: (people.data?.items ?? []).map(({ user_id: id, name, email }) =>
        entry(`person:${id}`, name === '' ? email : name, 'user', go('/people', { q: email }), {
          ...(name === '' || name === email ? {} : { description: email }),
          keywords: [email, search],
        }),
      ),
    },
    {
      group: texts.nav.organizations,
      actions: others.map(({ slug, name }) =>
        entry(`organization:${slug}`, name, 'building', go('/', { [ORGANIZATION]: slug }), { keywords: [slug] }),
      ),
    },
  ]
}
