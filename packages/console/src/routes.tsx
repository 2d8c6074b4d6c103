/** The routes of the console: the screen at each address. Each screen is loaded when it is first opened. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  useRouterState,
} from '@tanstack/react-router'
import { loadSurely } from './data/load-surely.ts'
import { withoutPrefix, withPrefix } from './data/organization-path.ts'
import { parseSearch, stringifySearch } from './data/url-state.ts'
import { Broken, Frame, Missing } from './shell/frame.tsx'

/** For who has no account yet: without the frame, which asks whose it is. */
const WELCOME = '/welcome'

const root = createRootRoute({ component: Root, notFoundComponent: Missing })

function Root() {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return path === WELCOME ? <Outlet /> : <Frame />
}

const screen = (path: string, load: Parameters<typeof lazyRouteComponent>[0], name: string) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(() => loadSurely(load), name) })

const connections = () => import('./features/connections/connections-screen.tsx')
const rules = () => import('./features/rules/rules-screen.tsx')

const tree = root.addChildren([
  screen('/', () => import('./screens/home/home-screen.tsx'), 'HomeScreen'),
  screen('/connections', connections, 'ConnectionsScreen'),
  screen('/settings/integrations', connections, 'ConnectionsScreen'),
  screen('/oauth/success', connections, 'ConnectionsScreen'),
  screen('/connections/$connection', () => import('./features/connections/connection-screen.tsx'), 'ConnectionScreen'),
  screen('/connections/new', () => import('./features/connections/connect/connect-screen.tsx'), 'ConnectScreen'),
  screen('/tools', () => import('./features/tools/tools-screen.tsx'), 'ToolsScreen'),
  screen('/toolsets', () => import('./features/toolsets/toolsets-screen.tsx'), 'ToolsetsScreen'),
  screen('/toolsets/$toolset', () => import('./features/toolsets/toolset-screen.tsx'), 'ToolsetScreen'),
  screen('/clients', () => import('./screens/clients/clients-screen.tsx'), 'ClientsScreen'),
  screen('/playground', () => import('./screens/playground/playground-screen.tsx'), 'PlaygroundScreen'),
  screen('/agent', () => import('./features/agent/agent-screen.tsx'), 'AgentScreen'),
  screen('/files', () => import('./features/files/files-screen.tsx'), 'FilesScreen'),
  screen('/rules', rules, 'RulesScreen'),
  screen('/rules/$rule', () => import('./features/rules/rule-screen.tsx'), 'RuleScreen'),
  screen('/approvals', () => import('./features/approvals/approvals-screen.tsx'), 'ApprovalsScreen'),
  screen('/records', () => import('./features/records/records-screen.tsx'), 'RecordsScreen'),
  screen('/usage', () => import('./features/usage/usage-screen.tsx'), 'UsageScreen'),
  screen('/service-levels', () => import('./features/usage/service-levels-screen.tsx'), 'ServiceLevelsScreen'),
  screen('/runtime', () => import('./features/runtime/runtime-screen.tsx'), 'RuntimeScreen'),
  screen('/people', () => import('./features/people/people-screen.tsx'), 'PeopleScreen'),
  screen('/keys', () => import('./features/keys/keys-screen.tsx'), 'KeysScreen'),
  screen('/settings', () => import('./screens/settings/settings-screen.tsx'), 'SettingsScreen'),
  screen('/organizations', () => import('./features/organizations/organizations-screen.tsx'), 'OrganizationsScreen'),
  screen('/users', () => import('./features/people/users-screen.tsx'), 'UsersScreen'),
  screen('/accounts', () => import('./features/accounts/accounts-screen.tsx'), 'AccountsScreen'),
  screen('/me', () => import('./screens/me/me-screen.tsx'), 'MeScreen'),
  screen('/welcome', () => import('./screens/welcome/welcome-screen.tsx'), 'WelcomeScreen'),
])

export const router = createRouter({
  routeTree: tree,
  parseSearch,
  stringifySearch,
  rewrite: { input: ({ url }) => withoutPrefix(url), output: ({ url }) => withPrefix(url) },
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
