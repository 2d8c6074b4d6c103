/** One organization: what is settled for it, what it may reach, and its end. */
import { Divider, Drawer, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getOrganization } from '@toolway/contract/admin'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { EgressForm } from './egress-form.tsx'
import { OrganizationForm } from './organization-form.tsx'
import { RemoveOrganization } from './remove-organization.tsx'

export function OrganizationDrawer({ slug, onClose }: { slug: string | undefined; onClose: () => void }) {
  const path = { organization: slug ?? '' }
  const found = useQuery({
    ...ask('organizations', getOrganization, { path }),
    enabled: slug !== undefined,
    placeholderData: undefined as never,
  })
  const t = texts.organizations
  return (
    <Drawer
      opened={slug !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={t.change({ name: found.data?.name ?? slug ?? '' })}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {slug === undefined ? null : (
        <Loaded query={found}>
          {(organization) => (
            <Stack gap="lg">
              <OrganizationForm key={organization.id} organization={organization} />
              <Divider />
              <EgressForm key={`${organization.id} egress`} slug={organization.slug} />
              <Divider />
              <RemoveOrganization organization={organization} onRemoved={onClose} />
            </Stack>
          )}
        </Loaded>
      )}
    </Drawer>
  )
}
