/** Something that was asked for earlier, dimmed and marked as busy while what replaces it is being loaded. */
import { Box, Loader, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from '../texts/texts.ts'

const OLD_OPACITY = 0.4

interface BusyProps {
  readonly busy: boolean
  /** The name of the content that is loading, for screen readers. */
  readonly what: string
  readonly children: ReactNode
}

export function Busy({ busy, what, children }: BusyProps) {
  return (
    <Box aria-busy={busy} pos="relative">
      {busy ? (
        <Loader
          role="status"
          aria-label={texts.table.loading({ what })}
          pos="absolute"
          top={8}
          right={8}
          size="sm"
          style={{ zIndex: 1 }}
        />
      ) : null}
      <Stack gap="lg" style={busy ? { opacity: OLD_OPACITY, pointerEvents: 'none' } : undefined}>
        {children}
      </Stack>
    </Box>
  )
}
