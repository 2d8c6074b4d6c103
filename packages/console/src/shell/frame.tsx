/** The frame of every screen: the menu, the organization, the palette, and the signed-in user. */
import {
  ActionIcon,
  Alert,
  AppShell,
  Badge,
  Box,
  Burger,
  Button,
  Group,
  NavLink,
  Skeleton,
  Stack,
  Text,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouterState, type ErrorComponentProps } from '@tanstack/react-router'
import { followOrganizationEvents } from '@toolway/contract/admin'
import { lazy, Suspense, useState, type ReactNode } from 'react'
import { loadSurely } from '../data/load-surely.ts'
import { addressOf } from '../data/call.ts'
import { useLive, type LiveState } from '../data/live.ts'
import { me, useKeepOrganization, useMay, useMe, useMembership } from '../data/me.ts'
import { Problem } from '../data/problem.ts'
import { downConnections, waitingApprovals } from '../data/waiting.ts'
import { texts } from '../texts/texts.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { Icon } from '../ui/icon.tsx'
import { LinkButton } from '../ui/links.tsx'
import { Screen } from '../ui/screen.tsx'
import { useKeepFocus } from './keep-focus.ts'
import { NAVIGATION, type Destination } from './navigation.ts'
import { OrganizationChoice } from './organization-choice.tsx'
import { Person } from './person.tsx'
import { ProofQuestion } from './proof-question.tsx'
import { ShortcutListener } from './shortcut-listener.tsx'
import { createTypedAhead } from './typed-ahead.ts'
import { keepOrganization } from '../ui/keep-organization.ts'

const Palette = lazy(() =>
  loadSurely(() => import('./palette.tsx')).then(({ Palette: loaded }) => ({ default: loaded })),
)

export function Frame() {
  const account = useQuery(me)
  if (account.data !== undefined) return <Signed />
  if (account.error !== null && !account.isFetching)
    return (
      <Stack p="xl" maw={640} mx="auto">
        <Failed failure={Problem.of(account.error)} onRetry={() => void account.refetch()} />
      </Stack>
    )
  return (
    <Stack p="xl" aria-busy="true">
      <Skeleton height={32} width={220} />
      <Skeleton height={18} />
      <Skeleton height={18} />
    </Stack>
  )
}

function Signed() {
  const [opened, menu] = useDisclosure()
  const organization = useMembership()?.slug
  useKeepOrganization()
  useKeepFocus()
  const live = useLive(
    organization === undefined ? undefined : addressOf(followOrganizationEvents.path, { organization }),
  )
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 216, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className="skip" href="#main">
        {texts.skip}
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
            <Burger opened={opened} onClick={menu.toggle} hiddenFrom="md" size="sm" aria-label={texts.menu} />
            <Text
              component={Link}
              to="/"
              search={keepOrganization as never}
              fw={700}
              c="inherit"
              td="none"
              className="brand"
            >
              <img src="/assets/mark.svg" alt="" width={28} height={28} />
              <Text component="span" inherit visibleFrom="sm">
                Toolway
              </Text>
              <VisuallyHidden hiddenFrom="sm">Toolway</VisuallyHidden>
            </Text>
            <OrganizationChoice />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <LiveWord state={live} />
            <Search />
            <Person />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={texts.menu}>
        <Box onClick={menu.close} style={{ overflowY: 'auto' }}>
          {NAVIGATION.map((group) => (
            <Menu key={group.title ?? ''} {...group} />
          ))}
        </Box>
      </AppShell.Navbar>
      <AppShell.Main id="main">
        {live === 'away' ? <Away /> : null}
        {/* Screens begin anew for another organization: nothing of the one before stays on them. */}
        {organization === undefined ? <Homeless /> : <Outlet key={organization} />}
      </AppShell.Main>
    </AppShell>
  )
}

/** The gateway does not answer at all: what is seen stays, and comes alive again by itself. */
const Away = () => (
  <Alert color="orange" icon={<Icon name="alert-triangle" />} title={texts.live.away} role="status" mb="md">
    {texts.live.awayHint}
  </Alert>
)

/** Only said when it is not so: what is seen is then as old as the last look. */
function LiveWord({ state }: { state: LiveState }) {
  return (
    <Text size="sm" c="dimmed" role="status" truncate>
      {state === 'broken' || state === 'away' ? (
        <Group component="span" gap={6} wrap="nowrap" title={texts.live.why}>
          <Icon name="refresh" size={16} label={texts.live.broken} />
          <Text component="span" inherit visibleFrom="md" aria-hidden>
            {texts.live.broken}
          </Text>
        </Group>
      ) : null}
    </Text>
  )
}

/** The palette is loaded when it is first asked for. */
function Search() {
  const [times, setTimes] = useState(0)
  const [ahead] = useState(createTypedAhead)
  const open = () => {
    ahead.start()
    setTimes((before) => before + 1)
  }
  return (
    <>
      <ActionIcon variant="default" size={36} aria-label={texts.palette.open} onClick={open}>
        <Icon name="search" />
      </ActionIcon>
      {times === 0 ? null : (
        <Suspense fallback={null}>
          <Palette asked={times} ahead={ahead} />
        </Suspense>
      )}
      <ProofQuestion />
      <ShortcutListener onSearch={open} />
    </>
  )
}

function Menu({ title, items }: { title: string | undefined; items: readonly Destination[] }) {
  const shown = items.map((item) => <Entry key={item.to} {...item} />)
  return (
    <Stack gap={1} mb="sm" role="group" aria-label={title ?? texts.nav.home}>
      {title === undefined ? null : (
        <Text size="xs" c="dimmed" fw={600} px="sm" mb={2} aria-hidden>
          {title}
        </Text>
      )}
      {shown}
    </Stack>
  )
}

/** Where authorization servers lead back to; these addresses show the connections. */
const WAYS_BACK = /^\/(settings\/integrations|oauth\/success)$/

function Entry({ to, title, icon, needs, where }: Destination) {
  const may = useMay(needs ?? 'connector_read', where)
  const path = useRouterState({ select: ({ location }) => location.pathname.replace(WAYS_BACK, '/connections') })
  const active = path === to || (to !== '/' && path.startsWith(`${to}/`))
  if (!may) return null
  return (
    <NavLink
      component={Link}
      to={to}
      search={keepOrganization as never}
      label={title}
      leftSection={<Icon name={icon} size={16} />}
      active={active}
      // A link marks itself where the address begins with its own; the menu knows better.
      activeOptions={{ exact: true }}
      aria-current={active ? 'page' : undefined}
      rightSection={MARKS[to]}
    />
  )
}

function Waiting() {
  const organization = useMembership()?.slug
  const { data } = useQuery({ ...waitingApprovals(organization ?? ''), enabled: organization !== undefined })
  return <Mark count={data?.total} color="orange" words={(number) => texts.waiting({ number })} />
}

function Down() {
  const organization = useMembership()?.slug
  const { data } = useQuery({ ...downConnections(organization ?? ''), enabled: organization !== undefined })
  return <Mark count={data?.total} color="red" words={(number) => texts.down({ number })} />
}

/** Entries of the menu that say how many of their things need somebody. */
const MARKS: Readonly<Record<string, ReactNode>> = { '/approvals': <Waiting />, '/connections': <Down /> }

interface MarkProps {
  readonly count: number | undefined
  readonly color: string
  readonly words: (count: number) => string
}

function Mark({ count, color, words }: MarkProps) {
  if (count === undefined || count === 0) return null
  return (
    <Badge size="sm" color={color} variant="light" aria-label={words(count)}>
      {count}
    </Badge>
  )
}

/** In no organization at all, or not in the one that the address names. */
function Homeless() {
  const { organizations } = useMe()
  if (organizations.length === 0)
    return <Empty title={texts.homeless.title} hint={texts.homeless.hint} icon="building" />
  const t = texts.notYours
  return (
    <Screen title={t.page}>
      <Empty title={t.title} hint={t.hint} icon="building">
        <Button component={Link} to="/" search={{} as never}>
          {t.own}
        </Button>
      </Empty>
    </Screen>
  )
}

export function Missing() {
  return (
    <Empty title={texts.missing.title} hint={texts.missing.hint} icon="help-circle">
      <LinkButton to="/">{texts.missing.home}</LinkButton>
    </Empty>
  )
}

export function Broken({ error, reset }: ErrorComponentProps) {
  return <Failed failure={Problem.of(error)} onRetry={reset} />
}
