/** Leads to the rule of an id, where one is kept under it; what comes of a setting leads to the settings. */
import { TextLink } from '../ui/links.tsx'

export function RuleLink({ id, children }: { id: string; children: string }) {
  if (id.startsWith('rul_')) return <TextLink to={`/rules/${id}`}>{children}</TextLink>
  if (id.startsWith('settings:'))
    return (
      <TextLink to="/settings" search={{ tab: 'organization' }}>
        {children}
      </TextLink>
    )
  return <>{children}</>
}
