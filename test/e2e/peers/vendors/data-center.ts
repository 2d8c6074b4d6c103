/**
 * Jira Data Center as an authorization server, as Atlassian publishes it
 * (https://confluence.atlassian.com/adminjiraserver/jira-oauth-2-0-provider-api-1115659070.html): forms instead of JSON, scopes of four
 * words, PKCE, and none of the parameters that Atlassian's cloud asks for.
 */
import { createBook, isForm, isInForm, page, words, type Asked, type Said, type Vendor } from './vendor.ts'

const SCOPES = ['READ', 'WRITE', 'ADMIN', 'SYSTEM_ADMIN']

/** @param under the path that it is installed under */
export function createJiraDataCenter(under = ''): Vendor {
  const book = createBook('dc_')

  function tokens(asked: Asked): Said {
    const { form } = asked
    if (!isForm(asked)) return words(415, { error: 'unsupported_media_type' })
    if (!isInForm(asked)) return words(400, { error: 'invalid_client' })
    const taken =
      form.get('grant_type') === 'authorization_code'
        ? book.take(form.get('code'), form.get('code_verifier'), form.get('redirect_uri'))
        : undefined
    const grant = taken === undefined ? book.use(form.get('refresh_token'), true) : book.open(taken.scopes)
    if (grant === undefined) return words(400, { error: 'invalid_grant' })
    return words(200, {
      access_token: book.access(grant),
      refresh_token: book.refresh(grant),
      token_type: 'bearer',
      expires_in: 7200,
      scope: grant.scopes.join(' '),
      created_at: 1_700_000_000,
    })
  }

  return {
    live: book.live,
    answer(asked) {
      const { url, method, form } = asked
      switch (`${method} ${url.pathname}`) {
        case `GET ${under}/rest/oauth2/latest/authorize`: {
          const problem = book.problemOf(asked, 'checked')
          const scopes = (url.searchParams.get('scope') ?? '').split(' ')
          const isKnown = scopes.every((scope) => SCOPES.includes(scope))
          if (problem !== undefined || !isKnown || url.searchParams.has('audience')) return page(problem ?? 'scope')
          return book.back(asked, { scopes, pkce: true })
        }
        case `POST ${under}/rest/oauth2/latest/token`:
          return tokens(asked)
        case `POST ${under}/rest/oauth2/latest/revoke`:
          if (!isForm(asked) || !isInForm(asked)) return words(400, { error: 'invalid_client' })
          book.end(form.get('token'), true)
          return words(200, {})
        default:
          return undefined
      }
    },
  }
}
