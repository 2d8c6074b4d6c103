/** A framed part of a connection's tab that holds facts. */
import type { ReactNode } from 'react'
import { Facts as KitFacts, type Fact } from '../../../ui/facts.tsx'
import { Section } from '../../../ui/section.tsx'

export function Facts({
  title,
  facts,
  children,
}: {
  title: string
  facts: readonly (Fact | false | undefined)[]
  children?: ReactNode
}) {
  return (
    <Section title={title}>
      <KitFacts facts={facts.filter((fact): fact is Fact => Array.isArray(fact))} />
      {children}
    </Section>
  )
}
