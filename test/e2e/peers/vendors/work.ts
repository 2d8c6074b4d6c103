/** Atlassian, Linear and Notion, as they publish themselves. */
import {
  bearerOf,
  CLIENT,
  createBook,
  isBasic,
  isForm,
  isInForm,
  isJson,
  page,
  words,
  type Asked,
  type Said,
  type Vendor,
} from './vendor.ts'

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/**
 * https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/ : audience and prompt are required; the token endpoint takes
 * JSON. A refresh token is given for `offline_access` and good once; a second use is answered 403 and ends all.
 */
export function createAtlassian(): Vendor {
  const book = createBook('at_')

  function tokens(asked: Asked): Said {
    const { json } = asked
    if (!isJson(asked) || json === undefined) return words(400, { error: 'invalid_request', error_description: 'JSON' })
    if (json['client_id'] !== CLIENT.id || json['client_secret'] !== CLIENT.secret)
      return words(401, { error: 'access_denied', error_description: 'Unauthorized' })
    const refreshing = json['grant_type'] === 'refresh_token'
    const taken = refreshing ? undefined : book.take(text(json['code']), null, text(json['redirect_uri']))
    const grant = refreshing ? book.use(text(json['refresh_token']), true) : taken && book.open(taken.scopes)
    if (grant === undefined)
      return words(403, { error: 'invalid_grant', error_description: 'Unknown or invalid refresh token.' })
    const stays = grant.scopes.includes('offline_access')
    return words(200, {
      access_token: book.access(grant),
      expires_in: 3600,
      scope: grant.scopes.join(' '),
      token_type: 'Bearer',
      ...(stays ? { refresh_token: book.refresh(grant) } : {}),
    })
  }

  return {
    live: book.live,
    answer(asked) {
      const { url, method } = asked
      switch (`${method} ${url.host}${url.pathname}`) {
        case 'GET auth.atlassian.com/authorize': {
          const problem = book.problemOf(asked, 'ignored')
          if (problem !== undefined) return page(problem)
          const { searchParams: query } = url
          if (query.get('audience') !== 'api.atlassian.com') return page('audience')
          if (query.get('prompt') !== 'consent') return page('prompt')
          return book.back(asked, { scopes: (query.get('scope') ?? '').split(' '), pkce: false })
        }
        case 'POST auth.atlassian.com/oauth/token':
          return tokens(asked)
        default:
          return undefined
      }
    },
  }
}

const LINEAR_SCOPES = new Set(['read', 'write', 'issues:create', 'comments:create', 'timeSchedule:write', 'admin'])

/** https://linear.app/developers/oauth-2-0-authentication : a comma-separated list, tokens of 24 hours, forms only. */
export function createLinear(): Vendor {
  const book = createBook('lin_')
  return {
    live: book.live,
    answer(asked) {
      const { url, method, form } = asked
      switch (`${method} ${url.host}${url.pathname}`) {
        case 'GET linear.app/oauth/authorize': {
          const problem = book.problemOf(asked, 'checked')
          const scopes = (url.searchParams.get('scope') ?? '').split(',')
          if (problem !== undefined || !scopes.every((scope) => LINEAR_SCOPES.has(scope)))
            return page(problem ?? 'scope')
          return book.back(asked, { scopes, pkce: true })
        }
        case 'POST api.linear.app/oauth/token': {
          if (!isForm(asked)) return words(400, { error: 'invalid_request', error_description: 'content type' })
          if (!isInForm(asked) && !isBasic(asked)) return words(401, { error: 'invalid_client' })
          const refreshing = form.get('grant_type') === 'refresh_token'
          const taken = refreshing
            ? undefined
            : book.take(form.get('code'), form.get('code_verifier'), form.get('redirect_uri'))
          const grant = refreshing ? book.use(form.get('refresh_token'), true) : taken && book.open(taken.scopes)
          if (grant === undefined) return words(400, { error: 'invalid_grant', error_description: 'not valid' })
          return words(200, {
            access_token: book.access(grant),
            token_type: 'Bearer',
            expires_in: 86_399,
            refresh_token: book.refresh(grant),
            scope: grant.scopes.join(' '),
          })
        }
        case 'POST api.linear.app/oauth/revoke':
          return words(book.end(bearerOf(asked) || form.get('token'), true) ? 200 : 400, {})
        default:
          return undefined
      }
    },
  }
}

/**
 * https://developers.notion.com/docs/authorization : `owner=user` and no scopes; the token endpoint takes HTTP Basic and JSON. An
 * error is an object with a `code`, as everywhere in its interface.
 */
export function createNotion(): Vendor {
  const book = createBook('ntn_')
  const fail = (status: number, code: string): Said =>
    words(status, { object: 'error', status, code, message: 'See the documentation.', additional_data: {} })

  function tokens(asked: Asked): Said {
    const { json } = asked
    if (!isBasic(asked)) return fail(401, 'unauthorized')
    if (!isJson(asked) || json === undefined) return fail(400, 'invalid_json')
    if ('client_secret' in json) return fail(400, 'validation_error')
    const refreshing = json['grant_type'] === 'refresh_token'
    const taken = refreshing ? undefined : book.take(text(json['code']), null, text(json['redirect_uri']))
    const grant = refreshing ? book.use(text(json['refresh_token']), true) : taken && book.open([])
    if (grant === undefined) return fail(400, 'invalid_grant')
    return words(200, {
      access_token: book.access(grant),
      token_type: 'bearer',
      refresh_token: book.refresh(grant),
      bot_id: 'b3414d65-1224-4e57-8ff1-cc9d8773d601',
      workspace_name: "Ada's workspace",
      workspace_id: 'w1',
      workspace_icon: null,
      owner: { type: 'user', user: { object: 'user', id: 'u-ada', name: 'Ada' } },
      duplicated_template_id: null,
    })
  }

  return {
    live: book.live,
    answer(asked) {
      const { url, method, json, header } = asked
      switch (`${method} ${url.host}${url.pathname}`) {
        case 'GET api.notion.com/v1/oauth/authorize': {
          const problem = book.problemOf(asked, 'ignored')
          if (problem !== undefined) return page(problem)
          if (url.searchParams.get('owner') !== 'user') return page('owner')
          if (url.searchParams.has('scope')) return page('scope')
          return book.back(asked, { scopes: [], pkce: false })
        }
        case 'POST api.notion.com/v1/oauth/token':
          return tokens(asked)
        case 'POST api.notion.com/v1/oauth/revoke':
          if (!isBasic(asked)) return fail(401, 'invalid_client')
          if (header('notion-version') === undefined) return fail(400, 'missing_version')
          return book.end(text(json?.['token']), true) ? words(200, { request_id: 'r' }) : fail(400, 'invalid_request')
        default:
          return undefined
      }
    },
  }
}
