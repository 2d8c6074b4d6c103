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
  palette: {
    open: 'Search everything (Ctrl K)',
    title: 'Search everything',
    hint: 'Where to, or what to do?',
    nothing: 'Nothing of that name',
    places: 'Go to',
    actions: 'Do',
    connect: 'Connect something',
    key: 'Make a key',
    toDark: 'Switch to dark',
    toLight: 'Switch to light',
  },
  live: {
    broken: 'Not live',
    why: 'The line to the gateway is broken. It is tried again by itself; what you see is as of before.',
  },
  waiting: (number: number) => `${number} waiting`,
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
  home: {
    connect: 'Connect something',
    mayNotConnect: 'Administrators connect things here.',
    steps: {
      title: 'First steps',
      done: (done: number, all: number) => `${done} of ${all} done`,
      hide: 'Hide',
      hidden: 'The first steps are hidden.',
      isDone: 'Done',
      isOpen: 'To do',
      list: {
        connect: {
          title: 'Connect something',
          hint: 'Paste an address, a command or a configuration, and see its tools.',
        },
        call: { title: 'Call a tool', hint: 'Fill in a form and see what comes back.' },
        client: { title: 'Connect a client', hint: 'Claude, ChatGPT, Cursor, VS Code or another one, step by step.' },
        rule: { title: 'Set a rule', hint: 'Say which calls are asked about first, and which are never made.' },
        invite: { title: 'Invite somebody', hint: 'Give a colleague a role and a code to begin with.' },
      },
    },
    figures: {
      calls: 'Calls',
      failed: 'Errors',
      refused: 'Refused',
      approvals: 'Waiting approvals',
      day: 'in the last 24 hours',
      now: 'right now',
      share: (percent: number) => `${percent > 0 && percent < 1 ? 'under 1' : Math.round(percent)} % of calls`,
    },
    calls: {
      title: 'Calls over time',
      more: 'All usage',
      now: 'now',
      seen: (calls: number, failed: number, refused: number) =>
        `Calls of the last 24 hours, by hour: ${calls} in all, ${failed} failed, ${refused} refused.`,
      bar: (hour: string, calls: number, bad: number) =>
        `${hour}: ${calls} ${calls === 1 ? 'call' : 'calls'}${bad === 0 ? '' : `, ${bad} failed or refused`}`,
      times: (median: string, p95: string) => `Half of them took less than ${median}, 95 of 100 less than ${p95}.`,
      none: 'No tool has been called in the last 24 hours.',
      noneOfOthers: 'Nobody has called a tool in the last 24 hours.',
      first: 'Call a tool',
    },
    connections: {
      title: 'Connections',
      more: 'All connections',
      summary: (good: number, all: number) => (good === all ? `All ${all} are well.` : `${good} of ${all} are well.`),
      tools: (tools: number) => (tools === 1 ? '1 tool' : `${tools} tools`),
      none: 'Nothing is connected yet. Connect one thing, and you can call its tools a minute later.',
      noneYet: 'Nothing is connected yet. An administrator connects the first thing.',
      first: 'Connect the first thing',
    },
    health: {
      off: 'Off',
      stale: 'Old list',
      of: { connected: 'Connected', needs_auth: 'Needs sign-in', new: 'New', error: 'Failing' } as Record<
        string,
        string
      >,
    },
    approvals: {
      title: (waiting: number) =>
        waiting === 1 ? '1 call waits for an approval' : `${waiting} calls wait for an approval`,
      answer: 'Look at them',
      one: (caller: string, tool: string, connection: string | null) =>
        `${caller} wants to call ${tool}${connection === null ? '' : ` of ${connection}`}`,
    },
    alerts: {
      title: 'Latest news',
      hint: 'Accounts that run out, tools that changed, questions that were asked.',
      none: 'Nothing needs your attention.',
      runsOut: ' · runs out',
      kinds: {
        'credential.expiring': 'An account runs out soon',
        'credential.lost': 'An account has to be connected again',
        'credential.back': 'An account works again',
        'tool.held': 'A tool was changed by its server and is held',
        'tool.settled': 'A tool that was held is settled',
        'rule.unreadable': 'A rule cannot be read and blocks what it speaks of',
        'webhook.off': 'A webhook was switched off, as it did not answer',
        'approval.requested': 'A call waits for an approval',
        'approval.granted': 'A call was approved',
        'approval.denied': 'A call was denied',
        'approval.expired': 'Nobody answered a question in time',
      } as Record<string, string>,
    },
  },

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
