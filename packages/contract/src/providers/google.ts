/** Google: one authorization server, and scopes for each connector. */
import { idTokenClaim, hours, provider, type Provider } from './provider.ts'

const scope = (name: string): string => `https://www.googleapis.com/auth/${name}`
/** `openid` gives the identity token that tells whose account it is. */
const WHO = ['openid', scope('userinfo.email'), scope('userinfo.profile')]

const google = (fields: Pick<Provider, 'key' | 'title'> & { scopes: readonly string[] }): Provider =>
  provider({
    key: fields.key,
    title: fields.title,
    family: 'google',
    connectors: [fields.key],
    registration: 'https://console.cloud.google.com/apis/credentials',
    sources: [
      'https://developers.google.com/identity/protocols/oauth2/web-server',
      'https://developers.google.com/identity/openid-connect/reference',
    ],
    issuer: 'https://accounts.google.com',
    authorizationEndpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenEndpoint: 'https://oauth2.googleapis.com/token',
    revocation: {
      url: 'https://oauth2.googleapis.com/revoke',
      method: 'POST',
      proof: 'none',
      body: 'form',
      parameter: 'token',
      headers: {},
    },
    revokes: ['access_token', 'refresh_token'],
    hosts: ['*.googleapis.com'],
    scopes: [...WHO, ...fields.scopes.map(scope)],
    // A refresh token is given with consent only: without `prompt` a second sign-in brings none.
    authorizationParameters: { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'true' },
    account: { id: [idTokenClaim('sub')], name: [idTokenClaim('email'), idTokenClaim('name')] },
    accessLives: hours(1),
    refresh: 'stays',
  })

export const GMAIL = google({
  key: 'gmail',
  title: 'Gmail',
  scopes: ['gmail.readonly', 'gmail.send', 'gmail.modify', 'gmail.labels'],
})
export const GOOGLE_DOCS = google({
  key: 'google_docs',
  title: 'Google Docs',
  scopes: ['documents', 'drive.readonly', 'drive.file'],
})
// `drive.file` shows only what this client made or opened: lists need the metadata of the rest.
export const GOOGLE_SHEETS = google({
  key: 'google_sheets',
  title: 'Google Sheets',
  scopes: ['spreadsheets', 'drive.file', 'drive.metadata.readonly'],
})
export const GOOGLE_SLIDES = google({
  key: 'google_slides',
  title: 'Google Slides',
  scopes: ['presentations', 'drive.file', 'drive.metadata.readonly'],
})
export const GOOGLE_CALENDAR = google({
  key: 'google_calendar',
  title: 'Google Calendar',
  scopes: ['calendar', 'calendar.events'],
})
