/** The cases of Bitbucket: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const repo = { workspace: 'acme', repo_slug: 'web' }
const at = '/repositories/acme/web'
const pr = { ...repo, pull_request_id: 7 }
const pages = (path: string, input: object = repo) =>
  [
    [{ ...input }, `GET ${path}?pagelen=25`],
    [{ ...input, pagelen: 5 }, `GET ${path}?pagelen=5`],
  ] as const

/** The description leaves the state, the target and the trigger open; the reference has them. */
const pipelines = [
  {
    ...{ type: 'pipeline', uuid: '{1}', build_number: 7, created_on: '2026-11-01T00:00:00Z' },
    state: { type: 'pipeline_state_completed', name: 'COMPLETED', result: { name: 'FAILED' } },
    target: { type: 'pipeline_ref_target', ref_type: 'branch', ref_name: 'main', commit: { hash: 'a1b2' } },
    trigger: { type: 'pipeline_trigger_push', name: 'PUSH' },
    ...{ creator: { display_name: 'Ada' }, completed_on: '2026-11-01T00:01:00Z', build_seconds_used: 60 },
  },
  { uuid: '{2}', state: { type: 'pipeline_state_in_progress', name: 'IN_PROGRESS', stage: { name: 'PAUSED' } } },
]

export const rows: VendorRows = {
  described: ['bitbucket.json'],
  // "Paginate through objects" of the reference: all lists take both.
  queries: ['pagelen', 'page', 'q', 'sort'],
  open: ['create_pull_request', 'add_pr_comment', 'create_issue', 'trigger_pipeline'],
  // The sampled address is on another host.
  without: { '*': ['next'] },
  failures: [
    {
      status: 401,
      body: {
        type: 'error',
        error: { message: 'Access token expired. Use your refresh token to obtain a new access token.' },
      },
      word: 'NEEDS_AUTH',
    },
    {
      status: 403,
      body: { type: 'error', error: { message: 'Your credentials lack one or more required privilege scopes.' } },
      word: 'PERMISSION_DENIED',
    },
    { status: 404, body: { type: 'error', error: { message: 'Repository has no issue tracker.' } }, word: 'NOT_FOUND' },
  ],
  tools: {
    list_repositories: [
      [{ workspace: 'acme' }, 'GET /repositories/acme?pagelen=25'],
      [
        { workspace: 'acme', q: 'name ~ "web"', sort: '-updated_on', pagelen: 5 },
        'GET /repositories/acme?q=name ~ "web"&sort=-updated_on&pagelen=5',
      ],
    ],
    get_repository: [[repo, `GET ${at}`]],
    list_pull_requests: [
      [repo, `GET ${at}/pullrequests?state=OPEN&pagelen=25`],
      [{ ...repo, state: 'MERGED', pagelen: 5 }, `GET ${at}/pullrequests?state=MERGED&pagelen=5`],
    ],
    get_pull_request: [[pr, `GET ${at}/pullrequests/7`]],
    create_pull_request: [
      [
        { ...repo, title: 't', source_branch: 'x' },
        [
          `POST ${at}/pullrequests`,
          { title: 't', close_source_branch: false, type: 'pullrequest', source: { branch: { name: 'x' } } },
        ],
      ],
      [
        {
          ...repo,
          title: 't',
          source_branch: 'x',
          destination_branch: 'main',
          description: 'd',
          close_source_branch: true,
        },
        [
          `POST ${at}/pullrequests`,
          {
            title: 't',
            description: 'd',
            close_source_branch: true,
            type: 'pullrequest',
            source: { branch: { name: 'x' } },
            destination: { branch: { name: 'main' } },
          },
        ],
      ],
    ],
    list_pr_comments: pages(`${at}/pullrequests/7/comments`, pr),
    add_pr_comment: [
      [
        { ...pr, body: 'b' },
        [`POST ${at}/pullrequests/7/comments`, { type: 'pullrequest_comment', content: { raw: 'b' } }],
      ],
    ],
    list_issues: [
      [repo, `GET ${at}/issues?pagelen=25`],
      [{ ...repo, q: 'state="open"', pagelen: 5 }, `GET ${at}/issues?q=state%3D"open"&pagelen=5`],
    ],
    get_issue: [[{ ...repo, issue_id: 42 }, `GET ${at}/issues/42`]],
    create_issue: [
      [{ ...repo, title: 't' }, [`POST ${at}/issues`, { title: 't', kind: 'bug', priority: 'major', type: 'issue' }]],
      [
        { ...repo, title: 't', content: 'c', kind: 'task', priority: 'minor' },
        [`POST ${at}/issues`, { title: 't', kind: 'task', priority: 'minor', type: 'issue', content: { raw: 'c' } }],
      ],
    ],
    list_pipelines: [
      [repo, `GET ${at}/pipelines?pagelen=25`],
      [{ ...repo, sort: 'created_on', pagelen: 5 }, `GET ${at}/pipelines?sort=created_on&pagelen=5`],
    ],
    get_pipeline: [[{ ...repo, pipeline_uuid: '{1a}' }, `GET ${at}/pipelines/{1a}`]],
    trigger_pipeline: [
      [
        { ...repo, branch: 'main' },
        [
          `POST ${at}/pipelines`,
          { type: 'pipeline', target: { type: 'pipeline_ref_target', ref_type: 'branch', ref_name: 'main' } },
        ],
      ],
      [
        { ...repo, branch: 'main', commit: 'abc' },
        [
          `POST ${at}/pipelines`,
          {
            type: 'pipeline',
            target: {
              type: 'pipeline_ref_target',
              ref_type: 'branch',
              ref_name: 'main',
              commit: { type: 'commit', hash: 'abc' },
            },
          },
        ],
      ],
    ],
    list_branches: [
      [repo, `GET ${at}/refs/branches?pagelen=25`],
      [{ ...repo, q: 'name ~ "rel"', pagelen: 5 }, `GET ${at}/refs/branches?q=name ~ "rel"&pagelen=5`],
    ],
    list_commits: pages(`${at}/commits`),
    get_file: [[{ ...repo, commit: 'main', path: 'src/a b.ts' }, `GET ${at}/src/main/src/a b.ts`]],
    list_workspaces: pages('/user/workspaces', {}),
    list_workspace_members: pages('/workspaces/acme/members', { workspace: 'acme' }),
    get_diff: [[pr, `GET ${at}/pullrequests/7/diff`]],
  },
  answers: {
    get_file: [['text of the file']],
    get_diff: [['diff --git a/x b/x']],
    list_pipelines: [[{ values: pipelines }]],
    get_pipeline: pipelines.map((each) => [each]),
    trigger_pipeline: pipelines.map((each) => [each]),
    list_workspaces: [[{ values: [{ administrator: true, workspace: { slug: 'acme', name: 'Acme', uuid: '{1}' } }] }]],
  },
}
