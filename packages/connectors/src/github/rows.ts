/** The cases of GitHub: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const repo = { owner: 'o', repo: 'r' }

export const rows: VendorRows = {
  described: ['github.json'],
  failures: [
    {
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795435290' },
      body: { message: 'API rate limit exceeded' },
      word: 'RATE_LIMITED',
      retryAfter: 90,
    },
    {
      status: 403,
      headers: { 'retry-after': '60' },
      body: { message: 'You have exceeded a secondary rate limit' },
      word: 'RATE_LIMITED',
      retryAfter: 60,
    },
    {
      status: 422,
      body: { message: 'Validation Failed', errors: [{ field: 'title', code: 'missing' }] },
      word: 'INVALID_ARGUMENT',
    },
  ],
  // With this member an issue is a pull request, which the tool leaves out.
  without: { list_issues: ['pull_request'] },
  answers: {
    get_file_content: [
      [{ type: 'file', encoding: 'base64', content: 'SGVsbG8=\n', path: 'a', size: 5, sha: 's', html_url: 'u' }],
      [{ type: 'file', encoding: 'none', content: '', path: 'big', size: 2_000_000 }, 'text'],
      [[{ name: 'a', type: 'file', size: 5, path: 'dir/a' }]],
    ],
    // The description has a payload for each type of event; a sample is one of them.
    get_user_activity: [
      [
        [
          { type: 'CreateEvent', repo: { name: 'o/r' }, payload: { ref: 'main' }, created_at: '2026-11-22T12:00:00Z' },
          {
            type: 'IssuesEvent',
            payload: { action: 'opened', issue: { title: 't', number: 7, html_url: 'https://a.example/7' } },
          },
        ],
      ],
    ],
  },
  tools: {
    list_repositories: [
      [{}, 'GET /user/repos?type=all&sort=updated&per_page=10'],
      [
        { type: 'owner', sort: 'created', per_page: 100, cursor: '2' },
        'GET /user/repos?type=owner&sort=created&per_page=100&page=2',
      ],
    ],
    get_repository: [[repo, 'GET /repos/o/r']],
    list_issues: [
      [repo, 'GET /repos/o/r/issues?state=open&per_page=10'],
      [
        { ...repo, state: 'all', labels: 'bug,ui', per_page: 5 },
        'GET /repos/o/r/issues?state=all&labels=bug%2Cui&per_page=5',
      ],
    ],
    get_issue: [[{ ...repo, issue_number: 1 }, 'GET /repos/o/r/issues/1']],
    create_issue: [
      [{ ...repo, title: 't' }, ['POST /repos/o/r/issues', { title: 't' }]],
      [
        { ...repo, title: 't', body: 'b', labels: ['bug'], assignees: ['ada'], milestone: 3 },
        ['POST /repos/o/r/issues', { title: 't', body: 'b', labels: ['bug'], assignees: ['ada'], milestone: 3 }],
      ],
    ],
    update_issue: [
      [{ ...repo, issue_number: 1, title: 't' }, ['PATCH /repos/o/r/issues/1', { title: 't' }]],
      [
        {
          ...repo,
          issue_number: 1,
          title: 't',
          body: 'b',
          state: 'closed',
          labels: [],
          assignees: ['ada'],
          milestone: 3,
        },
        [
          'PATCH /repos/o/r/issues/1',
          { title: 't', state: 'closed', body: 'b', labels: [], assignees: ['ada'], milestone: 3 },
        ],
      ],
    ],
    get_file_content: [
      [{ ...repo, path: 'a b.md' }, 'GET /repos/o/r/contents/a b.md'],
      [{ ...repo, path: '/src/index.ts', ref: 'feature/x' }, 'GET /repos/o/r/contents/src/index.ts?ref=feature%2Fx'],
    ],
    list_pull_requests: [
      [repo, 'GET /repos/o/r/pulls?state=open&per_page=10'],
      [{ ...repo, state: 'closed', per_page: 1 }, 'GET /repos/o/r/pulls?state=closed&per_page=1'],
    ],
    search_repositories: [
      [{ q: 'a b' }, 'GET /search/repositories?q=a b&order=desc&per_page=10'],
      [
        { q: 'stars:>9', sort: 'stars', order: 'asc', per_page: 2, cursor: '3' },
        'GET /search/repositories?q=stars%3A>9&sort=stars&order=asc&per_page=2&page=3',
      ],
    ],
    check_token_scopes: [[{}, 'GET /user']],
    list_organizations: [
      [{}, 'GET /user/orgs?per_page=10'],
      [{ per_page: 30, cursor: '2' }, 'GET /user/orgs?per_page=30&page=2'],
    ],
    get_user_info: [[{ username: 'u' }, 'GET /users/u', 'GET /users/u/repos?per_page=20']],
    search_users_by_email: [
      [{ email: 'a@b.c' }, 'GET /search/users?q=a%40b.c in%3Aemail&per_page=5'],
      [{ email: 'a+b@c.d', per_page: 30 }, 'GET /search/users?q=a%2Bb%40c.d in%3Aemail&per_page=30'],
    ],
    list_commits: [
      [repo, 'GET /repos/o/r/commits?per_page=10'],
      [
        {
          ...repo,
          sha: 'main',
          path: 'src',
          author: 'ada',
          since: '2026-01-01T00:00:00Z',
          until: '2026-02-01T00:00:00Z',
          per_page: 2,
        },
        'GET /repos/o/r/commits?sha=main&path=src&author=ada&since=2026-01-01T00%3A00%3A00Z&until=2026-02-01T00%3A00%3A00Z&per_page=2',
      ],
    ],
    get_commit: [
      [{ ...repo, sha: 'abc' }, 'GET /repos/o/r/commits/abc?per_page=50'],
      [{ ...repo, sha: 'feature/x' }, 'GET /repos/o/r/commits/feature%2Fx?per_page=50'],
    ],
    compare_commits: [
      [{ ...repo, base: 'a', head: 'b' }, 'GET /repos/o/r/compare/a...b?per_page=50'],
      [{ ...repo, base: 'main', head: 'feature/x' }, 'GET /repos/o/r/compare/main...feature%2Fx?per_page=50'],
    ],
    list_branches: [
      [repo, 'GET /repos/o/r/branches?per_page=10'],
      [{ ...repo, protected: true, per_page: 2 }, 'GET /repos/o/r/branches?protected=true&per_page=2'],
    ],
    get_branch: [
      [{ ...repo, branch: 'main' }, 'GET /repos/o/r/branches/main'],
      [{ ...repo, branch: 'feature/x' }, 'GET /repos/o/r/branches/feature%2Fx'],
    ],
    get_user_activity: [
      [{ username: 'u' }, 'GET /users/u/events?per_page=10'],
      [{ username: 'u', per_page: 2 }, 'GET /users/u/events?per_page=2'],
    ],
    get_user_stats: [[{ username: 'u' }, 'GET /users/u', 'GET /users/u/repos?per_page=100']],
    list_contributors: [
      [repo, 'GET /repos/o/r/contributors?per_page=10'],
      [{ ...repo, per_page: 2 }, 'GET /repos/o/r/contributors?per_page=2'],
    ],
    get_repo_stats: [[repo, 'GET /repos/o/r', 'GET /repos/o/r/languages']],
    list_workflows: [
      [repo, 'GET /repos/o/r/actions/workflows?per_page=10'],
      [{ ...repo, per_page: 2 }, 'GET /repos/o/r/actions/workflows?per_page=2'],
    ],
    list_workflow_runs: [
      [repo, 'GET /repos/o/r/actions/runs?per_page=10'],
      [
        { ...repo, workflow_id: 'ci.yml', status: 'success', per_page: 2 },
        'GET /repos/o/r/actions/workflows/ci.yml/runs?status=success&per_page=2',
      ],
    ],
    get_workflow_run: [[{ ...repo, run_id: 7 }, 'GET /repos/o/r/actions/runs/7']],
    list_releases: [
      [repo, 'GET /repos/o/r/releases?per_page=10'],
      [{ ...repo, per_page: 2 }, 'GET /repos/o/r/releases?per_page=2'],
    ],
    get_release: [
      [{ ...repo, release_id: 'latest' }, 'GET /repos/o/r/releases/latest'],
      [{ ...repo, release_id: 'v1.2' }, 'GET /repos/o/r/releases/tags/v1.2'],
      [{ ...repo, release_id: '42' }, 'GET /repos/o/r/releases/42'],
    ],
  },
}
