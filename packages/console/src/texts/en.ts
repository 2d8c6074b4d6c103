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
  records: {
    hint: 'Every call, change and sign-in, and what was refused. Nothing here can be rewritten.',
    list: 'Records',
    columns: { when: 'When', what: 'What', who: 'Who', outcome: 'Outcome', took: 'Took', organization: 'Organization' },
    open: (what: string) => `Open the record of ${what}`,
    through: (connection: string) => `through ${connection}`,
    outcomes: {
      ok: 'Done',
      tool_error: 'Tool error',
      refused: 'Refused',
      failed: 'Failed',
      cancelled: 'Cancelled',
      unknown: 'Unknown end',
    },
    platform: 'The installation',
    empty: 'Nothing is on record yet',
    emptyHint: 'Call a tool, and its record is here a moment later.',
    emptyAction: 'Open the playground',
    nothing: 'No record fits',
    nothingHint: 'Look at a longer time, or ask for less.',
    clear: 'Clear the filters',
    filters: {
      label: 'Filters',
      range: 'Time',
      ranges: {
        hour: 'Last hour',
        day: 'Last 24 hours',
        week: 'Last 7 days',
        month: 'Last 31 days',
        all: 'All that is kept',
        custom: 'From … to …',
      },
      from: 'From',
      to: 'To',
      outcome: 'Outcome',
      any: 'Any',
      connection: 'Connection',
      caller: 'Who',
      more: 'More filters',
      fewer: 'Fewer filters',
      action: 'Action',
      actionHint: 'tools/call, key.add …',
      tool: 'Tool',
      toolHint: 'As the caller named it',
      correlation: 'Correlation id',
      correlationHint: 'From an error report or a log',
      all: 'All organizations',
    },
    live: { on: 'Live', pause: 'Pause', resume: 'Go on', still: 'Stands still at' },
    drawer: {
      title: 'Record',
      missing: 'There is no such record here',
      missingHint: 'It may belong to another organization, or be older than records are kept.',
      copy: 'Copy as JSON',
      steps: 'What happened, step by step',
      stepsNote: 'A record keeps when a call began and how long it took, not the time of each step.',
      names: {
        received: 'Received',
        identified: 'Caller known',
        found: 'Tool found',
        decided: 'Rules and checks',
        opened: 'Connection opened',
        answered: 'Answered',
      },
      endedAt: (name: string) => `${name}: it ended here`,
      facts: {
        from: 'From',
        client: 'Client',
        revision: 'Revision',
        bytes: 'Bytes',
        caller: 'Caller',
        key: 'Key',
        toolset: 'Toolset',
        tool: 'Tool',
        connection: 'Connection',
        decision: 'Decision',
        rule: 'Rule',
        approval: 'Approval',
        account: 'Account',
        owner: 'Whose account',
        outcome: 'Outcome',
        code: 'Code',
      } as Record<string, string>,
      arguments: 'Arguments',
      argumentsNote: 'Only arguments that a rule looks at are on record, and of those no secret and no long text.',
      argumentsNone: 'No rule looks at an argument of this call, so none is on record.',
      absent: 'not given',
      changedByRule: 'Changed by a rule:',
      shadows: 'Rules that only watch would have said',
      why: 'Why it ended so',
      mend: 'What helps:',
      details: 'Details',
      when: 'When',
      after: 'After',
      who: 'Who',
      action: 'Action',
      what: 'What',
      address: 'Address',
      program: 'Program',
      took: 'Took',
      correlation: 'Correlation id',
      place: 'Place in the chain',
      hash: 'Hash',
      related: 'What belongs to the same request',
      relatedNone: 'Nothing else was done under this correlation id.',
      yes: 'yes',
      no: 'no',
    },
    verify: {
      button: 'Verify',
      title: 'Was anything changed?',
      busy: 'Every record is being read and its place in the chain is being computed again.',
      good: 'Nothing was changed, removed, put in or moved',
      goodHint: (records: string, first: number, last: number) =>
        `${records} records were read, from number ${first} to ${last}.`,
      nothing: 'There is nothing on record to verify yet.',
      proven: (seq: number) =>
        `A signature proves it up to number ${seq}. What came later is signed within ten minutes.`,
      unproven: 'No signature covers them yet: the first comes within ten minutes.',
      bad: 'Something is wrong with the chain',
      badAt: (seq: number) => `The first problem is at number ${seq}.`,
      again: 'Verify again',
      offline: 'Verify it elsewhere',
      offlineHint:
        'Export everything as JSON lines and check the file on a machine that has no Toolway database. Keep the fingerprint of the signing key somewhere else than the file.',
      command: 'Command',
      copyCommand: 'Copy the command',
      fingerprint: 'Fingerprint of the signing key',
      copyFingerprint: (at: number) => `Copy fingerprint ${at}`,
    },
    export: {
      button: 'Export',
      title: 'Export records',
      format: 'Form',
      formats: {
        jsonl: 'JSON lines: the whole of it can be verified',
        csv: 'CSV: for spreadsheets',
        ocsf: 'OCSF 1.1.0: for security tools',
      },
      range: 'Time',
      rangeAll: 'Everything that is kept',
      rangeShown: 'The time that the list shows',
      unproven: 'A part of the records cannot be verified: only the whole can.',
      filters: 'Filters of the list do not apply: an export has every record of its time.',
      start: 'Export',
      stop: 'Stop',
      busy: (size: string) => `${size} so far`,
      done: (name: string, size: string) => `${name} is saved: ${size}`,
    },
  },

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
