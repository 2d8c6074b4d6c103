/** Actions that the user may not perform stay visible and state the reason, instead of being missing (or failing later). */
import { lazy, Suspense, type ReactNode } from 'react'
import { loadSurely } from '../data/away.ts'

const Refused = lazy(() =>
  loadSurely(() => import('./refused.tsx')).then(({ Refused: loaded }) => ({ default: loaded })),
)

/** Give the control inside `disabled={!may}` too. */
export function Allowed({ may, why, children }: { may: boolean; why: string; children: ReactNode }) {
  if (may) return <>{children}</>
  return (
    <Suspense fallback={children}>
      <Refused why={why}>{children}</Refused>
    </Suspense>
  )
}
