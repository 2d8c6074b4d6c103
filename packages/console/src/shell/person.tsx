/** The signed-in user. The menu behind the button is loaded when it is first opened. */
import { loadSurely } from '../data/load-surely.ts'
import { lazy, Suspense, useState } from 'react'
import { useMe } from '../data/me.ts'
import { PersonButton } from './buttons.tsx'

const PersonMenu = lazy(() =>
  loadSurely(() => import('./person-menu.tsx')).then(({ PersonMenu }) => ({ default: PersonMenu })),
)

export function Person() {
  const { user } = useMe()
  const [isOpened, setOpened] = useState(false)
  const button = <PersonButton name={user?.name ?? ''} aria-haspopup="menu" onClick={() => setOpened(true)} />
  if (!isOpened) return button
  return (
    <Suspense fallback={button}>
      <PersonMenu />
    </Suspense>
  )
}
