/**
 * What both organizations are given through the operations themselves, so that every kind of thing that goes by an id is there to
 * be asked for by the wrong one. An operation that does not exist makes nothing.
 */
import type { Side } from './sides.ts'

interface Plant {
  /** Of the operation that makes it, as an administrator of the organization. */
  readonly id: string
  path(organization: Side): string
  readonly body: unknown
}

export const OAUTH_APP = { provider: 'github', client_id: 'same', client_secret: 'the same secret' }

export const PLANTS: readonly Plant[] = [
  { id: 'putOAuthApp', path: (organization) => `/api/v1/oauth/${organization}/config`, body: OAUTH_APP },
  {
    id: 'addWebhook',
    path: (organization) => `/api/v1/admin/tenants/${organization}/webhooks`,
    // Of a kind that nothing in the town is: nobody is asked.
    body: { url: 'https://hooks.example.com/', events: ['tool.never'] },
  },
  {
    id: 'addOrganizationRule',
    path: (organization) => `/api/v1/organizations/${organization}/rules`,
    // It changes nothing for anybody.
    body: { name: 'same', action: 'warn', match: { tools: ['nothing_is_called_so'] }, reason: 'Same.' },
  },
]
