/** Slack, Discord and Zoom, as they publish themselves. */
import {
  bearerOf,
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
 * https://docs.slack.dev/authentication/installing-with-oauth : `user_scope` is separated by commas, the person's token lies in
 * `authed_user`; with token rotation it runs out after 12 hours and is renewed at the same method, whose answer then has it on top.
 * Every failure has status 200 and `ok: false`.
 */
export function createSlack(): Vendor {
  const book = createBook('xoxe.xoxp-')
  const fail = (error: string): Said => words(200, { ok: false, error })

  function tokens(asked: Asked): Said {
    const { form } = asked
    if (!isForm(asked)) return fail('invalid_form_data')
    if (!isBasic(asked) && !isInForm(asked))
      return fail(form.has('client_id') ? 'bad_client_secret' : 'invalid_client_id')
    const shared = { ok: true, app_id: 'A1', team: { id: 'T1', name: 'Acme' }, enterprise: null }
    if (form.get('grant_type') === 'refresh_token') {
      const grant = book.use(form.get('refresh_token'), true)
      if (grant === undefined) return fail('invalid_refresh_token')
      return words(200, { ...shared, user_id: 'U1', ...given(grant) })
    }
    const taken = book.take(form.get('code'), form.get('code_verifier'), form.get('redirect_uri'))
    if (taken === undefined) return fail('invalid_code')
    return words(200, { ...shared, authed_user: { id: 'U1', ...given(book.open(taken.scopes)) } })
  }
  const given = (grant: ReturnType<typeof book.open>) => ({
    access_token: book.access(grant),
    refresh_token: book.refresh(grant),
    token_type: 'user',
    scope: grant.scopes.join(','),
    expires_in: 43_200,
  })

  return {
    live: book.live,
    answer(asked) {
      const { url, method } = asked
      switch (`${method} ${url.host}${url.pathname}`) {
        case 'GET slack.com/oauth/v2/authorize': {
          const problem = book.problemOf(asked, 'checked')
          if (problem !== undefined) return page(problem)
          const scopes = (url.searchParams.get('user_scope') ?? '').split(',')
          if (scopes.some((scope) => !/^[a-z]+:[a-z.]+$/.test(scope))) return page('invalid_scope')
          // It would ask for a bot, which this app has not.
          if (url.searchParams.has('scope')) return page('invalid_scope')
          return book.back(asked, { scopes, pkce: true })
        }
        case 'POST slack.com/api/oauth.v2.access':
          return tokens(asked)
        case 'POST slack.com/api/auth.revoke':
          return book.end(bearerOf(asked), true) ? words(200, { ok: true, revoked: true }) : fail('invalid_auth')
        default:
          return undefined
      }
    },
  }
}

/**
 * https://discord.com/developers/docs/topics/oauth2 and /.well-known/oauth-authorization-server : forms only, S256, answers with `iss`
 * (RFC 9207). A bot is asked for with the permissions that it wants. Taking one token back ends all of them.
 */
export function createDiscord(): Vendor {
  const book = createBook('dc_')
  return {
    live: book.live,
    answer(asked) {
      const { url, method, form } = asked
      switch (`${method} ${url.host}${url.pathname}`) {
        case 'GET discord.com/api/oauth2/authorize': {
          const problem = book.problemOf(asked, 'checked')
          const { searchParams: query } = url
          const scopes = (query.get('scope') ?? '').split(' ')
          if (problem !== undefined) return page(problem)
          if (scopes.includes('bot') && !/^[1-9]\d*$/.test(query.get('permissions') ?? '')) return page('permissions')
          return book.back(asked, { scopes, pkce: true }, { iss: 'https://discord.com', guild_id: '1' })
        }
        case 'POST discord.com/api/oauth2/token': {
          if (!isForm(asked)) return words(400, { error: 'invalid_request', error_description: 'urlencoded only' })
          if (!isBasic(asked) && !isInForm(asked)) return words(401, { error: 'invalid_client' })
          const refreshing = form.get('grant_type') === 'refresh_token'
          const taken = refreshing
            ? undefined
            : book.take(form.get('code'), form.get('code_verifier'), form.get('redirect_uri'))
          const grant = refreshing ? book.use(form.get('refresh_token'), true) : taken && book.open(taken.scopes)
          if (grant === undefined) return words(400, { error: 'invalid_grant', error_description: 'Invalid "code"' })
          return words(200, {
            access_token: book.access(grant),
            token_type: 'Bearer',
            expires_in: 604_800,
            refresh_token: book.refresh(grant),
            scope: grant.scopes.join(' '),
            guild: { id: '1', name: 'Acme' },
          })
        }
        case 'POST discord.com/api/oauth2/token/revoke':
          if (!isForm(asked) || (!isBasic(asked) && !isInForm(asked))) return words(401, { error: 'invalid_client' })
          book.end(form.get('token'), true)
          return words(200, {})
        default:
          return undefined
      }
    },
  }
}

/** https://developers.zoom.us/docs/integrations/oauth/ : HTTP Basic, PKCE where it was begun with, refresh tokens that are good once. */
export function createZoom(): Vendor {
  const book = createBook('zm_')
  return {
    live: book.live,
    answer(asked) {
      const { url, method, form } = asked
      switch (`${method} ${url.host}${url.pathname}`) {
        case 'GET zoom.us/oauth/authorize': {
          const problem = book.problemOf(asked, 'checked')
          if (problem !== undefined) return page(problem)
          return book.back(asked, { scopes: (url.searchParams.get('scope') ?? '').split(' '), pkce: true })
        }
        case 'POST zoom.us/oauth/token': {
          if (!isBasic(asked))
            return words(401, { reason: 'Invalid client_id or client_secret', error: 'invalid_client' })
          if (!isForm(asked)) return words(400, { reason: 'Bad Request', error: 'invalid_request' })
          const refreshing = form.get('grant_type') === 'refresh_token'
          const taken = refreshing
            ? undefined
            : book.take(form.get('code'), form.get('code_verifier'), form.get('redirect_uri'))
          const grant = refreshing ? book.use(form.get('refresh_token'), true) : taken && book.open(taken.scopes)
          if (grant === undefined)
            return words(400, {
              reason: refreshing ? 'Invalid Token!' : 'Invalid authorization code',
              error: 'invalid_grant',
            })
          return words(200, {
            access_token: book.access(grant),
            token_type: 'bearer',
            refresh_token: book.refresh(grant),
            expires_in: 3599,
            scope: grant.scopes.join(' '),
            api_url: 'https://api.zoom.us',
          })
        }
        case 'POST zoom.us/oauth/revoke':
          if (!isBasic(asked))
            return words(401, { reason: 'Invalid client_id or client_secret', error: 'invalid_client' })
          return book.end(form.get('token'), true)
            ? words(200, { status: 'success' })
            : words(400, { error: 'invalid_token' })
        default:
          return undefined
      }
    },
  }
}
