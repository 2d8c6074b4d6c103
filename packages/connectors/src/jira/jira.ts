/** Jira: issues, projects, boards, sprints and versions. Platform REST API 3 and Software REST API 1.0 of Jira Cloud. */
import { z } from 'zod'
import { adfOf } from '../atlassian/adf.ts'
import { siteOf } from '../atlassian/site.ts'
import { changed, choice, maybe, offset, rest, text, texts, token, vendor, whole } from '../kit/index.ts'
import * as Shapes from './shapes.ts'

const SITE = 'https://api.atlassian.com/ex/jira/{cloudId}'
const site = siteOf('jira')
const size = { name: 'max_results', as: 'maxResults', default: 10, max: 100 }

const { read, write } = rest({
  base: `${SITE}/rest/api/3`,
  place: site,
  lists: 'comma',
  paging: offset('values', 'startAt', size, { total: 'total', last: 'isLast' }),
})
const agile = rest({
  base: `${SITE}/rest/agile/1.0`,
  place: site,
  lists: 'comma',
  paging: offset('values', 'startAt', size, { last: 'isLast' }),
})

const issue_key = text('e.g. ENG-123')
const project_key = text('e.g. ENG')
const fields = texts('In place of the usual fields, e.g. customfield_10016')
const content = {
  description: maybe('Plain text'),
  assignee_id: maybe('From jira_search_users'),
  priority_name: maybe('e.g. High'),
  labels: texts('They replace the issue’s labels, e.g. backend'),
}
const board_id = whole('From jira_list_boards')
const sprint_id = whole('From jira_list_sprints')
const USERS = ['read:jira-user']
const BOARDS = ['read:board-scope:jira-software']
const SPRINTS = ['read:sprint:jira-software']
const SPRINT_ISSUES = [...SPRINTS, 'read:issue-details:jira', 'read:jql:jira']

type Content = Readonly<{ [K in keyof typeof content]?: z.output<(typeof content)[K]> }>

/** The inputs of an issue as fields of Jira. */
const fieldsOf = ({ description, assignee_id, priority_name, labels }: Content) => ({
  description: description === undefined ? undefined : adfOf(description),
  assignee: assignee_id === undefined ? undefined : { id: assignee_id },
  priority: priority_name === undefined ? undefined : { name: priority_name },
  labels,
})

export const jira = vendor({
  id: 'jira',
  auth: { provider: 'jira' },
  scopes: { read: ['read:jira-work'], write: ['write:jira-work'] },
  whoami: 'get_current_user',
  resources: {
    'jira://project/{project_key}': 'get_project',
    'jira://issue/{issue_key}': 'get_issue',
    'jira://board/{board_id}': 'get_board',
  },
  tools: {
    search_issues: read('GET /search/jql', {
      says: 'Search issues with JQL. Jira refuses a search without a limit such as a project, a person or a date.',
      input: { jql: text('e.g. project = ENG AND status != Done ORDER BY updated DESC'), fields },
      send: ({ jql, fields = Shapes.USUAL }) => ({ jql, fields }),
      paging: token('nextPageToken', 'nextPageToken', size),
      at: 'issues',
      list: Shapes.Issue,
      give: (issue) => Shapes.issueOf(issue, Shapes.USUAL),
    }),
    get_issue: read('GET /issue/{issueIdOrKey}', {
      says: 'Get one issue with its description and first 20 comments; other fields are returned under "more".',
      input: { issue_key, fields },
      send: ({ issue_key, fields = Shapes.ALL }) => ({ issueIdOrKey: issue_key, fields }),
      output: Shapes.FullIssue,
      give: (issue) => Shapes.issueOf(issue, Shapes.ALL),
    }),
    create_issue: write('POST /issue', {
      says: 'Create an issue in a project. Returns its key.',
      input: { project_key, summary: text('Title in one line'), issue_type: text('e.g. Task, Bug'), ...content },
      send: ({ project_key, summary, issue_type, ...rest }) => ({
        fields: { project: { key: project_key }, summary, issuetype: { name: issue_type }, ...fieldsOf(rest) },
      }),
      output: Shapes.Created,
    }),
    update_issue: write('PUT /issue/{issueIdOrKey}', {
      says: 'Change the summary, description, assignee, priority or labels of an issue.',
      input: { issue_key, summary: maybe('New title'), ...content },
      send: ({ issue_key, ...changes }) => {
        const { summary, ...rest } = changed(changes)
        return { issueIdOrKey: issue_key, fields: { summary, ...fieldsOf(rest) } }
      },
    }),
    transition_issue: write('POST /issue/{issueIdOrKey}/transitions', {
      says: 'Move an issue to another status by one of its transitions, optionally with a comment.',
      input: { issue_key, transition_id: text('From jira_get_transitions, e.g. 31'), comment: maybe('Plain text') },
      send: ({ issue_key, transition_id, comment }) => ({
        issueIdOrKey: issue_key,
        transition: { id: transition_id },
        update: comment === undefined ? undefined : { comment: [{ add: { body: adfOf(comment) } }] },
      }),
    }),
    get_transitions: read('GET /issue/{issueIdOrKey}/transitions', {
      says: 'List the transitions that are available for an issue now, with the status that each leads to.',
      input: { issue_key },
      send: ({ issue_key }) => ({ issueIdOrKey: issue_key }),
      paging: false,
      at: 'transitions',
      list: Shapes.Transition,
    }),
    assign_issue: write('PUT /issue/{issueIdOrKey}/assignee', {
      says: 'Assign an issue to a person, or remove its assignee.',
      input: {
        issue_key,
        account_id: z.string().nullable().describe('From jira_search_users; null: nobody, -1: the default assignee'),
      },
      send: ({ issue_key, account_id }) => ({ issueIdOrKey: issue_key, accountId: account_id }),
    }),
    add_comment: write('POST /issue/{issueIdOrKey}/comment', {
      says: 'Comment on an issue.',
      input: { issue_key, body: text('Plain text') },
      send: ({ issue_key, body }) => ({ issueIdOrKey: issue_key, body: adfOf(body) }),
      output: Shapes.Comment,
      give: Shapes.commentOf,
    }),
    get_comments: read('GET /issue/{issueIdOrKey}/comment', {
      says: 'List the comments on an issue, oldest first.',
      input: { issue_key },
      send: ({ issue_key }) => ({ issueIdOrKey: issue_key }),
      paging: offset('comments', 'startAt', size, { total: 'total' }),
      at: 'comments',
      list: Shapes.Comment,
      give: Shapes.commentOf,
    }),
    list_projects: read('GET /project/search', {
      says: 'List the projects that the connected person can see; other tools require their keys.',
      send: () => ({ expand: 'lead,insight' }),
      at: 'values',
      list: Shapes.Project,
    }),
    get_project: read('GET /project/{projectIdOrKey}', {
      says: 'Get one project with its issue types and components.',
      input: { project_key },
      send: ({ project_key }) => ({ projectIdOrKey: project_key }),
      output: Shapes.FullProject,
    }),
    list_boards: agile.read('GET /board', {
      says: 'List Scrum and Kanban boards, in all projects or in one.',
      input: { project_key: maybe('e.g. ENG') },
      send: ({ project_key }) => ({ projectKeyOrId: project_key }),
      at: 'values',
      list: Shapes.Board,
      scopes: [...BOARDS, 'read:project:jira'],
    }),
    get_board: agile.read('GET /board/{boardId}', {
      says: 'Get the name, type and project of one board.',
      input: { board_id },
      send: ({ board_id }) => ({ boardId: board_id }),
      output: Shapes.Board,
      scopes: [...BOARDS, 'read:issue-details:jira'],
    }),
    list_sprints: agile.read('GET /board/{boardId}/sprint', {
      says: 'List the sprints of a Scrum board, the closed ones first. A Kanban board has none and is refused.',
      input: { board_id, state: choice(['active', 'future', 'closed']).optional() },
      send: ({ board_id, state }) => ({ boardId: board_id, state }),
      at: 'values',
      list: Shapes.Sprint,
      scopes: SPRINTS,
    }),
    get_sprint: agile.read('GET /sprint/{sprintId}', {
      says: 'Get the state, goal and dates of one sprint.',
      input: { sprint_id },
      send: ({ sprint_id }) => ({ sprintId: sprint_id }),
      output: Shapes.Sprint,
      scopes: SPRINTS,
    }),
    get_sprint_issues: agile.read('GET /sprint/{sprintId}/issue', {
      says: 'List the issues in a sprint.',
      input: { sprint_id },
      send: ({ sprint_id }) => ({ sprintId: sprint_id, fields: Shapes.USUAL }),
      paging: offset('issues', 'startAt', size, { total: 'total' }),
      at: 'issues',
      list: Shapes.Issue,
      give: (issue) => Shapes.issueOf(issue, Shapes.USUAL),
      scopes: SPRINT_ISSUES,
    }),
    search_users: read('GET /user/search', {
      says: 'Find people by name or email address among the site’s first 1,000 people; other tools require their account IDs.',
      input: { query: text('e.g. ada') },
      paging: offset('', 'startAt', size),
      list: Shapes.User,
      scopes: USERS,
    }),
    get_current_user: read('GET /myself', {
      says: 'Get the connected account.',
      output: Shapes.Self,
      scopes: USERS,
    }),
    list_versions: read('GET /project/{projectIdOrKey}/version', {
      says: 'List the versions (releases) of a project.',
      input: { project_key },
      send: ({ project_key }) => ({ projectIdOrKey: project_key }),
      at: 'values',
      list: Shapes.Version,
    }),
    get_version: read('GET /version/{id}', {
      says: 'Get the dates and state of one version.',
      input: { version_id: text('From jira_list_versions, e.g. 10001') },
      send: ({ version_id }) => ({ id: version_id }),
      output: Shapes.FullVersion,
    }),
  },
})
