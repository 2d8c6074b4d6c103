/** Links within the console: they stay in the organization that is looked at. */
import { Anchor, Button, type ButtonProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { withBreaks } from './breaks.tsx'
import { keepOrganization } from './keep-organization.ts'

export interface LinkProps {
  readonly to: string
  /** Parameters of the address besides the organization. */
  readonly search?: Readonly<Record<string, string | undefined>>
  readonly children: ReactNode
}

export const searchOf = (search: LinkProps['search']) => (before: Record<string, unknown>) => ({
  ...keepOrganization(before),
  ...search,
})

/** `inText`: in the middle of a sentence, where colour alone does not tell it (WCAG 2.2, 1.4.1). */
export function TextLink({ to, search, inText = false, children }: LinkProps & { readonly inText?: boolean }) {
  const underline = inText ? 'always' : 'hover'
  return (
    <Anchor component={Link} to={to} search={searchOf(search) as never} className="breakable" underline={underline}>
      {withBreaks(children)}
    </Anchor>
  )
}

export function LinkButton({ to, search, children, ...props }: LinkProps & Omit<ButtonProps, 'children'>) {
  // Enter follows a link that only looks disabled.
  if (props.disabled === true) return <Button {...props}>{children}</Button>
  return (
    <Button component={Link} to={to} search={searchOf(search) as never} {...props}>
      {children}
    </Button>
  )
}
