/** Jira's answers, cut to what a model needs. Documents are given as Markdown. */
import { markdownOf } from '../atlassian/adf.ts'
import { bool, free, get, isJson, many, num, prose, shape, str, strs, type Json } from '../kit/index.ts'

export const User = shape({
  account_id: str('accountId'),
  name: str('displayName'),
  email: str('emailAddress'),
  active: bool(),
})
export const Self = shape({ ...User.fields, time_zone: str('timeZone'), locale: str() })

export const Comment = shape({
  id: str(),
  author: str('author.displayName'),
  body: prose('body', 5_000),
  created: str(),
  updated: str(),
})
export const commentOf = (comment: Json): Json => ({ ...comment, body: markdownOf(comment['body']) })

export const Issue = shape({
  key: str(),
  summary: str('fields.summary'),
  status: str('fields.status.name'),
  type: str('fields.issuetype.name'),
  priority: str('fields.priority.name'),
  assignee: str('fields.assignee.displayName'),
  labels: strs('fields.labels'),
  due: str('fields.duedate'),
  updated: str('fields.updated'),
  more: free(),
})
const Attachment = shape({
  id: str(),
  name: str('filename'),
  type: str('mimeType'),
  size: num(),
  author: str('author.displayName'),
  created: str(),
})
export const FullIssue = shape({
  ...Issue.fields,
  project: str('fields.project.key'),
  parent: str('fields.parent.key'),
  reporter: str('fields.reporter.displayName'),
  assignee_id: str('fields.assignee.accountId'),
  resolution: str('fields.resolution.name'),
  components: strs('fields.components[].name'),
  fix_versions: strs('fields.fixVersions[].name'),
  created: str('fields.created'),
  description: prose('description', 20_000),
  comments: many(Comment, 'comments', 20),
  attachments: many(Attachment, 'fields.attachment', 50),
})

/** The fields that are asked for where the caller names none. */
export const USUAL = ['summary', 'status', 'issuetype', 'priority', 'assignee', 'labels', 'duedate', 'updated']
export const ALL = [
  ...USUAL,
  'project',
  'parent',
  'reporter',
  'resolution',
  'components',
  'fixVersions',
  'created',
  'description',
  'comment',
  'attachment',
]

/** An issue with its documents as Markdown, and the values of fields that have no member of their own. */
export function issueOf(issue: Json, own: readonly string[]): Json {
  const fields = get(issue, 'fields')
  if (!isJson(fields)) return issue
  const comments = get(fields, 'comment.comments')
  const more = Object.entries(fields)
    .filter(([name, value]) => !own.includes(name) && value !== null)
    .map(([name, value]) => [name, valueOf(value)] as const)
  return {
    ...issue,
    description: markdownOf(fields['description']),
    comments: Array.isArray(comments) ? comments.filter(isJson).map(commentOf) : undefined,
    ...(more.length === 0 ? {} : { more: Object.fromEntries(more) }),
  }
}

/** Most fields are objects with a name or a value among addresses of icons. */
function valueOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 50).map(valueOf)
  if (!isJson(value)) return value
  if (value['type'] === 'doc') return markdownOf(value)
  return value['displayName'] ?? value['name'] ?? value['value'] ?? value['key'] ?? value
}

export const Transition = shape({ id: str(), name: str(), to: str('to.name'), has_screen: bool('hasScreen') })

export const Project = shape({
  id: str(),
  key: str(),
  name: str(),
  type: str('projectTypeKey'),
  lead: str('lead.displayName'),
  archived: bool(),
  last_issue_update: str('insight.lastIssueUpdateTime'),
})
const IssueType = shape({ id: str(), name: str(), description: prose('description', 300), subtask: bool() })
export const FullProject = shape({
  id: str(),
  key: str(),
  name: str(),
  description: prose('description', 5_000),
  type: str('projectTypeKey'),
  lead: str('lead.displayName'),
  lead_id: str('lead.accountId'),
  archived: bool(),
  private: bool('isPrivate'),
  issue_types: many(IssueType, 'issueTypes', 50),
  components: strs('components[].name'),
})

export const Board = shape({
  id: num(),
  name: str(),
  type: str(),
  project_key: str('location.projectKey'),
  project: str('location.projectName'),
  private: bool('isPrivate'),
})
export const Sprint = shape({
  id: num(),
  name: str(),
  state: str(),
  goal: prose('goal', 300),
  start: str('startDate'),
  end: str('endDate'),
  completed: str('completeDate'),
  board_id: num('originBoardId'),
})

export const Version = shape({
  id: str(),
  name: str(),
  description: prose('description', 300),
  released: bool(),
  archived: bool(),
  overdue: bool(),
  start: str('startDate'),
  release: str('releaseDate'),
})
export const FullVersion = shape({ ...Version.fields, project_id: num('projectId') })

export const Created = shape({ id: str(), key: str() })
