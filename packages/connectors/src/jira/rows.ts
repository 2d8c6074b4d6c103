/** The cases of Jira: input, then the requests that it makes. */
import type { VendorRows } from '../kit/rows.ts'

const adf = (text: string) => ({
  type: 'doc',
  version: 1,
  content: [{ type: 'paragraph', content: [{ type: 'text', text }] }],
})
const USUAL = 'fields=summary,status,issuetype,priority,assignee,labels,duedate,updated'
const ALL = `${USUAL},project,parent,reporter,resolution,components,fixVersions,created,description,comment,attachment`
const key = { issue_key: 'ENG-1' }
const project = { project_key: 'ENG' }

const issue = {
  key: 'ENG-1',
  fields: {
    summary: 's',
    status: { name: 'To Do' },
    issuetype: { name: 'Task' },
    priority: { name: 'High' },
    assignee: { displayName: 'Ada', accountId: 'a' },
    labels: ['l'],
    duedate: '2026-11-30',
    updated: '2026-11-22T12:00:00.000+0000',
    customfield_10016: 3,
    customfield_10020: { value: 'v', self: 'https://example.com/' },
    empty: null,
  },
}
const full = {
  ...issue,
  fields: {
    ...issue.fields,
    project: { key: 'ENG' },
    parent: { key: 'ENG-0' },
    reporter: { displayName: 'Bea' },
    resolution: { name: 'Done' },
    components: [{ name: 'c' }],
    fixVersions: [{ name: '1.0' }],
    created: '2026-11-21T12:00:00.000+0000',
    description: adf('text'),
    comment: { comments: [{ id: '1', author: { displayName: 'Ada' }, body: adf('c'), created: 't', updated: 't' }] },
    attachment: [
      { id: '7', filename: 'a.png', mimeType: 'image/png', size: 3, author: { displayName: 'Ada' }, created: 't' },
    ],
  },
}
const comment = { id: '1', author: { displayName: 'Ada' }, body: adf('c'), created: 't', updated: 't' }
const sprint = {
  id: 37,
  name: 'sprint 1',
  state: 'closed',
  goal: 'g',
  startDate: '2026-11-01T12:00:00.000Z',
  endDate: '2026-11-15T12:00:00.000Z',
  completeDate: '2026-11-15T12:00:00.000Z',
  originBoardId: 5,
}

export const rows: VendorRows = {
  described: ['jira.json', 'jira-agile.json'],
  place: { site: '11223344-a1b2-4b33-8444-def123456789' },
  failures: [
    {
      status: 400,
      body: { errorMessages: [], errors: { summary: 'You must specify a summary of the issue.' } },
      word: 'INVALID_ARGUMENT',
    },
    { status: 401, body: { code: 401, message: 'Unauthorized; scope does not match' }, word: 'NEEDS_AUTH' },
    { status: 404, body: { errorMessages: ['Issue does not exist'], errors: {} }, word: 'NOT_FOUND' },
    {
      status: 429,
      headers: { 'retry-after': '5', 'ratelimit-reason': 'jira-quota-based' },
      body: '',
      word: 'RATE_LIMITED',
      retryAfter: 5,
    },
  ],
  open: ['create_issue', 'update_issue', 'transition_issue', 'add_comment'],
  undescribed: { 'assign_issue.accountId': 'the schema wants a text; the words beside it say that null takes away' },
  // The description leaves the fields of issues and the body of comments open, and that of sprints has examples only.
  answers: {
    search_issues: [[{ issues: [issue], isLast: true }]],
    get_issue: [[full]],
    add_comment: [[comment]],
    get_comments: [[{ comments: [comment], total: 1 }]],
    get_sprint_issues: [[{ issues: [issue], total: 1 }]],
    list_sprints: [[{ values: [sprint], isLast: true }]],
    get_sprint: [[sprint]],
  },
  tools: {
    search_issues: [
      [{ jql: 'project = ENG' }, `GET /search/jql?jql=project %3D ENG&${USUAL}&maxResults=10`],
      [
        { jql: 'project = ENG', fields: ['summary', 'customfield_10016'], max_results: 5, cursor: 'n' },
        'GET /search/jql?jql=project %3D ENG&fields=summary,customfield_10016&maxResults=5&nextPageToken=n',
      ],
    ],
    get_issue: [
      [key, `GET /issue/ENG-1?${ALL}`],
      [{ ...key, fields: ['summary'] }, 'GET /issue/ENG-1?fields=summary'],
    ],
    create_issue: [
      [
        { ...project, summary: 's', issue_type: 'Task' },
        ['POST /issue', { fields: { project: { key: 'ENG' }, summary: 's', issuetype: { name: 'Task' } } }],
      ],
      [
        {
          ...project,
          summary: 's',
          issue_type: 'Bug',
          description: 'd',
          assignee_id: 'a',
          priority_name: 'High',
          labels: ['l'],
        },
        [
          'POST /issue',
          {
            fields: {
              project: { key: 'ENG' },
              summary: 's',
              issuetype: { name: 'Bug' },
              description: adf('d'),
              assignee: { id: 'a' },
              priority: { name: 'High' },
              labels: ['l'],
            },
          },
        ],
      ],
    ],
    update_issue: [
      [{ ...key, summary: 's' }, ['PUT /issue/ENG-1', { fields: { summary: 's' } }]],
      [
        { ...key, summary: 's', description: 'd', assignee_id: 'a', priority_name: 'Low', labels: [] },
        [
          'PUT /issue/ENG-1',
          {
            fields: {
              summary: 's',
              description: adf('d'),
              assignee: { id: 'a' },
              priority: { name: 'Low' },
              labels: [],
            },
          },
        ],
      ],
    ],
    transition_issue: [
      [{ ...key, transition_id: '31' }, ['POST /issue/ENG-1/transitions', { transition: { id: '31' } }]],
      [
        { ...key, transition_id: '31', comment: 'c' },
        [
          'POST /issue/ENG-1/transitions',
          { transition: { id: '31' }, update: { comment: [{ add: { body: adf('c') } }] } },
        ],
      ],
    ],
    get_transitions: [[key, 'GET /issue/ENG-1/transitions']],
    assign_issue: [
      [{ ...key, account_id: 'a' }, ['PUT /issue/ENG-1/assignee', { accountId: 'a' }]],
      [{ ...key, account_id: null }, ['PUT /issue/ENG-1/assignee', { accountId: null }]],
    ],
    add_comment: [[{ ...key, body: 'c' }, ['POST /issue/ENG-1/comment', { body: adf('c') }]]],
    get_comments: [
      [key, 'GET /issue/ENG-1/comment?maxResults=10'],
      [{ ...key, max_results: 5, cursor: '5' }, 'GET /issue/ENG-1/comment?maxResults=5&startAt=5'],
    ],
    list_projects: [
      [{}, 'GET /project/search?expand=lead%2Cinsight&maxResults=10'],
      [{ max_results: 5, cursor: '5' }, 'GET /project/search?expand=lead%2Cinsight&maxResults=5&startAt=5'],
    ],
    get_project: [[project, 'GET /project/ENG']],
    list_boards: [
      [{}, 'GET /board?maxResults=10'],
      [{ ...project, max_results: 5 }, 'GET /board?projectKeyOrId=ENG&maxResults=5'],
    ],
    get_board: [[{ board_id: 5 }, 'GET /board/5']],
    list_sprints: [
      [{ board_id: 5 }, 'GET /board/5/sprint?maxResults=10'],
      [{ board_id: 5, state: 'active', max_results: 5 }, 'GET /board/5/sprint?state=active&maxResults=5'],
    ],
    get_sprint: [[{ sprint_id: 37 }, 'GET /sprint/37']],
    get_sprint_issues: [
      [{ sprint_id: 37 }, `GET /sprint/37/issue?${USUAL}&maxResults=10`],
      [{ sprint_id: 37, max_results: 5 }, `GET /sprint/37/issue?${USUAL}&maxResults=5`],
    ],
    search_users: [
      [{ query: 'ada' }, 'GET /user/search?query=ada&maxResults=10'],
      [{ query: 'ada', max_results: 5, cursor: '5' }, 'GET /user/search?query=ada&maxResults=5&startAt=5'],
    ],
    get_current_user: [[{}, 'GET /myself']],
    list_versions: [
      [project, 'GET /project/ENG/version?maxResults=10'],
      [{ ...project, max_results: 5 }, 'GET /project/ENG/version?maxResults=5'],
    ],
    get_version: [[{ version_id: '10001' }, 'GET /version/10001']],
  },
}
