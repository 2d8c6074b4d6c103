/**
 * The addresses of the console: the path of each screen. The gateway serves its page at these and nowhere else, so that a client
 * that asks for an address of another product, such as `/tools/sync/version`, is told that nothing is there.
 */
export const CONSOLE_PAGES = [
  '/',
  '/connections',
  '/connections/new',
  '/connections/:connection',
  '/tools',
  '/toolsets',
  '/toolsets/:toolset',
  '/files',
  '/clients',
  '/accounts',
  '/playground',
  '/agent',
  '/rules',
  '/rules/:rule',
  '/approvals',
  '/records',
  '/usage',
  '/runtime',
  '/service-levels',
  '/people',
  '/keys',
  '/settings',
  '/settings/integrations',
  '/organizations',
  '/users',
  '/me',
  // Where an invitation link leads; its code is in the fragment.
  '/welcome',
  // The end of a sign-in at a vendor (ledger S3-OAU-02); other addresses below `/oauth/` are the authorization server's.
  '/oauth/success',
] as const

/** In front of the address of a screen: the organization that is shown. Without it, it is the one that the browser remembers. */
export const CONSOLE_PREFIX = '/o/'

/** Every path at which the page of the console is served, as patterns: each screen, with an organization in front and without. */
export const CONSOLE_PATHS: readonly string[] = [
  ...CONSOLE_PAGES,
  ...CONSOLE_PAGES.map((path) => `${CONSOLE_PREFIX}:organization${path === '/' ? '' : path}`),
]
