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
  approvals: {
    hint: 'Calls that a rule holds back until somebody says yes.',
    waiting: 'Waiting',
    history: 'History',
    empty: 'Nothing waits for an answer',
    emptyHint: 'Calls that a rule asks about appear here by themselves, with everything that would be sent.',
    makeRule: 'Make a rule that asks',
    keys: { j: 'next', k: 'previous', a: 'approve', d: 'deny' },
    keysOn: 'Keyboard shortcuts',
    notAll: (shown: number, total: number) => `The newest ${shown} of ${total} are shown.`,
    asks: (caller: string, connection: string) => `${caller} calls it at ${connection}`,
    by: (client: string) => `with ${client}`,
    gone: 'a connection that is gone',
    sent: 'What would be sent',
    why: 'Why it is asked',
    ruleAsks: (who: string) => `asks ${who}`,
    quorum: (granted: number, quorum: number) => `${granted} of ${quorum} said yes`,
    until: 'Can be answered until',
    was: 'Good or open until',
    account: 'Account',
    used: 'Used',
    times: (uses: number) => (uses === 1 ? 'once' : `${uses} times`),
    answers: 'Answers',
    verdicts: { grant: 'approved it', deny: 'denied it' },
    ways: {
      page: 'on its page',
      api: 'here or over HTTP',
      'command line': 'by the command line',
      webhook: 'as a webhook',
      client: 'in the client that calls',
    } as Record<string, string>,
    note: 'Note',
    noteHint: 'Optional. It is kept on record; with a no it is told to who calls.',
    grant: 'Approve once',
    deny: 'Deny',
    takeBack: 'Take the approval back',
    onlyThis: 'A yes is good for this very call with these arguments.',
    own: 'You make this call yourself, so somebody else has to approve it.',
    others: (who: string) => `The answer is for others to give: ${who}.`,
    said: {
      granted: (tool: string) => `${tool} may be called once`,
      more: (missing: number) =>
        missing === 1 ? 'Noted. One more has to approve it' : `Noted. ${missing} more have to approve it`,
      denied: (tool: string) => `${tool} was denied, and its caller is told so`,
      takenBack: 'Taken back',
    },
    states: {
      pending: 'Waits',
      granted: 'Approved, not used yet',
      used: 'Approved and used',
      denied: 'Denied',
      expired: 'Nobody answered or used it in time',
    },
    state: 'State',
    anyState: 'Any',
    tool: 'Tool',
    effect: 'Effect',
    caller: 'Who calls',
    asked: 'Asked',
    question: 'A call that was asked about',
    noHistory: 'No such question yet',
    noHistoryHint: 'Questions stay here for 30 days after they are over; their records stay longer.',
    arguments: {
      none: 'No arguments.',
      empty: '(empty)',
      written: 'Written was',
      more: (characters: number) => `Show all ${characters} characters`,
      less: 'Show less',
      how: { changed: 'changed by a rule', added: 'added by a rule', removed: 'not sent' },
    },
  },

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
