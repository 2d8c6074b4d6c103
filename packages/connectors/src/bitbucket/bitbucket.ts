/** Bitbucket Cloud: repositories, pull requests, issues, pipelines and workspaces. REST API 2.0. */
import { z } from 'zod'
import {
  bool,
  choice,
  has,
  many,
  maybe,
  nextAddress,
  num,
  prose,
  rest,
  shape,
  str,
  strs,
  text,
  vendor,
  whole,
  type Json,
} from '../kit/index.ts'

const { read, write } = rest({
  base: 'https://api.bitbucket.org/2.0',
  paging: nextAddress('next', 'page', { name: 'pagelen', default: 25, max: 100 }),
})

const workspace = { workspace: text('Slug of the workspace, e.g. acme') }
const repo = { ...workspace, repo_slug: text('Slug of the repository, e.g. web') }
const pr = { ...repo, pull_request_id: whole('Number of the pull request, e.g. 7') }
const q = maybe('Filter in Bitbucket’s query language, e.g. name ~ "web"')
const REPO = '/repositories/{workspace}/{repo_slug}'
const TRACKER = 'The built-in tracker is deprecated; repositories without it return NOT_FOUND.'

const Repository = shape({
  full_name: str(),
  name: str(),
  description: prose('description', 300),
  is_private: bool(),
  language: str(),
  main_branch: str('mainbranch.name'),
  project: str('project.key'),
  updated_on: str(),
  url: str('links.html.href'),
})
const PullRequest = shape({
  id: num(),
  title: str(),
  state: str(),
  author: str('author.display_name'),
  source: str('source.branch.name'),
  destination: str('destination.branch.name'),
  comments: num('comment_count'),
  updated_on: str(),
  url: str('links.html.href'),
})
const FullPullRequest = shape({
  ...PullRequest.fields,
  description: prose('summary.raw', 20_000),
  reviewers: strs('reviewers[].display_name'),
  merge_commit: str('merge_commit.hash'),
  created_on: str(),
})
const Comment = shape({
  id: num(),
  author: str('user.display_name'),
  text: prose('content.raw', 4_000),
  path: str('inline.path'),
  line: num('inline.to'),
  created_on: str(),
  deleted: bool(),
  reply_to: str('parent.id'),
})
const Issue = shape({
  id: num(),
  title: str(),
  state: str(),
  kind: str(),
  priority: str(),
  reporter: str('reporter.display_name'),
  assignee: str('assignee.display_name'),
  updated_on: str(),
  url: str('links.html.href'),
})
const FullIssue = shape({ ...Issue.fields, content: prose('content.raw', 20_000), created_on: str(), votes: num() })
const Pipeline = shape({
  uuid: str(),
  build_number: num(),
  state: str('state.name'),
  result: str('state.result.name'),
  stage: str('state.stage.name'),
  branch: str('target.ref_name'),
  commit: str('target.commit.hash'),
  trigger: str('trigger.name'),
  creator: str('creator.display_name'),
  created_on: str(),
  completed_on: str(),
  seconds: num('build_seconds_used'),
})
const Branch = shape({
  name: str(),
  commit: str('target.hash'),
  message: prose('target.message', 200),
  date: str('target.date'),
})
const Commit = shape({ hash: str(), author: str('author.raw'), date: str(), message: prose('message', 300) })
const File = shape({
  path: str(),
  commit: str(),
  text: prose('text', 100_000),
  entries: many(shape({ path: str(), type: str() }), 'values'),
})
const Workspace = shape({
  slug: str('workspace.slug'),
  name: str('workspace.name'),
  uuid: str('workspace.uuid'),
  administrator: bool(),
})
const Member = shape({ uuid: str('user.uuid'), name: str('user.display_name'), since: str('user.created_on') })
const Diff = shape({ diff: prose('diff', 100_000), empty: has('empty') })

export const bitbucket = vendor({
  id: 'bitbucket',
  auth: { provider: 'bitbucket' },
  scopes: { read: ['repository'], write: ['repository:write'], destructive: ['repository:write'] },
  whoami: 'list_workspaces',
  resources: {
    'bitbucket://{workspace}/{repo_slug}': 'get_repository',
  },
  tools: {
    list_repositories: read('GET /repositories/{workspace}', {
      says: 'List the repositories in a workspace.',
      input: { ...workspace, q, sort: maybe('e.g. -updated_on') },
      at: 'values',
      list: Repository,
    }),
    get_repository: read(`GET ${REPO}`, {
      says: 'Get the description, main branch and project of a repository.',
      input: repo,
      output: Repository,
    }),
    list_pull_requests: read(`GET ${REPO}/pullrequests`, {
      says: 'List the pull requests in a repository by state, newest first.',
      input: { ...repo, state: choice(['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED']).default('OPEN') },
      at: 'values',
      list: PullRequest,
      size: { max: 50 },
      scopes: ['pullrequest'],
    }),
    get_pull_request: read(`GET ${REPO}/pullrequests/{pull_request_id}`, {
      says: 'Get one pull request with its text and reviewers.',
      input: pr,
      output: FullPullRequest,
      scopes: ['pullrequest'],
    }),
    create_pull_request: write(`POST ${REPO}/pullrequests`, {
      says: 'Open a pull request from one branch to another, by default to the main branch.',
      input: {
        ...repo,
        title: text('Title in one line'),
        source_branch: text('e.g. feature/x'),
        destination_branch: maybe('e.g. main'),
        description: maybe('Markdown'),
        close_source_branch: z.boolean().default(false),
      },
      send: ({ source_branch, destination_branch, ...others }) => ({
        ...others,
        type: 'pullrequest',
        source: { branch: { name: source_branch } },
        destination: destination_branch === undefined ? undefined : { branch: { name: destination_branch } },
      }),
      output: FullPullRequest,
      scopes: ['pullrequest:write'],
    }),
    list_pr_comments: read(`GET ${REPO}/pullrequests/{pull_request_id}/comments`, {
      says: 'List the comments on a pull request with the lines that they refer to.',
      input: pr,
      at: 'values',
      list: Comment,
      scopes: ['pullrequest'],
    }),
    add_pr_comment: write(`POST ${REPO}/pullrequests/{pull_request_id}/comments`, {
      says: 'Comment on a pull request.',
      input: { ...pr, body: text('Markdown') },
      send: ({ body, ...others }) => ({ ...others, type: 'pullrequest_comment', content: { raw: body } }),
      output: Comment,
      scopes: ['pullrequest'],
    }),
    list_issues: read(`GET ${REPO}/issues`, {
      says: `List the issues in a repository. ${TRACKER}`,
      input: { ...repo, q },
      at: 'values',
      list: Issue,
      scopes: ['issue'],
    }),
    get_issue: read(`GET ${REPO}/issues/{issue_id}`, {
      says: `Get one issue with its text. ${TRACKER}`,
      input: { ...repo, issue_id: whole('Number of the issue, e.g. 42') },
      output: FullIssue,
      scopes: ['issue'],
    }),
    create_issue: write(`POST ${REPO}/issues`, {
      says: `Open an issue in a repository. ${TRACKER}`,
      input: {
        ...repo,
        title: text('Title in one line'),
        content: maybe('Markdown'),
        kind: choice(['bug', 'enhancement', 'proposal', 'task']).default('bug'),
        priority: choice(['trivial', 'minor', 'major', 'critical', 'blocker']).default('major'),
      },
      send: ({ content, ...others }) => ({
        ...others,
        type: 'issue',
        content: content === undefined ? undefined : { raw: content },
      }),
      output: FullIssue,
      scopes: ['issue:write'],
    }),
    list_pipelines: read(`GET ${REPO}/pipelines`, {
      says: 'List the pipeline runs in a repository.',
      input: { ...repo, sort: maybe('e.g. created_on') },
      at: 'values',
      list: Pipeline,
      scopes: ['pipeline'],
    }),
    get_pipeline: read(`GET ${REPO}/pipelines/{pipeline_uuid}`, {
      says: 'Get the state and times of one pipeline run.',
      input: { ...repo, pipeline_uuid: text('With its braces, e.g. {1a2b3c4d-0000-0000-0000-000000000000}') },
      output: Pipeline,
      scopes: ['pipeline'],
    }),
    trigger_pipeline: write(`POST ${REPO}/pipelines`, {
      says: 'Start the pipeline of a branch, or of a commit on it.',
      input: { ...repo, branch: text('e.g. main'), commit: maybe('Hash of the commit') },
      send: ({ branch, commit, ...others }) => ({ ...others, type: 'pipeline', target: targetOf(branch, commit) }),
      output: Pipeline,
      scopes: ['pipeline:write'],
    }),
    list_branches: read(`GET ${REPO}/refs/branches`, {
      says: 'List the branches in a repository with their last commits.',
      input: { ...repo, q },
      at: 'values',
      list: Branch,
    }),
    list_commits: read(`GET ${REPO}/commits`, {
      says: 'List the commits in a repository, newest first.',
      input: repo,
      at: 'values',
      list: Commit,
    }),
    get_file: read(`GET ${REPO}/src/{commit}/{+path}`, {
      says: 'Read a text file in a repository at a commit or branch. For a folder, returns its entries.',
      input: {
        ...repo,
        commit: text('Hash or branch, e.g. main'),
        path: text('Path in the repository, e.g. src/index.ts'),
      },
      output: File,
      give: (body, { path, commit }, { body: raw }) => ({
        path,
        commit,
        ...(typeof raw === 'string' ? { text: raw } : body),
      }),
    }),
    list_workspaces: read('GET /user/workspaces', {
      says: 'List the workspaces of the connected account.',
      at: 'values',
      list: Workspace,
      scopes: ['account'],
    }),
    list_workspace_members: read('GET /workspaces/{workspace}/members', {
      says: 'List the members of a workspace.',
      input: workspace,
      at: 'values',
      list: Member,
      scopes: ['account'],
    }),
    get_diff: read(`GET ${REPO}/pullrequests/{pull_request_id}/diff`, {
      says: 'Get the unified diff of a pull request, at most 100,000 characters.',
      input: pr,
      output: Diff,
      give: (_, __, { body }): Json => (typeof body === 'string' && body !== '' ? { diff: body } : { empty: true }),
      scopes: ['pullrequest'],
    }),
  },
})

const targetOf = (branch: string, commit: string | undefined) => ({
  type: 'pipeline_ref_target',
  ref_type: 'branch',
  ref_name: branch,
  ...(commit === undefined ? {} : { commit: { type: 'commit', hash: commit } }),
})
