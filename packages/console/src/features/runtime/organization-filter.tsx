/** Narrows a list of the installation to one organization. */
import { Select } from '@mantine/core'
import { useMe } from '../../data/me.ts'
import { texts } from '../../texts/texts.ts'

export interface OrganizationFilterProps {
  readonly value: string | undefined
  readonly onChange: (slug: string | undefined) => void
}

export function OrganizationFilter({ value, onChange }: OrganizationFilterProps) {
  const { organizations } = useMe()
  return (
    <Select
      label={texts.runtime.organization}
      placeholder={texts.runtime.anyOrganization}
      data={organizations.map(({ slug, name }) => ({ value: slug, label: name }))}
      value={value ?? null}
      onChange={(slug) => onChange(slug ?? undefined)}
      clearable
      searchable
      maw={320}
      clearButtonProps={{ 'aria-label': texts.close }}
    />
  )
}
