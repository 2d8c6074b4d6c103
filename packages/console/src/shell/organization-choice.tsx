/** The current organization: a name where there is one, a menu where there are several. It is part of the address. */
import { Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { loadSurely } from '../data/load-surely.ts'
import { useMe, useMembership } from '../data/me.ts'
import { OrganizationButton } from './buttons.tsx'

const OrganizationMenu = lazy(() =>
  loadSurely(() => import('./organization-menu.tsx')).then(({ OrganizationMenu }) => ({ default: OrganizationMenu })),
)

export function OrganizationChoice() {
  const { organizations } = useMe()
  const current = useMembership()
  const [isOpened, setOpened] = useState(false)
  if (current === undefined) return null
  if (organizations.length === 1)
    return (
      <Text c="dimmed" truncate>
        {current.name}
      </Text>
    )
  const button = <OrganizationButton name={current.name} aria-haspopup="menu" onClick={() => setOpened(true)} />
  if (!isOpened) return button
  return (
    <Suspense fallback={button}>
      <OrganizationMenu />
    </Suspense>
  )
}
