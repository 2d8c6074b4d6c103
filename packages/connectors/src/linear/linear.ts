/** Linear: issues, projects, cycles and comments. GraphQL. */
import {
  byCode,
  changed,
  graphql,
  isJson,
  many,
  maybe,
  num,
  bool,
  prose,
  shape,
  str,
  strs,
  text,
  texts,
  vendor,
} from '../kit/index.ts'
import { z } from 'zod'

const { read, write, destroy } = graphql({
  base: 'https://api.linear.app',
  path: '/graphql',
  size: { name: 'first', default: 50, max: 250 },
  failures: [
    // With HTTP 200 or 400; the code tells what failed.
    byCode('errors[].extensions.code', ({ body }) => isJson(body) && Array.isArray(body['errors']), {
      NEEDS_AUTH: ['AUTHENTICATION_ERROR', 'UNAUTHENTICATED'],
      PERMISSION_DENIED: ['FORBIDDEN', 'FEATURE_NOT_ACCESSIBLE'],
      RATE_LIMITED: ['RATELIMITED'],
      NOT_FOUND: ['ENTITY_NOT_FOUND'],
      INVALID_ARGUMENT: [
        'INPUT_ERROR',
        'USER_ERROR',
        'INVALID_INPUT',
        'BAD_USER_INPUT',
        'GRAPHQL_VALIDATION_FAILED',
        'GRAPHQL_PARSE_FAILED',
      ],
      UNAVAILABLE: ['INTERNAL_SERVER_ERROR'],
    }),
  ],
})

const TIMES = { createdAt: str(), updatedAt: str() }
const Issue = shape({
  id: str(),
  identifier: str(),
  title: str(),
  url: str(),
  state: str('state.name'),
  team: str('team.key'),
  project: str('project.name'),
  assignee: str('assignee.displayName'),
  priority: str('priorityLabel'),
  labels: strs('labels.nodes[].name'),
  dueDate: str(),
  ...TIMES,
})
const FullIssue = shape({
  ...Issue.fields,
  description: prose('description', 20_000),
  creator: str('creator.displayName'),
  attachments: many(shape({ title: str(), url: str() }), 'attachments.nodes', 20),
})
const FoundIssue = shape({
  id: str(),
  identifier: str(),
  title: str(),
  url: str(),
  state: str('state.name'),
  team: str('team.key'),
  assignee: str('assignee.displayName'),
  priority: str('priorityLabel'),
  updatedAt: str(),
})
const User = shape({ id: str(), name: str(), displayName: str(), email: str(), active: bool(), admin: bool() })
const Team = shape({ id: str(), key: str(), name: str(), description: prose('description', 300) })
const FullTeam = shape({ ...Team.fields, members: many(User, 'members.nodes') })
const Project = shape({
  id: str(),
  name: str(),
  description: prose('description', 300),
  url: str(),
  status: str('status.name'),
  progress: num(),
  lead: str('lead.displayName'),
  startDate: str(),
  targetDate: str(),
  ...TIMES,
})
const FullProject = shape({ ...Project.fields, content: prose('content', 20_000), teams: strs('teams.nodes[].key') })
const Cycle = shape({
  id: str(),
  number: num(),
  name: str(),
  startsAt: str(),
  endsAt: str(),
  progress: num(),
  isActive: bool(),
})
const FullCycle = shape({ ...Cycle.fields, team: str('team.key'), issues: many(FoundIssue, 'issues.nodes') })
const Label = shape({ id: str(), name: str(), description: str(), color: str(), team: str('team.key') })
const State = shape({ id: str(), name: str(), type: str(), position: num(), description: str() })
const Comment = shape({ id: str(), body: prose('body', 5_000), author: str('user.displayName'), url: str(), ...TIMES })

const id = (of: string) => text(`Identifier of the ${of}`)
const issueId = text('Identifier of the issue, e.g. ENG-123')
const priority = z.int().min(0).max(4).optional().describe('0 none, 1 urgent, 2 high, 3 medium, 4 low')
const by = (value: string | undefined) => ({ id: { eq: value } })

export const linear = vendor({
  id: 'linear',
  auth: { provider: 'linear' },
  scopes: { read: ['read'], write: ['write'], destructive: ['write'] },
  whoami: read('query viewer', { says: 'Get the connected account.', output: User }),
  quota: { left: 'x-ratelimit-requests-remaining', resets: 'x-ratelimit-requests-reset', unit: 'milliseconds' },
  resources: {
    'linear://issue/{id}': 'get_issue',
    'linear://project/{id}': 'get_project',
  },
  tools: {
    list_issues: read('query issues(filter: IssueFilter, first: Int, after: String)', {
      says: 'List issues, filtered by team, project or workflow state.',
      input: {
        teamId: maybe('From linear_list_teams'),
        projectId: maybe('From linear_list_projects'),
        stateId: maybe('From linear_list_workflow_states'),
      },
      send: ({ teamId, projectId, stateId }) => ({
        filter: { team: by(teamId), project: by(projectId), state: by(stateId) },
      }),
      list: Issue,
    }),
    get_issue: read('query issue(id: String!)', {
      says: 'Get one issue with its description.',
      input: { id: issueId },
      output: FullIssue,
    }),
    create_issue: write('mutation issueCreate(input: IssueCreateInput!).issue', {
      says: 'Create an issue in a team.',
      input: {
        title: text('Title in one line'),
        description: maybe('Markdown'),
        teamId: text('From linear_list_teams'),
        priority,
        assigneeId: maybe('From linear_list_users'),
        labelIds: texts('From linear_list_labels'),
        stateId: maybe('From linear_list_workflow_states'),
        projectId: maybe('From linear_list_projects'),
      },
      send: (input) => ({ input }),
      output: FullIssue,
      scopes: ['issues:create'],
    }),
    update_issue: write('mutation issueUpdate(id: String!, input: IssueUpdateInput!).issue', {
      says: 'Change the title, description, priority, state or assignee of an issue.',
      input: {
        id: issueId,
        title: maybe('New title'),
        description: maybe('Markdown'),
        priority,
        stateId: maybe('From linear_list_workflow_states'),
        assigneeId: maybe('From linear_list_users'),
      },
      send: ({ id, ...input }) => ({ id, input: changed(input) }),
      output: FullIssue,
    }),
    search_issues: read('query searchIssues(term: String!, first: Int, after: String)', {
      says: 'Search issues by words in their titles and descriptions.',
      input: { query: text('e.g. login timeout') },
      send: ({ query: term }) => ({ term }),
      list: FoundIssue,
    }),
    archive_issue: destroy('mutation issueArchive(id: String!)', {
      says: 'Archive an issue, which removes it from lists and boards.',
      input: { id: issueId },
    }),
    list_teams: read('query teams(first: Int, after: String)', {
      says: 'List the teams of the workspace; other tools require their identifiers.',
      list: Team,
    }),
    get_team: read('query team(id: String!)', {
      says: 'Get a team and its members.',
      input: { id: id('team') },
      output: FullTeam,
    }),
    list_projects: read('query projects(filter: ProjectFilter, first: Int, after: String)', {
      says: 'List the projects of all teams or of one.',
      input: { teamId: maybe('From linear_list_teams') },
      send: ({ teamId }) => ({ filter: { accessibleTeams: { some: by(teamId) } } }),
      list: Project,
    }),
    get_project: read('query project(id: String!)', {
      says: 'Get one project with its document.',
      input: { id: id('project') },
      output: FullProject,
    }),
    create_project: write('mutation projectCreate(input: ProjectCreateInput!).project', {
      says: 'Create a project for one or more teams.',
      input: {
        name: text('Name'),
        description: maybe('One sentence'),
        teamIds: z.array(z.string()).min(1).describe('From linear_list_teams'),
      },
      send: (input) => ({ input }),
      output: FullProject,
    }),
    list_cycles: read('query team(id: String!).cycles(first: Int, after: String)', {
      says: 'List the cycles (sprints) of a team.',
      input: { teamId: text('From linear_list_teams') },
      send: ({ teamId }) => ({ id: teamId }),
      list: Cycle,
    }),
    get_cycle: read('query cycle(id: String!)', {
      says: 'Get one cycle and its issues.',
      input: { id: id('cycle') },
      output: FullCycle,
    }),
    list_labels: read('query issueLabels(first: Int, after: String)', {
      says: 'List the labels that issues can have.',
      list: Label,
    }),
    list_workflow_states: read('query team(id: String!).states(first: Int, after: String)', {
      says: 'List the workflow states of a team, such as Todo or Done.',
      input: { teamId: text('From linear_list_teams') },
      send: ({ teamId }) => ({ id: teamId }),
      list: State,
    }),
    add_comment: write('mutation commentCreate(input: CommentCreateInput!).comment', {
      says: 'Comment on an issue.',
      input: { issueId, body: text('Markdown') },
      send: (input) => ({ input }),
      output: Comment,
      scopes: ['comments:create'],
    }),
    list_comments: read('query issue(id: String!).comments(first: Int, after: String)', {
      says: 'List the comments on an issue.',
      input: { issueId },
      send: ({ issueId }) => ({ id: issueId }),
      list: Comment,
    }),
    list_users: read('query users(first: Int, after: String)', {
      says: 'List the users of the workspace.',
      list: User,
    }),
    get_user_by_email: read('query users(filter: UserFilter, first: Int, after: String)', {
      says: 'Find a user by email address.',
      input: { email: text('e.g. ada@example.com') },
      send: ({ email }) => ({ filter: { email: { eq: email } } }),
      list: User,
      size: { default: 1, max: 10 },
    }),
  },
})
