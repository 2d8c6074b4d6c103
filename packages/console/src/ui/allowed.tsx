/** Actions that the user may not perform stay visible and state the reason, instead of being missing (or failing later). */
import { Box, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

/** Give the control inside `disabled={!may}` too. */
export function Allowed({ may, why, children }: { may: boolean; why: string; children: ReactNode }) {
  if (may) return <>{children}</>
  return (
    <Tooltip label={why} events={{ hover: true, focus: true, touch: true }}>
      <Box component="span" style={{ display: 'inline-block' }}>
        {children}
      </Box>
    </Tooltip>
  )
}
