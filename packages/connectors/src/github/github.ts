/** GitHub: repositories, issues, pull requests, commits, Actions and releases. REST API of version 2022-11-28. */
import {
  changed,
  choice,
  flag,
  get,
  isJson,
  link,
  maybe,
  rest,
  text,
  textOf,
  texts,
  vendor,
  whole,
  type Json,
} from '../kit/index.ts'
import { githubFacts, githubQuota } from './api.ts'
import * as Shapes from './shapes.ts'

const { read, write, ask } = rest({
  ...githubFacts,
  paging: link('page', { name: 'per_page', default: 10, max: 100 }),
})

const repo = {
  owner: text('Owner, e.g. octocat'),
  repo: text('Name, e.g. hello-world'),
}
const username = text('Login, e.g. octocat')
const issue = {
  body: maybe('Markdown'),
  labels: texts('Label names; they replace the issue’s labels'),
  assignees: texts('Logins; they replace the issue’s assignees'),
  milestone: whole('Number of the milestone').optional(),
}
const state = choice(['open', 'closed', 'all']).default('open')
const RUN_STATES = [
  'completed',
  'action_required',
  'cancelled',
  'failure',
  'neutral',
  'skipped',
  'stale',
  'success',
  'timed_out',
  'in_progress',
  'queued',
  'requested',
  'waiting',
  'pending',
] as const
const none: readonly string[] = []

export const github = vendor({
  id: 'github',
  auth: { provider: 'github' },
  scopes: { read: ['repo'], write: ['repo'], destructive: ['repo'] },
  whoami: 'check_token_scopes',
  quota: githubQuota,
  resources: {
    'github://{owner}/{repo}': 'get_repository',
    'github://{owner}/{repo}/{+path}': 'get_file_content',
  },
  tools: {
    list_repositories: read('GET /user/repos', {
      says: 'List the repositories that the connected account can access, most recently updated first.',
      input: {
        type: choice(['all', 'owner', 'public', 'private', 'member']).default('all'),
        sort: choice(['created', 'updated', 'pushed', 'full_name']).default('updated'),
      },
      list: Shapes.Repository,
    }),
    get_repository: read('GET /repos/{owner}/{repo}', {
      says: 'Get the description, default branch, visibility and counts of a repository.',
      input: repo,
      output: Shapes.Repository,
    }),
    list_issues: read('GET /repos/{owner}/{repo}/issues', {
      says: 'List the issues in a repository, newest first. Pull requests are left out, so a page can be short.',
      input: { ...repo, state, labels: maybe('Label names separated by commas, e.g. bug,ui') },
      list: Shapes.Issue,
      keep: ({ pull_request }) => pull_request === undefined,
    }),
    get_issue: read('GET /repos/{owner}/{repo}/issues/{issue_number}', {
      says: 'Get one issue with its text.',
      input: { ...repo, issue_number: whole('Number of the issue, e.g. 42') },
      output: Shapes.FullIssue,
    }),
    create_issue: write('POST /repos/{owner}/{repo}/issues', {
      says: 'Open an issue in a repository.',
      input: { ...repo, title: text('Title in one line'), ...issue },
      output: Shapes.FullIssue,
    }),
    update_issue: write('PATCH /repos/{owner}/{repo}/issues/{issue_number}', {
      says: 'Change the title, text, state, labels, assignees or milestone of an issue.',
      input: {
        ...repo,
        issue_number: whole('Number of the issue, e.g. 42'),
        title: maybe('New title'),
        state: choice(['open', 'closed']).optional(),
        ...issue,
      },
      send: ({ owner, repo, issue_number, ...changes }) => ({ owner, repo, issue_number, ...changed(changes) }),
      output: Shapes.FullIssue,
    }),
    get_file_content: read.steps({
      says: 'Read a text file in a repository at a branch, tag or commit. For a folder, returns its entries.',
      input: {
        ...repo,
        path: text('Path in the repository, e.g. src/index.ts'),
        ref: maybe('Branch, tag or commit; default: the default branch'),
      },
      output: Shapes.FileContent,
      *run(input) {
        const { body } = yield* ask('GET /repos/{owner}/{repo}/contents/{+path}', input)
        if (Array.isArray(body)) return { path: input.path, type: 'dir', entries: body }
        const file = isJson(body) ? body : {}
        if (file['type'] !== 'file') return file
        // Files over 1 MB come without their content.
        const raw =
          file['encoding'] === 'none'
            ? (yield* ask('GET /repos/{owner}/{repo}/contents/{+path}', input, {
                accept: 'application/vnd.github.raw+json',
              })).body
            : textOf(String(file['content'] ?? ''))
        return typeof raw === 'string' ? { ...file, text: raw } : { ...file, note: 'The file is not text.' }
      },
    }),
    list_pull_requests: read('GET /repos/{owner}/{repo}/pulls', {
      says: 'List the pull requests in a repository, newest first.',
      input: { ...repo, state },
      list: Shapes.PullRequest,
    }),
    search_repositories: read('GET /search/repositories', {
      says: "Search all of GitHub for repositories with GitHub's search syntax. At most 1,000 results are available.",
      input: {
        q: text('e.g. language:go stars:>1000 gateway'),
        sort: choice(['stars', 'forks', 'help-wanted-issues', 'updated']).optional(),
        order: choice(['asc', 'desc']).default('desc'),
      },
      at: 'items',
      list: Shapes.Repository,
      scopes: none,
    }),
    check_token_scopes: read('GET /user', {
      says: 'Get the connected account and the OAuth scopes of its token.',
      output: Shapes.Token,
      give: (user, _, { headers }) => ({
        ...user,
        scopes: headers['x-oauth-scopes']?.split(', ').filter((scope) => scope !== ''),
      }),
      scopes: none,
    }),
    list_organizations: read('GET /user/orgs', {
      says: 'List the organizations that the connected account belongs to.',
      list: Shapes.Organization,
      scopes: ['read:org'],
    }),
    get_user_info: read.steps({
      says: 'Get a user’s public profile and their first 20 repositories.',
      input: { username },
      output: Shapes.ProfileWithRepositories,
      scopes: none,
      *run({ username }) {
        const user = yield* ask('GET /users/{username}', { username })
        const repositories = yield* ask('GET /users/{username}/repos', { username, per_page: 20 })
        return { ...(user.body as Json), repositories: repositories.body }
      },
    }),
    search_users_by_email: read('GET /search/users', {
      says: 'Find accounts by email address; only public addresses are found.',
      input: { email: text('e.g. octocat@github.com') },
      send: ({ email }) => ({ q: `${email} in:email` }),
      at: 'items',
      list: Shapes.User,
      size: { default: 5, max: 30 },
      scopes: none,
    }),
    list_commits: read('GET /repos/{owner}/{repo}/commits', {
      says: 'List the commits on a branch, newest first, filtered by path, author or time.',
      input: {
        ...repo,
        sha: maybe('Branch, tag or commit to start from'),
        path: maybe('Only commits that touch this path'),
        author: maybe('Login or email address'),
        since: maybe('e.g. 2026-01-31T00:00:00Z'),
        until: maybe('e.g. 2026-02-28T00:00:00Z'),
      },
      list: Shapes.Commit,
    }),
    get_commit: read('GET /repos/{owner}/{repo}/commits/{ref}', {
      says: 'Get a commit with its changed files and their patches, at most 50 files.',
      input: { ...repo, sha: text('Commit, branch or tag') },
      send: ({ sha, ...rest }) => ({ ...rest, ref: sha, per_page: 50 }),
      output: Shapes.FullCommit,
    }),
    compare_commits: read('GET /repos/{owner}/{repo}/compare/{basehead}', {
      says: 'Compare two branches, tags or commits: commits and changed files, at most 50 of each.',
      input: { ...repo, base: text('e.g. main'), head: text('e.g. feature/login') },
      send: ({ base, head, ...rest }) => ({ ...rest, basehead: `${base}...${head}`, per_page: 50 }),
      output: Shapes.Comparison,
    }),
    list_branches: read('GET /repos/{owner}/{repo}/branches', {
      says: 'List the branches in a repository with their head commits.',
      input: { ...repo, protected: flag('Only protected branches, or only unprotected ones') },
      list: Shapes.Branch,
    }),
    get_branch: read('GET /repos/{owner}/{repo}/branches/{branch}', {
      says: 'Get a branch, its protection and its head commit.',
      input: { ...repo, branch: text('e.g. main') },
      output: Shapes.FullBranch,
    }),
    get_user_activity: read('GET /users/{username}/events', {
      says: 'List the recent public events of a user: pushes, issues, reviews. GitHub keeps 30 days and 300 events.',
      input: { username },
      list: Shapes.Event,
      give: (event) => {
        const about = ['comment', 'review', 'pull_request', 'issue', 'release'].map((name) =>
          get(event, `payload.${name}`),
        )
        const [comment, review, pull, issue, release] = about
        const subject = pull ?? issue
        return {
          ...event,
          number: get(subject, 'number') ?? get(event, 'payload.number'),
          title: get(subject, 'title') ?? get(release, 'name'),
          url: get(comment ?? review ?? subject ?? release, 'html_url'),
        }
      },
      scopes: none,
    }),
    get_user_stats: read.steps({
      says: 'Get a user’s profile figures, with stars and main languages summed over up to 100 repositories.',
      input: { username },
      output: Shapes.UserStats,
      scopes: none,
      *run({ username }) {
        const user = yield* ask('GET /users/{username}', { username })
        const { body } = yield* ask('GET /users/{username}/repos', { username, per_page: 100 })
        return { ...(user.body as Json), ...sumsOf(Array.isArray(body) ? body : []) }
      },
    }),
    list_contributors: read('GET /repos/{owner}/{repo}/contributors', {
      says: 'List the contributors of a repository by number of commits.',
      input: repo,
      list: Shapes.Contributor,
    }),
    get_repo_stats: read.steps({
      says: 'Get a repository’s stars, forks, issues, size, license, topics and bytes per language.',
      input: repo,
      output: Shapes.RepositoryStats,
      *run(input) {
        const facts = yield* ask('GET /repos/{owner}/{repo}', input)
        const languages = yield* ask('GET /repos/{owner}/{repo}/languages', input)
        return { ...(facts.body as Json), language_bytes: languages.body }
      },
    }),
    list_workflows: read('GET /repos/{owner}/{repo}/actions/workflows', {
      says: 'List the Actions workflows in a repository.',
      input: repo,
      at: 'workflows',
      list: Shapes.Workflow,
    }),
    list_workflow_runs: read('GET /repos/{owner}/{repo}/actions/runs', {
      says: 'List the Actions runs in a repository or for one workflow, newest first.',
      input: { ...repo, workflow_id: maybe('Number or file name, e.g. ci.yml'), status: choice(RUN_STATES).optional() },
      route: ({ workflow_id }) =>
        workflow_id === undefined ? undefined : 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs',
      at: 'workflow_runs',
      list: Shapes.WorkflowRun,
    }),
    get_workflow_run: read('GET /repos/{owner}/{repo}/actions/runs/{run_id}', {
      says: 'Get the state and result of one Actions run.',
      input: { ...repo, run_id: whole('From github_list_workflow_runs') },
      output: Shapes.WorkflowRun,
    }),
    list_releases: read('GET /repos/{owner}/{repo}/releases', {
      says: 'List the releases in a repository, newest first.',
      input: repo,
      list: Shapes.Release,
    }),
    get_release: read('GET /repos/{owner}/{repo}/releases/tags/{release_id}', {
      says: 'Get a release with its notes and assets.',
      input: { ...repo, release_id: text('latest, a tag such as v1.2.0, or the number of a release') },
      route: ({ release_id }) =>
        release_id === 'latest'
          ? 'GET /repos/{owner}/{repo}/releases/latest'
          : /^\d+$/.test(release_id)
            ? 'GET /repos/{owner}/{repo}/releases/{release_id}'
            : undefined,
      send: ({ release_id, ...rest }) => (release_id === 'latest' ? rest : { ...rest, release_id }),
      output: Shapes.FullRelease,
    }),
  },
})

function sumsOf(repositories: readonly unknown[]): Json {
  const languages: Record<string, number> = {}
  for (const repository of repositories) {
    const language = get(repository, 'language')
    if (typeof language === 'string') languages[language] = (languages[language] ?? 0) + 1
  }
  const stars = repositories.reduce<number>(
    (sum, repository) => sum + (Number(get(repository, 'stargazers_count')) || 0),
    0,
  )
  return { repositories_counted: repositories.length, stars, languages }
}
