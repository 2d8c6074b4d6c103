/** The destinations of the console, in the order of its menu; the command palette lists the same. */
import type { Permission } from '@toolway/contract'
import { texts } from '../texts/texts.ts'
import type { IconName } from '../ui/icon.tsx'

export interface Destination {
  readonly to: string
  readonly title: string
  readonly icon: IconName
  /** Users without this permission do not see it. */
  readonly needs?: Permission
  readonly where?: 'organization' | 'platform'
}

export interface DestinationGroup {
  readonly title: string | undefined
  readonly items: readonly Destination[]
}

const nav = texts.nav
const groups = texts.groups

export const NAVIGATION: readonly DestinationGroup[] = [
  {
    title: undefined,
    items: [
      { to: '/', title: nav.home, icon: 'home' },
      { to: '/playground', title: nav.playground, icon: 'player-play', needs: 'tool_call' },
      { to: '/agent', title: nav.agent, icon: 'wand', needs: 'tool_call' },
      { to: '/files', title: nav.files, icon: 'file', needs: 'tool_call' },
      { to: '/accounts', title: nav.accounts, icon: 'id-badge-2' },
      { to: '/clients', title: nav.clients, icon: 'devices' },
    ],
  },
  {
    title: groups.tools,
    items: [
      { to: '/connections', title: nav.connections, icon: 'plug-connected' },
      { to: '/tools', title: nav.tools, icon: 'tools', needs: 'tool_configure' },
      { to: '/toolsets', title: nav.toolsets, icon: 'stack-2', needs: 'tool_configure' },
    ],
  },
  {
    title: groups.guard,
    items: [
      { to: '/rules', title: nav.rules, icon: 'shield-check', needs: 'policy_manage' },
      { to: '/approvals', title: nav.approvals, icon: 'checkbox' },
    ],
  },
  {
    title: groups.watch,
    items: [
      { to: '/records', title: nav.records, icon: 'list-details', needs: 'audit_view_own' },
      { to: '/usage', title: nav.usage, icon: 'chart-bar', needs: 'stats_view_own' },
      { to: '/service-levels', title: nav.serviceLevels, icon: 'chart-bar', needs: 'stats_view_own' },
      { to: '/runtime', title: nav.runtime, icon: 'server', needs: 'process_manage' },
    ],
  },
  {
    title: groups.administer,
    items: [
      { to: '/keys', title: nav.keys, icon: 'key' },
      { to: '/people', title: nav.people, icon: 'users', needs: 'user_manage' },
      { to: '/settings', title: nav.settings, icon: 'settings', needs: 'tenant_read' },
      { to: '/organizations', title: nav.organizations, icon: 'building', needs: 'tenant_create', where: 'platform' },
      { to: '/users', title: nav.users, icon: 'id-badge-2', needs: 'user_manage', where: 'platform' },
    ],
  },
]
