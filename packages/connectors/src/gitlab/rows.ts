/** The cases of GitLab: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const project = { project_id: 'acme/web' }
const at = '/projects/acme%2Fweb'
const mr = { ...project, merge_request_iid: 7 }
const pages = (path: string, input: object = project, query = '') =>
  [
    [{ ...input }, `GET ${path}?${query}per_page=20`],
    [{ ...input, per_page: 5 }, `GET ${path}?${query}per_page=5`],
  ] as const

export const rows: VendorRows = {
  described: ['gitlab.json'],
  failures: [
    {
      status: 401,
      body: {
        error: 'invalid_token',
        error_description: 'Token is expired. You can either do re-authorization or token refresh.',
      },
      word: 'NEEDS_AUTH',
    },
    {
      status: 403,
      body: { error: 'insufficient_scope', error_description: 'The request requires higher privileges', scope: 'api' },
      word: 'PERMISSION_DENIED',
    },
    { status: 400, body: { message: { title: ["can't be blank"] } }, word: 'INVALID_ARGUMENT' },
    { status: 429, headers: { 'retry-after': '30' }, body: 'Retry later\n', word: 'RATE_LIMITED', retryAfter: 30 },
  ],
  tools: {
    list_projects: [
      [{}, 'GET /projects?membership=true&order_by=last_activity_at&sort=desc&per_page=20'],
      [
        { membership: false, search: 'web', order_by: 'name', sort: 'asc', per_page: 5 },
        'GET /projects?membership=false&search=web&order_by=name&sort=asc&per_page=5',
      ],
    ],
    get_project: [[project, `GET ${at}`]],
    list_merge_requests: [
      [project, `GET ${at}/merge_requests?state=opened&per_page=20`],
      [{ ...project, state: 'all', per_page: 5 }, `GET ${at}/merge_requests?state=all&per_page=5`],
    ],
    get_merge_request: [[mr, `GET ${at}/merge_requests/7`]],
    create_merge_request: [
      [
        { ...project, source_branch: 'x', target_branch: 'main', title: 't' },
        [`POST ${at}/merge_requests`, { source_branch: 'x', target_branch: 'main', title: 't' }],
      ],
      [
        { ...project, source_branch: 'x', target_branch: 'main', title: 't', description: 'd' },
        [`POST ${at}/merge_requests`, { source_branch: 'x', target_branch: 'main', title: 't', description: 'd' }],
      ],
    ],
    list_issues: [
      [project, `GET ${at}/issues?state=opened&per_page=20`],
      [
        { ...project, state: 'closed', labels: 'bug,ui', per_page: 5 },
        `GET ${at}/issues?state=closed&labels=bug%2Cui&per_page=5`,
      ],
    ],
    get_issue: [[{ ...project, issue_iid: 42 }, `GET ${at}/issues/42`]],
    create_issue: [
      [{ ...project, title: 't' }, [`POST ${at}/issues`, { title: 't' }]],
      [
        { ...project, title: 't', description: 'd', labels: 'bug, ui', assignee_ids: [1], milestone_id: 3 },
        [
          `POST ${at}/issues`,
          { title: 't', description: 'd', assignee_ids: [1], milestone_id: 3, labels: ['bug', 'ui'] },
        ],
      ],
    ],
    update_issue: [
      [{ ...project, issue_iid: 42, state_event: 'close' }, [`PUT ${at}/issues/42`, { state_event: 'close' }]],
      [
        { ...project, issue_iid: 42, title: 't', description: 'd', labels: 'bug', assignee_ids: [1], milestone_id: 3 },
        [`PUT ${at}/issues/42`, { title: 't', description: 'd', assignee_ids: [1], milestone_id: 3, labels: ['bug'] }],
      ],
    ],
    list_pipelines: [
      [project, `GET ${at}/pipelines?per_page=20`],
      [
        { ...project, status: 'failed', ref: 'main', per_page: 5 },
        `GET ${at}/pipelines?status=failed&ref=main&per_page=5`,
      ],
    ],
    get_pipeline: [[{ ...project, pipeline_id: 9 }, `GET ${at}/pipelines/9`]],
    list_branches: [
      [project, `GET ${at}/repository/branches?per_page=20`],
      [{ ...project, search: '^rel', per_page: 5 }, `GET ${at}/repository/branches?search=^rel&per_page=5`],
    ],
    get_file: [
      [{ ...project, file_path: 'README.md' }, `GET ${at}/repository/files/README.md?ref=main`],
      [{ ...project, file_path: 'src/a b.ts', ref: 'v1' }, `GET ${at}/repository/files/src%2Fa b.ts?ref=v1`],
    ],
    list_commits: [
      [project, `GET ${at}/repository/commits?per_page=20`],
      [{ ...project, ref_name: 'main', per_page: 5 }, `GET ${at}/repository/commits?ref_name=main&per_page=5`],
    ],
    list_project_members: pages(`${at}/members`),
    list_groups: [
      [{}, 'GET /groups?per_page=20'],
      [{ search: 'acme', per_page: 5 }, 'GET /groups?search=acme&per_page=5'],
    ],
    list_mr_discussions: pages(`${at}/merge_requests/7/discussions`, mr),
    add_mr_note: [[{ ...mr, body: 'b' }, [`POST ${at}/merge_requests/7/notes`, { body: 'b' }]]],
    list_milestones: [
      [project, `GET ${at}/milestones?per_page=20`],
      [{ ...project, state: 'active', per_page: 5 }, `GET ${at}/milestones?state=active&per_page=5`],
    ],
    list_labels: pages(`${at}/labels`),
    get_repository_tree: [
      [project, `GET ${at}/repository/tree?recursive=false&pagination=keyset&per_page=20`],
      [
        { ...project, path: 'src', ref: 'main', recursive: true, per_page: 5 },
        `GET ${at}/repository/tree?path=src&ref=main&recursive=true&pagination=keyset&per_page=5`,
      ],
    ],
    search_users: [
      [{ search: 'ada' }, 'GET /users?search=ada&per_page=10'],
      [{ search: 'ada', per_page: 5 }, 'GET /users?search=ada&per_page=5'],
    ],
    retry_pipeline: [[{ ...project, pipeline_id: 9 }, `POST ${at}/pipelines/9/retry`]],
  },
}
