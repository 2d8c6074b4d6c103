/** GitHub, GitLab and Bitbucket, as they publish themselves. */
import {
  CLIENT,
  createBook,
  isBasic,
  isForm,
  isInForm,
  page,
  words,
  type Asked,
  type Said,
  type Vendor,
} from './vendor.ts'

/**
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens : tokens of a
 * GitHub App run out; every failure has status 200, and without `Accept: application/json` the answer is a form.
 */
export function createGitHub({ expires = true } = {}): Vendor {
  const book = createBook('ghu_')
  const say = ({ header }: Asked, facts: Record<string, string | number>): Said =>
    header('accept')?.includes('application/json') === true
      ? words(200, facts)
      : { status: 200, form: Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)])) }
  const fail = (asked: Asked, error: string) =>
    say(asked, { error, error_description: 'See the documentation.', error_uri: 'https://docs.github.com/' })

  function tokens(asked: Asked): Said {
    const { form } = asked
    if (!isForm(asked) || !isInForm(asked)) return fail(asked, 'incorrect_client_credentials')
    const refreshing = form.get('grant_type') === 'refresh_token'
    const taken = refreshing
      ? undefined
      : book.take(form.get('code'), form.get('code_verifier'), form.get('redirect_uri'))
    const grant = refreshing ? book.use(form.get('refresh_token'), true) : taken && book.open(taken.scopes)
    if (grant === undefined) return fail(asked, refreshing ? 'bad_refresh_token' : 'bad_verification_code')
    return say(asked, {
      access_token: book.access(grant),
      token_type: 'bearer',
      scope: grant.scopes.join(','),
      ...(expires
        ? { expires_in: 28_800, refresh_token: book.refresh(grant), refresh_token_expires_in: 15_897_600 }
        : {}),
    })
  }

  return {
    live: book.live,
    answer(asked) {
      const { url, method, json } = asked
      switch (`${method} ${url.host}${url.pathname}`) {
        case 'GET github.com/login/oauth/authorize': {
          const problem = book.problemOf(asked, 'checked')
          const scopes = (url.searchParams.get('scope') ?? '').split(' ')
          if (problem !== undefined || scopes.some((scope) => scope.includes(','))) return page(problem ?? 'scope')
          return book.back(asked, { scopes, pkce: true })
        }
        case 'POST github.com/login/oauth/access_token':
          return tokens(asked)
        case `DELETE api.github.com/applications/${CLIENT.id}/token`: {
          if (!isBasic(asked)) return words(404, { message: 'Not Found' })
          const ended = book.end(String(json?.['access_token']), false)
          return ended ? { status: 204 } : words(422, { message: 'Validation Failed' })
        }
        default:
          return undefined
      }
    },
  }
}

/** https://docs.gitlab.com/api/oauth2/ : Doorkeeper; a refresh token is good once, and used twice it ends what came of it. */
export function createGitLab(host = 'gitlab.com', under = ''): Vendor {
  const book = createBook('gl_')
  const refuse = words(400, {
    error: 'invalid_grant',
    error_description: 'The provided authorization grant is invalid.',
  })

  function tokens(asked: Asked): Said {
    const { form } = asked
    if (!isForm(asked)) return words(400, { error: 'invalid_request' })
    if (!isInForm(asked) && !isBasic(asked)) return words(401, { error: 'invalid_client' })
    const taken =
      form.get('grant_type') === 'authorization_code'
        ? book.take(form.get('code'), form.get('code_verifier'), form.get('redirect_uri'))
        : undefined
    const grant = taken === undefined ? book.use(form.get('refresh_token'), true) : book.open(taken.scopes)
    if (grant === undefined) return refuse
    return words(200, {
      access_token: book.access(grant),
      token_type: 'Bearer',
      expires_in: 7200,
      refresh_token: book.refresh(grant),
      scope: grant.scopes.join(' '),
      created_at: 1_700_000_000,
    })
  }

  return {
    live: book.live,
    answer(asked) {
      const { url, method, form } = asked
      switch (`${method} ${url.host}${url.pathname}`) {
        case `GET ${host}${under}/oauth/authorize`: {
          const problem = book.problemOf(asked, 'checked')
          const scopes = (url.searchParams.get('scope') ?? '').split(' ')
          if (problem !== undefined || !scopes.includes('api')) return page(problem ?? 'scope')
          return book.back(asked, { scopes, pkce: true })
        }
        case `POST ${host}${under}/oauth/token`:
          return tokens(asked)
        case `POST ${host}${under}/oauth/revoke`:
          if (!isForm(asked) || (!isInForm(asked) && !isBasic(asked)))
            return words(403, { error: 'unauthorized_client' })
          book.end(form.get('token'), false)
          return words(200, {})
        default:
          return undefined
      }
    },
  }
}

/** https://developer.atlassian.com/cloud/bitbucket/oauth-2/ : `curl -u client_id:secret`, and since May 2026 refresh tokens that rotate. */
export function createBitbucket(): Vendor {
  const book = createBook('bb_')
  return {
    live: book.live,
    answer(asked) {
      const { url, method, form } = asked
      switch (`${method} ${url.host}${url.pathname}`) {
        case 'GET bitbucket.org/site/oauth2/authorize': {
          const problem = book.problemOf(asked, 'ignored')
          if (problem !== undefined) return page(problem)
          return book.back(asked, { scopes: (url.searchParams.get('scope') ?? '').split(' '), pkce: false })
        }
        case 'POST bitbucket.org/site/oauth2/access_token': {
          if (!isBasic(asked) || form.has('client_secret'))
            return words(400, { error: 'unauthorized_client', error_description: 'Invalid OAuth client credentials' })
          if (!isForm(asked)) return words(400, { error: 'invalid_request' })
          const taken = book.take(form.get('code'), null, form.get('redirect_uri'))
          const grant = taken === undefined ? book.use(form.get('refresh_token'), true) : book.open(taken.scopes)
          if (grant === undefined) return words(400, { error: 'invalid_grant', error_description: 'Invalid code' })
          return words(200, {
            access_token: book.access(grant),
            refresh_token: book.refresh(grant),
            token_type: 'bearer',
            expires_in: 7200,
            state: form.get('grant_type'),
            scope: grant.scopes.join(' '),
          })
        }
        default:
          return undefined
      }
    },
  }
}
