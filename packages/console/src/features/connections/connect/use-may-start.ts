/** Whether who is signed in may have the gateway start programs here: the platform's people, and whom the organization's settings let. */
import { getSettings } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useMay, useOrganization } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'

export function useMayStart(): boolean {
  const organization = useOrganization()
  const isPlatform = useMay('tenant_create', 'platform')
  const mayRead = useMay('tenant_read')
  const settings = useQuery({
    ...ask('settings', getSettings, { path: { organization } }),
    enabled: mayRead && !isPlatform,
  })
  return isPlatform || settings.data?.allow_processes === true
}
