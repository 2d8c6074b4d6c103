/** A drawer about one tool, which is read whole. */
import { Drawer, Text } from '@mantine/core'
import { getToolInFull, type ToolInFull } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useOrganization } from '../data/me.ts'
import { ask } from '../data/queries.ts'
import { texts } from '../texts/texts.ts'
import { withBreaks } from '../ui/breaks.tsx'
import { Loaded } from '../ui/loaded.tsx'

interface ToolInFullProps {
  /** By which rules know it; undefined while the drawer is closed. */
  readonly name: string | undefined
  readonly onClose: () => void
  readonly children: (tool: ToolInFull) => ReactNode
}

export function ToolInFullDrawer({ name, onClose, children }: ToolInFullProps) {
  return (
    <Drawer
      opened={name !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={
        <Text fw={650} className="breakable">
          {withBreaks(name)}
        </Text>
      }
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {/* Another tool's texts are never to be read under this name. */}
      {name === undefined ? null : (
        <Whole key={name} name={name}>
          {children}
        </Whole>
      )}
    </Drawer>
  )
}

function Whole({ name, children }: { name: string } & Pick<ToolInFullProps, 'children'>) {
  const organization = useOrganization()
  const query = useQuery(ask('tools', getToolInFull, { path: { organization, tool: name } }))
  return (
    <Loaded query={query} lines={8}>
      {children}
    </Loaded>
  )
}
