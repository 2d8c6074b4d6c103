/** The cells of a member that a list and the page of one member share. */
import type { ListedMember } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'

export function sourceOf({ source, source_title: title }: Pick<ListedMember, 'source' | 'source_title'>): string {
  const { sources, fromProvider } = texts.people
  if (title !== null) return fromProvider({ title })
  if (source === 'scim') return sources.scim
  return source === 'manual' ? sources.manual : sources.provider
}

export const State = ({ is_active: active, is_suspended: suspended, signed_in_at: at }: ListedMember) => {
  const t = texts.people.states
  if (suspended) return <StateBadge tone="off">{t.suspended}</StateBadge>
  if (!active) return <StateBadge tone="off">{t.off}</StateBadge>
  return at === null ? (
    <StateBadge tone="busy">{t.invited}</StateBadge>
  ) : (
    <StateBadge tone="good">{t.active}</StateBadge>
  )
}
