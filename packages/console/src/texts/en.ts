/**
 * The English words of the console, all of them, a section for each screen. Where a word has a number or a name in it, it is a
 * function of that; nothing else computes here.
 */
export const en = {
  // --- everywhere ----------------------------------------------------------------------------------------------------
  menu: 'Menu',
  skip: 'Skip to the content',
  close: 'Close',
  cancel: 'Cancel',
  undo: 'Undo',
  copied: 'Copied',
  organization: (name: string) => `Organization: ${name}`,
  nav: {
    home: 'Home',
    playground: 'Playground',
    clients: 'Connect a client',
    connections: 'Connections',
    connect: 'Connect',
    tools: 'Tools',
    toolsets: 'Toolsets',
    rules: 'Rules',
    approvals: 'Approvals',
    records: 'Records',
    usage: 'Usage',
    runtime: 'Runtime',
    keys: 'Keys',
    people: 'People',
    settings: 'Settings',
    organizations: 'Organizations',
    users: 'Users',
    me: 'Your account',
  },
  groups: { tools: 'Tools', guard: 'Guard', watch: 'Watch', administer: 'Administer' },
  roles: {
    platform_admin: 'Platform administrator',
    tenant_admin: 'Administrator',
    tenant_member: 'Member',
    tenant_viewer: 'Viewer',
  },
  effects: { read: 'Reads', write: 'Writes', destructive: 'Destroys' },
  phases: {
    receive: 'reading the request',
    identify: 'telling who asks',
    place: 'finding the place',
    admit: 'admitting the request',
    find: 'finding what was asked for',
    decide: 'asking the rules',
    check: 'checking the arguments',
    open: 'opening the connection',
    run: 'running the tool',
    shape: 'shaping the result',
  } as Record<string, string>,
  failed: {
    title: 'That did not work',
    titleAt: (phase: string) => `It failed while ${phase}`,
    mend: 'What helps:',
    retry: 'Try again',
    report: 'Copy a report',
  },
  table: {
    loading: (what: string) => `Loading: ${what}`,
    old: 'This is what was there before; asking again failed',
    range: (first: number, last: number, total: number) => `${first} to ${last} of ${total}`,
    before: 'Previous page',
    after: 'Next page',
  },
  palette: { open: 'Search everything (Ctrl K)', hint: 'Where to, or what to do?', nothing: 'Nothing of that name' },
  person: {
    menu: (name: string) => `Account of ${name}`,
    account: 'Your account',
    reference: 'API reference',
    appearance: 'Appearance',
    schemes: { auto: 'As the system', light: 'Light', dark: 'Dark' },
    chosen: 'chosen',
    signOut: 'Sign out',
  },
  homeless: {
    title: 'You are in no organization yet',
    hint: 'An administrator adds you to one; then its connections and tools are here.',
  },
  missing: {
    title: 'There is no such page',
    hint: 'The address may be mistyped, or the page is gone.',
    home: 'Go home',
  },

  // --- home ----------------------------------------------------------------------------------------------------------
  home: {},

  // --- connections: the list, and one of them -------------------------------------------------------------------------
  connections: {},
  connection: {},

  // --- connect: what leads to a new connection ------------------------------------------------------------------------
  connect: {},

  // --- tools and toolsets ---------------------------------------------------------------------------------------------
  tools: {},
  toolsets: {},

  // --- clients -------------------------------------------------------------------------------------------------------
  clients: {},

  // --- playground, and calling a tool elsewhere ------------------------------------------------------------------------
  call: {},
  playground: {},

  // --- rules ---------------------------------------------------------------------------------------------------------
  rules: {},

  // --- approvals -----------------------------------------------------------------------------------------------------
  approvals: {},

  // --- records -------------------------------------------------------------------------------------------------------
  records: {},

  // --- usage ---------------------------------------------------------------------------------------------------------
  usage: {},

  // --- runtime -------------------------------------------------------------------------------------------------------
  runtime: {},

  // --- keys ----------------------------------------------------------------------------------------------------------
  keys: {},

  // --- people --------------------------------------------------------------------------------------------------------
  people: {},

  // --- settings ------------------------------------------------------------------------------------------------------
  settings: {},

  // --- organizations and users of the installation ---------------------------------------------------------------------
  organizations: {},
  users: {},

  // --- one's own account ----------------------------------------------------------------------------------------------
  me: {},
}
