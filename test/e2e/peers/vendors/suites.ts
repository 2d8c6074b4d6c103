/** Google and Microsoft, as they publish themselves. */
import {
  createBook,
  identityToken,
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
 * https://developers.google.com/identity/protocols/oauth2/web-server : a refresh token is given for `access_type=offline`, and after the
 * first time only where the person consents again (`prompt=consent`). It stays good; no later answer has one.
 */
export function createGoogle(): Vendor {
  const book = createBook('ya29.')
  let known = false

  function tokens(asked: Asked): Said {
    const { form } = asked
    if (!isForm(asked)) return words(400, { error: 'invalid_request', error_description: 'Bad Request' })
    if (!isBasic(asked) && !isInForm(asked))
      return words(401, { error: 'invalid_client', error_description: 'Unauthorized' })
    const refreshing = form.get('grant_type') === 'refresh_token'
    const taken = refreshing
      ? undefined
      : book.take(form.get('code'), form.get('code_verifier'), form.get('redirect_uri'))
    const grant = refreshing ? book.use(form.get('refresh_token'), false) : taken && book.open(taken.scopes)
    if (grant === undefined)
      return words(400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' })
    return words(200, {
      access_token: book.access(grant),
      expires_in: 3599,
      scope: grant.scopes.join(' '),
      token_type: 'Bearer',
      ...(taken?.consent === true ? { refresh_token: book.refresh(grant) } : {}),
      ...(grant.scopes.includes('openid') ? { id_token: identityToken({ sub: 'g-1', email: 'ada@example.com' }) } : {}),
    })
  }

  return {
    live: book.live,
    answer(asked) {
      const { url, method, form } = asked
      switch (`${method} ${url.host}${url.pathname}`) {
        case 'GET accounts.google.com/o/oauth2/v2/auth': {
          const problem = book.problemOf(asked, 'checked')
          const { searchParams: query } = url
          const scopes = (query.get('scope') ?? '').split(' ')
          if (problem !== undefined) return page(problem)
          if (!scopes.every((scope) => scope === 'openid' || scope.startsWith('https://www.googleapis.com/auth/')))
            return page('invalid_scope')
          const consent = query.get('access_type') === 'offline' && (!known || query.get('prompt') === 'consent')
          known = true
          return book.back(asked, { scopes, pkce: true, consent })
        }
        case 'POST oauth2.googleapis.com/token':
          return tokens(asked)
        case 'POST oauth2.googleapis.com/revoke': {
          const ended = isForm(asked) && book.end(form.get('token') ?? url.searchParams.get('token'), true)
          return ended ? words(200, {}) : words(400, { error: 'invalid_token' })
        }
        default:
          return undefined
      }
    },
  }
}

/**
 * https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow : each use of a refresh token gives a new one and
 * leaves the old; failures carry AADSTS numbers. Nothing can be taken back. `ended`: what the person's administrator has revoked.
 */
export function createMicrosoft(tenant = 'common'): Vendor & { revokeAll(): void } {
  const book = createBook('eyJ')
  let revoked = false
  const fail = (status: number, error: string, number: number): Said =>
    words(status, {
      error,
      error_description: `AADSTS${number}: See the documentation. Trace ID: 1`,
      error_codes: [number],
      trace_id: '1',
      correlation_id: '2',
    })

  function tokens(asked: Asked): Said {
    const { form } = asked
    if (!isForm(asked)) return fail(400, 'invalid_request', 900144)
    if (!isInForm(asked) && !isBasic(asked)) return fail(401, 'invalid_client', 7000215)
    const refreshing = form.get('grant_type') === 'refresh_token'
    if (refreshing && revoked) return fail(400, 'invalid_grant', 50173)
    const taken = refreshing
      ? undefined
      : book.take(form.get('code'), form.get('code_verifier'), form.get('redirect_uri'))
    const grant = refreshing ? book.use(form.get('refresh_token'), false) : taken && book.open(taken.scopes)
    if (grant === undefined) return fail(400, 'invalid_grant', refreshing ? 700082 : 70008)
    const has = (scope: string) => grant.scopes.includes(scope)
    return words(200, {
      access_token: book.access(grant),
      token_type: 'Bearer',
      expires_in: 3599,
      ext_expires_in: 3599,
      scope: grant.scopes.filter((scope) => scope !== 'offline_access').join(' '),
      ...(has('offline_access') ? { refresh_token: book.refresh(grant) } : {}),
      ...(has('openid')
        ? { id_token: identityToken({ sub: 's-1', oid: 'o-1', preferred_username: 'ada@contoso.example' }) }
        : {}),
    })
  }

  return {
    live: book.live,
    revokeAll() {
      revoked = true
    },
    answer(asked) {
      const { url, method } = asked
      switch (`${method} ${url.host}${url.pathname}`) {
        case `GET login.microsoftonline.com/${tenant}/oauth2/v2.0/authorize`: {
          const problem = book.problemOf(asked, 'checked')
          if (problem !== undefined) return page(problem)
          return book.back(asked, { scopes: (url.searchParams.get('scope') ?? '').split(' '), pkce: true })
        }
        case `POST login.microsoftonline.com/${tenant}/oauth2/v2.0/token`:
          return tokens(asked)
        default:
          return undefined
      }
    },
  }
}
