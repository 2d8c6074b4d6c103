/** The cases of Linear: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

export const rows: VendorRows = {
  described: ['linear.graphql'],
  failures: [
    {
      status: 400,
      body: { errors: [{ message: 'limit', extensions: { code: 'RATELIMITED' } }] },
      word: 'RATE_LIMITED',
    },
    {
      status: 200,
      body: { errors: [{ message: 'no', extensions: { code: 'AUTHENTICATION_ERROR' } }] },
      word: 'NEEDS_AUTH',
    },
    {
      status: 200,
      body: { data: null, errors: [{ message: 'no', extensions: { code: 'FORBIDDEN' } }] },
      word: 'PERMISSION_DENIED',
    },
    { status: 200, body: { data: null, errors: [{ message: 'no' }] }, word: 'EXECUTION_ERROR' },
  ],
  tools: {
    list_issues: [
      [{}, ['query issues', { first: 50 }]],
      [
        { teamId: 't', projectId: 'p', stateId: 's', first: 2, cursor: 'c' },
        [
          'query issues',
          {
            filter: { team: { id: { eq: 't' } }, project: { id: { eq: 'p' } }, state: { id: { eq: 's' } } },
            first: 2,
            after: 'c',
          },
        ],
      ],
    ],
    get_issue: [[{ id: 'ENG-1' }, ['query issue', { id: 'ENG-1' }]]],
    create_issue: [
      [{ title: 't', teamId: 'T' }, ['mutation issueCreate', { input: { title: 't', teamId: 'T' } }]],
      [
        {
          title: 't',
          teamId: 'T',
          description: 'd',
          priority: 1,
          assigneeId: 'u',
          labelIds: ['l'],
          stateId: 's',
          projectId: 'p',
        },
        [
          'mutation issueCreate',
          {
            input: {
              title: 't',
              description: 'd',
              teamId: 'T',
              priority: 1,
              assigneeId: 'u',
              labelIds: ['l'],
              stateId: 's',
              projectId: 'p',
            },
          },
        ],
      ],
    ],
    update_issue: [
      [{ id: 'i', title: 't' }, ['mutation issueUpdate', { id: 'i', input: { title: 't' } }]],
      [
        { id: 'i', title: 't', description: 'd', priority: 0, stateId: 's', assigneeId: 'u' },
        [
          'mutation issueUpdate',
          { id: 'i', input: { title: 't', description: 'd', priority: 0, stateId: 's', assigneeId: 'u' } },
        ],
      ],
    ],
    search_issues: [
      [{ query: 'a' }, ['query searchIssues', { term: 'a', first: 50 }]],
      [{ query: 'a', first: 2, cursor: 'c' }, ['query searchIssues', { term: 'a', first: 2, after: 'c' }]],
    ],
    archive_issue: [[{ id: 'i' }, ['mutation issueArchive', { id: 'i' }]]],
    list_teams: [
      [{}, ['query teams', { first: 50 }]],
      [{ first: 2 }, ['query teams', { first: 2 }]],
    ],
    get_team: [[{ id: 't' }, ['query team', { id: 't' }]]],
    list_projects: [
      [{}, ['query projects', { first: 50 }]],
      [
        { teamId: 't', first: 2 },
        ['query projects', { filter: { accessibleTeams: { some: { id: { eq: 't' } } } }, first: 2 }],
      ],
    ],
    get_project: [[{ id: 'p' }, ['query project', { id: 'p' }]]],
    create_project: [
      [{ name: 'n', teamIds: ['t'] }, ['mutation projectCreate', { input: { name: 'n', teamIds: ['t'] } }]],
      [
        { name: 'n', teamIds: ['t'], description: 'd' },
        ['mutation projectCreate', { input: { name: 'n', description: 'd', teamIds: ['t'] } }],
      ],
    ],
    list_cycles: [
      [{ teamId: 't' }, ['query team', { id: 't', first: 50 }]],
      [{ teamId: 't', first: 2, cursor: 'c' }, ['query team', { id: 't', first: 2, after: 'c' }]],
    ],
    get_cycle: [[{ id: 'c' }, ['query cycle', { id: 'c' }]]],
    list_labels: [
      [{}, ['query issueLabels', { first: 50 }]],
      [{ first: 2 }, ['query issueLabels', { first: 2 }]],
    ],
    list_workflow_states: [
      [{ teamId: 't' }, ['query team', { id: 't', first: 50 }]],
      [{ teamId: 't', first: 2 }, ['query team', { id: 't', first: 2 }]],
    ],
    add_comment: [[{ issueId: 'i', body: 'b' }, ['mutation commentCreate', { input: { issueId: 'i', body: 'b' } }]]],
    list_comments: [
      [{ issueId: 'i' }, ['query issue', { id: 'i', first: 50 }]],
      [{ issueId: 'i', first: 2 }, ['query issue', { id: 'i', first: 2 }]],
    ],
    list_users: [
      [{}, ['query users', { first: 50 }]],
      [{ first: 2 }, ['query users', { first: 2 }]],
    ],
    get_user_by_email: [
      [{ email: 'a@b.c' }, ['query users', { filter: { email: { eq: 'a@b.c' } }, first: 1 }]],
      [{ email: 'a@b.c', first: 2 }, ['query users', { filter: { email: { eq: 'a@b.c' } }, first: 2 }]],
    ],
  },
}
