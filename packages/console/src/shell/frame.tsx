/** What stands around every screen: the menu, the organization, the palette, and who is signed in. */
import { AppShell, Burger, Group, NavLink, ScrollArea, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouterState, type ErrorComponentProps } from '@tanstack/react-router'
import { followOrganizationEvents } from '@toolway/contract/admin'
import { lazy, Suspense } from 'react'
import { addressOf } from '../data/call.ts'
import { useLive } from '../data/live.ts'
import { me, useMay, useMembership } from '../data/me.ts'
import { Problem } from '../data/problem.ts'
import { texts } from '../texts/texts.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { Icon } from '../ui/icon.tsx'
import { LinkButton } from '../ui/links.tsx'
import { NAVIGATION, type Destination } from './navigation.ts'
import { OrganizationChoice } from './organization-choice.tsx'
import { Person } from './person.tsx'

const Palette = lazy(() => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })))

export function Frame() {
  const asked = useQuery(me)
  if (asked.data !== undefined) return <Signed />
  if (asked.error !== null && !asked.isFetching)
    return (
      <Stack p="xl" maw={640} mx="auto">
        <Failed failure={Problem.of(asked.error)} onRetry={() => void asked.refetch()} />
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
  const membership = useMembership()
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className="skip" href="#main">
        {texts.skip}
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="sm" wrap="nowrap" style={{ minWidth: 0 }}>
            <Burger opened={opened} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label={texts.menu} />
            <Text component={Link} to="/" fw={700} c="inherit" td="none" visibleFrom="xs">
              Toolway
            </Text>
            <OrganizationChoice />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Suspense fallback={null}>
              <Palette />
            </Suspense>
            <Person />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={texts.menu}>
        <ScrollArea onClick={menu.close}>
          {NAVIGATION.map((group) => (
            <Menu key={group.title ?? ''} {...group} />
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="main">
        {membership === undefined ? <Homeless /> : <Within organization={membership.slug} />}
      </AppShell.Main>
    </AppShell>
  )
}

/** Screens begin anew for another organization: nothing of the one before stays on them. */
function Within({ organization }: { organization: string }) {
  useLive(addressOf(followOrganizationEvents.path, { organization }))
  return <Outlet key={organization} />
}

function Menu({ title, items }: { title: string | undefined; items: readonly Destination[] }) {
  const shown = items.map((item) => <Entry key={item.to} {...item} />)
  return (
    <Stack gap={2} mb="md" role="group" aria-label={title ?? texts.nav.home}>
      {title === undefined ? null : (
        <Text size="xs" c="dimmed" fw={600} px="sm" mb={2} aria-hidden>
          {title}
        </Text>
      )}
      {shown}
    </Stack>
  )
}

function Entry({ to, title, icon, needs, where }: Destination) {
  const may = useMay(needs ?? 'connector_read', where)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const active = to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)
  if (!may) return null
  return (
    <NavLink
      component={Link}
      to={to}
      search={
        ((before: Record<string, unknown>) => (before['org'] === undefined ? {} : { org: before['org'] })) as never
      }
      label={title}
      leftSection={<Icon name={icon} />}
      active={active}
      aria-current={active ? 'page' : undefined}
      style={{ borderRadius: 8 }}
    />
  )
}

function Homeless() {
  return <Empty title={texts.homeless.title} hint={texts.homeless.hint} icon="building" />
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
