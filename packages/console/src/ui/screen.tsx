/** The frame of one screen: its title, what can be done there, and where the focus goes when it is entered. */
import { Box, Group, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'
import { texts } from '../texts/texts.ts'
import { withBreaks } from './breaks.tsx'
import { TextLink } from './links.tsx'

export interface ScreenProps {
  readonly title: string
  /** One sentence below the title. */
  readonly hint?: ReactNode
  /** The main actions of the screen: a button or two. */
  readonly action?: ReactNode
  /** The list that this is one of. */
  readonly parent?: { readonly to: string; readonly title: string }
  readonly children: ReactNode
}

export function Screen({ title, hint, action, parent, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Toolway`
  }, [title])
  // A screen reader hears where it is, also after a link of the menu; who pressed a key in a dialog or a field is left alone.
  useEffect(() => {
    const { activeElement: at } = document
    if (at === document.body || at?.closest('nav') != null) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <Stack gap="lg">
      {parent === undefined ? null : <Breadcrumb parent={parent} title={title} />}
      <Group justify="space-between" align="flex-start" gap="md">
        <Box style={{ flex: '1 1 16rem', minWidth: 0 }}>
          <Title order={1} ref={heading} tabIndex={-1} className="breakable">
            {withBreaks(title)}
          </Title>
          {hint === undefined ? null : (
            <Text c="dimmed" mt={4}>
              {hint}
            </Text>
          )}
        </Box>
        {action === undefined ? null : <Group gap="sm">{action}</Group>}
      </Group>
      {children}
    </Stack>
  )
}

/** By the pattern of the ARIA Authoring Practices: a list of links whose last entry is this page. */
function Breadcrumb({
  parent: { to, title: list },
  title,
}: {
  parent: NonNullable<ScreenProps['parent']>
  title: string
}) {
  return (
    <nav aria-label={texts.breadcrumb} className="breadcrumb">
      <ol>
        <li>
          <TextLink to={to}>{list}</TextLink>
        </li>
        <li aria-current="page" className="breakable">
          {title}
        </li>
      </ol>
    </nav>
  )
}
