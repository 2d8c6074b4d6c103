/** Nothing here yet: why, and what to do about it. */
import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export interface EmptyProps {
  readonly title: string
  readonly hint?: ReactNode
  readonly icon?: IconName
  /** The actions that help. */
  readonly children?: ReactNode
}

export function Empty({ title, hint, icon = 'wand', children }: EmptyProps) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="sm" ta="center">
        <Drawing icon={icon} />
        <Title order={2}>{title}</Title>
        {hint === undefined ? null : (
          <Text c="dimmed" maw={520}>
            {hint}
          </Text>
        )}
        {children}
      </Stack>
    </Paper>
  )
}

const [WIDTH, HEIGHT] = [200, 88]
const ICON_PX = 26

/** Two cards without content, and in front of them what they would hold. It says nothing that the title does not. */
function Drawing({ icon }: { icon: IconName }) {
  return (
    <svg className="drawing" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <g className="drawing-far">
        <rect x="14" y="14" width="76" height="52" rx="6" />
        <path d="M24 28h34M24 40h46M24 52h24" />
      </g>
      <g className="drawing-far">
        <rect x="110" y="14" width="76" height="52" rx="6" />
        <path d="M132 28h44M132 40h32M132 52h40" />
      </g>
      <path className="drawing-line" d="M90 34h20" />
      <circle className="drawing-near" cx={WIDTH / 2} cy="48" r="27" />
      <svg x={(WIDTH - ICON_PX) / 2} y={48 - ICON_PX / 2} width={ICON_PX} height={ICON_PX} className="drawing-icon">
        <Icon name={icon} size={ICON_PX} />
      </svg>
    </svg>
  )
}
