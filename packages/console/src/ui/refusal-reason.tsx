/** The reason beside something that may not be used. Loaded where it is needed: the library that places it is no small one. */
import { Box, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

export function Refused({ why, children }: { why: string; children: ReactNode }) {
  return (
    <Tooltip label={why} events={{ hover: true, focus: true, touch: true }}>
      <Box component="span" style={{ display: 'inline-block' }}>
        {children}
      </Box>
    </Tooltip>
  )
}
