/** GitHub's answers, cut to what a model needs. */
import { bool, free, has, many, num, one, prose, shape, str, strs } from '../kit/index.ts'

const MADE = { created_at: str(), updated_at: str() }

export const Repository = shape({
  full_name: str(),
  description: prose('description', 300),
  url: str('html_url'),
  private: bool(),
  fork: bool(),
  archived: bool(),
  language: str(),
  default_branch: str(),
  stars: num('stargazers_count'),
  open_issues: num('open_issues_count'),
  updated_at: str(),
})

export const Issue = shape({
  number: num(),
  title: str(),
  state: str(),
  url: str('html_url'),
  author: str('user.login'),
  labels: strs('labels[].name'),
  assignees: strs('assignees[].login'),
  milestone: str('milestone.title'),
  comments: num(),
  ...MADE,
})
export const FullIssue = shape({
  ...Issue.fields,
  state_reason: str(),
  body: prose('body', 20_000),
  closed_at: str(),
  is_pull_request: has('pull_request'),
})

export const PullRequest = shape({
  number: num(),
  title: str(),
  state: str(),
  draft: bool(),
  url: str('html_url'),
  author: str('user.login'),
  from: str('head.ref'),
  into: str('base.ref'),
  labels: strs('labels[].name'),
  reviewers: strs('requested_reviewers[].login'),
  ...MADE,
  merged_at: str(),
})

export const User = shape({ login: str(), url: str('html_url'), type: str(), name: str(), email: str() })
const Profile = {
  ...User.fields,
  company: str(),
  location: str(),
  bio: str(),
  public_repos: num(),
  followers: num(),
  following: num(),
  created_at: str(),
}
export const Token = shape({ ...Profile, scopes: strs() })
export const ProfileWithRepositories = shape({ ...Profile, repositories: many(Repository, 'repositories', 20) })
export const UserStats = shape({
  ...Profile,
  repositories_counted: num(),
  stars: num(),
  languages: free(),
})

export const Organization = shape({ login: str(), description: str() })

export const Commit = shape({
  sha: str(),
  message: prose('commit.message', 300),
  author: str('commit.author.name'),
  login: str('author.login'),
  date: str('commit.author.date'),
  url: str('html_url'),
})
const File = shape({
  path: str('filename'),
  status: str(),
  additions: num(),
  deletions: num(),
  patch: prose('patch', 3_000),
})
export const FullCommit = shape({
  ...Commit.fields,
  parents: strs('parents[].sha'),
  additions: num('stats.additions'),
  deletions: num('stats.deletions'),
  files: many(File, 'files', 50),
})
export const Comparison = shape({
  status: str(),
  ahead_by: num(),
  behind_by: num(),
  total_commits: num(),
  url: str('html_url'),
  commits: many(Commit, 'commits', 50),
  files: many(File, 'files', 50),
})

export const Branch = shape({ name: str(), sha: str('commit.sha'), protected: bool() })
export const FullBranch = shape({ ...Branch.fields, commit: one(Commit) })

export const Event = shape({
  type: str(),
  repository: str('repo.name'),
  action: str('payload.action'),
  ref: str('payload.ref'),
  number: num(),
  title: str(),
  url: str(),
  created_at: str(),
})

export const Contributor = shape({ login: str(), name: str(), contributions: num(), url: str('html_url') })

export const RepositoryStats = shape({
  ...Repository.fields,
  forks: num('forks_count'),
  watchers: num('subscribers_count'),
  size_kb: num('size'),
  license: str('license.spdx_id'),
  topics: strs(),
  language_bytes: free(),
})

export const Workflow = shape({ id: num(), name: str(), path: str(), state: str(), url: str('html_url') })

export const WorkflowRun = shape({
  id: num(),
  name: str(),
  title: str('display_title'),
  branch: str('head_branch'),
  sha: str('head_sha'),
  event: str(),
  status: str(),
  conclusion: str(),
  attempt: num('run_attempt'),
  actor: str('actor.login'),
  url: str('html_url'),
  ...MADE,
})

export const Release = shape({
  id: num(),
  tag: str('tag_name'),
  name: str(),
  draft: bool(),
  prerelease: bool(),
  author: str('author.login'),
  published_at: str(),
  url: str('html_url'),
  notes: prose('body', 500),
})
const Asset = shape({ name: str(), size: num(), downloads: num('download_count'), url: str('browser_download_url') })
export const FullRelease = shape({ ...Release.fields, notes: prose('body', 20_000), assets: many(Asset) })

const Entry = shape({ name: str(), type: str(), size: num(), path: str() })
export const FileContent = shape({
  path: str(),
  type: str(),
  size: num(),
  sha: str(),
  url: str('html_url'),
  text: prose('text', 500_000),
  entries: many(Entry, 'entries', 1_000),
  note: str(),
})
