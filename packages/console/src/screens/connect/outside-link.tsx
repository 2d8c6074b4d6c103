/** A page that is not ours, in a tab of its own that learns nothing of this one. */
import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '../../ui/icon.tsx'

export function OutsideLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor href={to} target="_blank" rel="noreferrer" size="sm" inherit>
      {children} <Icon name="external-link" size={12} />
    </Anchor>
  )
}
