/** Actions that the user may not perform stay visible and state the reason, instead of being missing (or failing later). */
import { lazy, Suspense, type ComponentType, type ReactNode } from 'react'

interface RefusedProps {
  readonly why: string
  readonly children: ReactNode
}

/** Where it cannot be loaded, the action is there without its reason. */
const Refused = lazy<ComponentType<RefusedProps>>(() =>
  import('./refusal-reason.tsx').then(
    (loaded) => ({ default: loaded.Refused }),
    () => ({ default: ({ children }: RefusedProps) => children }),
  ),
)

/** Give the control inside `disabled={!may}` too. */
export function Allowed({ may, why, children }: RefusedProps & { readonly may: boolean }) {
  if (may) return <>{children}</>
  return (
    <Suspense fallback={children}>
      <Refused why={why}>{children}</Refused>
    </Suspense>
  )
}
