/** The parts of GitHub's REST API that its connectors share: GitHub and Copilot. */
import type { FailureReader, RestFacts } from '../kit/index.ts'

/** The primary limit answers 403 or 429 with nothing left; a plain 403 is a missing permission. */
const limited: FailureReader = ({ status, headers }) =>
  (status === 403 || status === 429) && headers['x-ratelimit-remaining'] === '0' ? 'RATE_LIMITED' : undefined

export const githubFacts: RestFacts = {
  base: 'https://api.github.com',
  accept: 'application/vnd.github+json',
  headers: { 'x-github-api-version': '2022-11-28' },
  failures: [limited],
}

export const githubQuota = {
  left: 'x-ratelimit-remaining',
  resets: 'x-ratelimit-reset',
  unit: 'seconds',
} as const
