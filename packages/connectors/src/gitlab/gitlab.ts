/** GitLab: projects, merge requests, issues, pipelines and repositories, at gitlab.com or a server of one's own. REST API v4. */
import { z } from 'zod'
import {
  bool,
  changed,
  choice,
  link,
  many,
  maybe,
  num,
  prose,
  rest,
  shape,
  str,
  strs,
  text,
  textOf,
  vendor,
  whole,
} from '../kit/index.ts'

const { read, write } = rest({
  base: 'https://gitlab.com/api/v4',
  paging: link('page', { name: 'per_page', default: 20, max: 100 }),
})

const project = { project_id: text('Number or path of the project, e.g. acme/web') }
const mr = { ...project, merge_request_iid: whole('Number in the project, e.g. 7') }
const issue = { ...project, issue_iid: whole('Number in the project, e.g. 42') }
const pipeline = { ...project, pipeline_id: whole('From gitlab_list_pipelines, e.g. 123') }
const labels = maybe('Names separated by commas, e.g. bug,ui')
const issueMembers = {
  description: maybe('Markdown'),
  labels,
  assignee_ids: z.array(z.int()).optional().describe('From gitlab_search_users, e.g. 12'),
  milestone_id: whole('From gitlab_list_milestones, e.g. 3').optional(),
}
/** The body takes a list. */
const listed = (value: string | undefined) => value?.split(',').map((item) => item.trim())
const STATES = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const

const Project = shape({
  id: str(),
  path: str('path_with_namespace'),
  name: str(),
  description: prose('description', 300),
  visibility: str(),
  default_branch: str(),
  archived: bool(),
  stars: num('star_count'),
  open_issues: num('open_issues_count'),
  last_activity_at: str(),
  url: str('web_url'),
})
const MergeRequest = shape({
  iid: num(),
  title: str(),
  state: str(),
  draft: bool(),
  author: str('author.username'),
  source_branch: str(),
  target_branch: str(),
  labels: strs(),
  updated_at: str(),
  url: str('web_url'),
})
const FullMergeRequest = shape({
  ...MergeRequest.fields,
  description: prose('description', 20_000),
  merge_status: str('detailed_merge_status'),
  changes: str('changes_count'),
  pipeline: str('head_pipeline.status'),
  merged_at: str(),
})
const Issue = shape({
  iid: num(),
  title: str(),
  state: str(),
  author: str('author.username'),
  assignees: strs('assignees[].username'),
  labels: strs(),
  milestone: str('milestone.title'),
  due_date: str(),
  updated_at: str(),
  url: str('web_url'),
})
const FullIssue = shape({
  ...Issue.fields,
  description: prose('description', 20_000),
  created_at: str(),
  closed_at: str(),
})
const Pipeline = shape({
  id: num(),
  status: str(),
  ref: str(),
  sha: str(),
  source: str(),
  created_at: str(),
  url: str('web_url'),
})
const FullPipeline = shape({
  ...Pipeline.fields,
  user: str('user.username'),
  duration: num(),
  started_at: str(),
  finished_at: str(),
})
const Branch = shape({
  name: str(),
  default: bool(),
  protected: bool(),
  merged: bool(),
  commit: str('commit.short_id'),
  commit_title: str('commit.title'),
  committed_at: str('commit.committed_date'),
})
const File = shape({
  path: str('file_path'),
  ref: str(),
  size: num(),
  commit: str('last_commit_id'),
  text: prose('text', 100_000),
})
const Commit = shape({
  id: str(),
  title: str(),
  author: str('author_name'),
  date: str('committed_date'),
  url: str('web_url'),
})
const Member = shape({ id: num(), username: str(), name: str(), state: str(), access_level: num(), expires_at: str() })
const Group = shape({
  id: num(),
  path: str('full_path'),
  name: str('full_name'),
  description: prose('description', 300),
  visibility: str(),
  url: str('web_url'),
})
const Note = shape({
  id: num(),
  author: str('author.username'),
  body: prose('body', 4_000),
  created_at: str(),
  system: bool(),
})
const Discussion = shape({ id: str(), notes: many(shape({ ...Note.fields, resolved: bool() }), 'notes') })
const Milestone = shape({
  id: num(),
  iid: num(),
  title: str(),
  state: str(),
  start_date: str(),
  due_date: str(),
  url: str('web_url'),
})
const Label = shape({ id: num(), name: str(), description: str(), color: str(), open_issues: num('open_issues_count') })
const Entry = shape({ path: str(), name: str(), type: str(), id: str() })
const User = shape({
  id: num(),
  username: str(),
  name: str(),
  state: str(),
  email: str('public_email'),
  url: str('web_url'),
})

export const gitlab = vendor({
  id: 'gitlab',
  auth: { provider: 'gitlab' },
  scopes: { read: ['read_api'], write: ['api'], destructive: ['api'] },
  whoami: 'list_groups',
  quota: { left: 'ratelimit-remaining', resets: 'ratelimit-reset', unit: 'seconds' },
  resources: {
    'gitlab://project/{project_id}': 'get_project',
  },
  tools: {
    list_projects: read('GET /projects', {
      says: 'List projects, most recently active first. Unless limited by membership, all public projects are included.',
      input: {
        membership: z.boolean().default(true).describe('Only projects that the account is a member of'),
        search: maybe('Part of the name'),
        order_by: choice(['id', 'name', 'path', 'created_at', 'updated_at', 'last_activity_at']).default(
          'last_activity_at',
        ),
        sort: choice(['asc', 'desc']).default('desc'),
      },
      list: Project,
    }),
    get_project: read('GET /projects/{project_id}', {
      says: 'Get the description, visibility and default branch of a project.',
      input: project,
      output: Project,
    }),
    list_merge_requests: read('GET /projects/{project_id}/merge_requests', {
      says: 'List the merge requests in a project by state, newest first.',
      input: { ...project, state: choice(['opened', 'closed', 'merged', 'all']).default('opened') },
      list: MergeRequest,
    }),
    get_merge_request: read('GET /projects/{project_id}/merge_requests/{merge_request_iid}', {
      says: 'Get one merge request with its text and whether it can be merged.',
      input: mr,
      output: FullMergeRequest,
    }),
    create_merge_request: write('POST /projects/{project_id}/merge_requests', {
      says: 'Open a merge request from one branch to another.',
      input: {
        ...project,
        source_branch: text('e.g. feature/x'),
        target_branch: text('e.g. main'),
        title: text('Title in one line'),
        description: maybe('Markdown'),
      },
      output: FullMergeRequest,
    }),
    list_issues: read('GET /projects/{project_id}/issues', {
      says: 'List the issues in a project by state and labels, newest first.',
      input: { ...project, state: choice(['opened', 'closed', 'all']).default('opened'), labels },
      list: Issue,
    }),
    get_issue: read('GET /projects/{project_id}/issues/{issue_iid}', {
      says: 'Get one issue with its text.',
      input: issue,
      output: FullIssue,
    }),
    create_issue: write('POST /projects/{project_id}/issues', {
      says: 'Open an issue in a project.',
      input: { ...project, title: text('Title in one line'), ...issueMembers },
      send: ({ labels: names, ...others }) => ({ ...others, labels: listed(names) }),
      output: FullIssue,
    }),
    update_issue: write('PUT /projects/{project_id}/issues/{issue_iid}', {
      says: 'Change the title, text, labels, assignees or milestone of an issue, or close or reopen it.',
      input: {
        ...issue,
        title: maybe('New title'),
        state_event: choice(['close', 'reopen']).optional(),
        ...issueMembers,
      },
      send: ({ project_id, issue_iid, labels: names, ...members }) => ({
        project_id,
        issue_iid,
        ...changed({ ...members, labels: listed(names) }),
      }),
      output: FullIssue,
    }),
    list_pipelines: read('GET /projects/{project_id}/pipelines', {
      says: 'List the CI pipelines in a project by status and ref, newest first.',
      input: { ...project, status: choice(STATES).optional(), ref: maybe('Branch or tag, e.g. main') },
      list: Pipeline,
    }),
    get_pipeline: read('GET /projects/{project_id}/pipelines/{pipeline_id}', {
      says: 'Get the status and times of a CI pipeline.',
      input: pipeline,
      output: FullPipeline,
    }),
    list_branches: read('GET /projects/{project_id}/repository/branches', {
      says: 'List the branches in a repository with their last commits.',
      input: { ...project, search: maybe('Part of the name; ^ and $ mark beginning and end') },
      list: Branch,
    }),
    get_file: read('GET /projects/{project_id}/repository/files/{file_path}', {
      says: 'Read a text file in a repository at a branch, tag or commit.',
      input: {
        ...project,
        file_path: text('Path in the repository, e.g. src/index.ts'),
        ref: z.string().default('main').describe('Branch, tag or commit; HEAD is the default branch'),
      },
      output: File,
      give: (file) => ({ ...file, text: textOf(String(file['content'] ?? '')) ?? 'The file is not text.' }),
    }),
    list_commits: read('GET /projects/{project_id}/repository/commits', {
      says: 'List the commits on a branch, newest first.',
      input: { ...project, ref_name: maybe('Branch or tag, e.g. main') },
      list: Commit,
    }),
    list_project_members: read('GET /projects/{project_id}/members', {
      says: 'List the direct members of a project. Access levels: 10 guest, 20 reporter, 30 developer, 40 maintainer, 50 owner.',
      input: project,
      list: Member,
    }),
    list_groups: read('GET /groups', {
      says: 'List the groups that the connected account can see.',
      input: { search: maybe('Part of the name') },
      list: Group,
    }),
    list_mr_discussions: read('GET /projects/{project_id}/merge_requests/{merge_request_iid}/discussions', {
      says: 'List the discussion threads of a merge request.',
      input: mr,
      list: Discussion,
    }),
    add_mr_note: write('POST /projects/{project_id}/merge_requests/{merge_request_iid}/notes', {
      says: 'Comment on a merge request.',
      input: { ...mr, body: text('Markdown') },
      output: Note,
    }),
    list_milestones: read('GET /projects/{project_id}/milestones', {
      says: 'List the milestones in a project by state.',
      input: { ...project, state: choice(['active', 'closed']).optional() },
      list: Milestone,
    }),
    list_labels: read('GET /projects/{project_id}/labels', {
      says: 'List the labels in a project.',
      input: project,
      list: Label,
    }),
    get_repository_tree: read('GET /projects/{project_id}/repository/tree', {
      says: 'List the files and folders in a repository at a path and ref.',
      input: {
        ...project,
        path: maybe('Folder, e.g. src'),
        ref: maybe('Branch, tag or commit'),
        recursive: z.boolean().default(false).describe('Include subfolders'),
      },
      // Numbered pages of the tree are deprecated.
      send: (input) => ({ ...input, pagination: 'keyset' }),
      paging: link('page_token', { name: 'per_page', default: 20, max: 100 }),
      list: Entry,
    }),
    search_users: read('GET /users', {
      says: 'Find users by name, username or email; an email address must be complete and public.',
      input: { search: text('e.g. ada') },
      list: User,
      size: { default: 10 },
    }),
    retry_pipeline: write('POST /projects/{project_id}/pipelines/{pipeline_id}/retry', {
      says: 'Run the failed and canceled jobs of a pipeline again.',
      input: pipeline,
      output: FullPipeline,
    }),
  },
})
