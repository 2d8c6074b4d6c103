/** Listens for the single-key shortcuts of `shortcut-keys.ts`; their list is loaded when it is first opened. */
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react'
import { loadSurely } from '../data/load-surely.ts'
import { keepOrganization } from '../ui/keep-organization.ts'
import { listenForShortcuts } from './shortcut-keys.ts'

const Shortcuts = lazy(() =>
  loadSurely(() => import('./shortcuts.tsx')).then(({ Shortcuts: loaded }) => ({ default: loaded })),
)

export function ShortcutListener({ onSearch }: { onSearch: () => void }) {
  const [opened, { open, close }] = useDisclosure()
  const [ever, setEver] = useState(false)
  const navigate = useNavigate()
  const go = useEffectEvent((to: string) => void navigate({ to, search: keepOrganization as never }))
  const searchEverything = useEffectEvent(() => onSearch())
  const list = useEffectEvent(() => {
    setEver(true)
    open()
  })
  useEffect(
    () =>
      listenForShortcuts({
        go: (to) => go(to),
        searchEverything: () => searchEverything(),
        list: () => list(),
      }),
    [],
  )
  if (!ever) return null
  return (
    <Suspense fallback={null}>
      <Shortcuts opened={opened} onClose={close} />
    </Suspense>
  )
}
