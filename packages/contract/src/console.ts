/**
 * The addresses of the console: the first part of each path that it has a screen for. The gateway serves its page at these and at
 * `/`, and nowhere else, so that what does not exist is answered as such.
 */
export const CONSOLE_PLACES = [
  'connections',
  'tools',
  'toolsets',
  'clients',
  'playground',
  'rules',
  'approvals',
  'records',
  'usage',
  'runtime',
  'people',
  'keys',
  'settings',
  'organizations',
  'users',
  'me',
] as const
