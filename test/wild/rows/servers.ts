/** The rows about MCP servers, each with a server that plays it over every transport and in every era in which it can happen. */
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../../../packages/protocol/src/json.ts'
import { startScriptedUpstream, type Script } from '../../fault/scripted-upstream.ts'
import { startForgetful, startForgetfulPairs, startForgetfulSocket } from '../forgetful-server.ts'
import type { Shown } from '../zoo-messages.ts'
import { startZooServer } from '../zoo-server.ts'
import { ERROR_ANSWERS, READ_ANSWERS, REFUSED_ANSWERS, type Says } from './answers.ts'
import { LEFT_OUT_DEFINITIONS, OBJECT, REPAIRED_DEFINITIONS } from './definitions.ts'
import { GREETINGS } from './greetings.ts'
import { originOf } from './origins.ts'
import { MENDED_RESULTS } from './results.ts'
import {
  ERAS,
  TRANSPORTS,
  type Era,
  type PlayedServer,
  type Playing,
  type PlayedWire,
  type Row,
  type ServerBorder,
  type Transport,
} from './row.ts'
import { KEPT_SESSIONS, LOST_PAIRS, LOST_SESSIONS, LOST_SOCKETS } from './sessions.ts'

export interface ServerRow extends Row {
  readonly border: ServerBorder
  readonly server: PlayedServer
}

const GOOD = { name: 'good', inputSchema: OBJECT }
const SCRIPT = fileURLToPath(new URL('../zoo.script.ts', import.meta.url))

export const wireAt = (url: string): PlayedWire => ({ kind: 'http', url, headers: {} })

/** A server of the zoo as a child: its name is that of a row, or `all`. */
export const processOfZoo = (name: string, era: Era): PlayedWire => ({
  kind: 'process',
  command: process.execPath,
  args: ['--disable-warning=ExperimentalWarning', SCRIPT, era, name],
  environment: {},
})

const isPlayed = (era: Era, transport: Transport) => transport !== 'sse' || era === 'legacy'

/** What a server of the zoo shows, over any transport. */
const playShown = (name: string, shows: (era: Era) => Shown): PlayedServer => ({
  eras: ERAS,
  transports: TRANSPORTS,
  async play(era, transport) {
    if (!isPlayed(era, transport)) throw new Error(`no ${era} server speaks over ${transport}`)
    if (transport === 'stdio') return { wire: processOfZoo(name, era), [Symbol.asyncDispose]: async () => {} }
    const server = await startZooServer(shows(era), transport)
    return { wire: wireAt(server.url), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  },
})

/** What happens over one transport alone. */
function playOver(
  transport: Transport,
  eras: readonly Era[],
  start: (era: Era) => Promise<AsyncDisposable & { readonly url: string }>,
): PlayedServer {
  const play = async (era: Era, over: Transport): Promise<Playing> => {
    if (over !== transport || !eras.includes(era)) throw new Error(`it is not played over ${over} by a ${era} server`)
    const server = await start(era)
    return { wire: wireAt(server.url), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  }
  return { eras, transports: [transport], play }
}

function listOf(kind: string, item: JsonObject, era: Era): Shown {
  const tools = kind === 'tool' ? [GOOD, item] : [GOOD]
  if (kind === 'prompt') return { era, tools, prompts: [item] }
  if (kind === 'tool') return { era, tools }
  return kind === 'resource' ? { era, tools, resources: [item] } : { era, tools, templates: [item] }
}

const resultOf = (method: string, result: JsonObject, era: Era): Shown => ({
  era,
  tools: [GOOD],
  ...(method === 'prompts/get' ? { prompts: [{ name: 'good' }] } : {}),
  ...(method === 'resources/read' ? { resources: [{ uri: 'good://a', name: 'good' }] } : {}),
  result: () => result,
})

const scripted = (era: Era, act: NonNullable<Script['act']>) =>
  startScriptedUpstream({ era, results: { 'tools/list': { tools: [GOOD] } }, act })

const startAnswering = (says: Says) => (era: Era) =>
  scripted(era, (heard, response) => {
    if (heard.method !== 'tools/call') return false
    says(response, heard)
    return true
  })

/** Only servers of the older revisions do not know the method. */
const startGreeting = (does: (typeof GREETINGS)[number][1]) => () =>
  scripted('legacy', ({ method }, response) => {
    if (method !== 'server/discover') return false
    does(response)
    return true
  })

const SHOWS = new Map<string, (era: Era) => Shown>()

/** What the server of that row shows. Throws where the row is about one transport, or there is none. */
export function shownByRow(name: string): (era: Era) => Shown {
  const shows = SHOWS.get(name)
  if (shows === undefined) throw new Error(`no server over any transport plays ${name}`)
  return shows
}

type About = Pick<Row, 'behaviour' | 'outcome' | 'words'>

function shownRow(border: ServerBorder, about: About, shows: (era: Era) => Shown): ServerRow {
  const name = `${border} ${about.behaviour}`
  SHOWS.set(name, shows)
  return { border, origin: originOf(border, about.behaviour), ...about, server: playShown(name, shows) }
}

const playedRow = (border: ServerBorder, about: About, server: PlayedServer): ServerRow => ({
  ...{ border, origin: originOf(border, about.behaviour), ...about, server },
})

/** An answer that is odd as a message is odd over any transport. */
function answerRow(behaviour: string, says: Says, outcome: Row['outcome'], words: string): ServerRow {
  const { message } = says
  const about = { behaviour, outcome, words }
  return message === undefined
    ? playedRow('answer', about, playOver('http', ERAS, startAnswering(says)))
    : shownRow('answer', about, (era) => ({ era, tools: [GOOD], message }))
}

const LOST_WORDS = '^upstream.lost'
const FORGETS = { afterEachCall: true }
const sessionRow = (behaviour: string, outcome: Row['outcome'], words: string, server: PlayedServer) =>
  playedRow('session', { behaviour, outcome, words }, server)
const LEGACY: readonly Era[] = ['legacy']

const SESSION_ROWS: readonly ServerRow[] = [
  ...LOST_SESSIONS.map(([behaviour, says, outcome]) =>
    sessionRow(
      behaviour,
      outcome === 'ok' ? 'taken' : 'refused',
      outcome === 'ok' ? '' : LOST_WORDS,
      playOver('http', LEGACY, () => startForgetful(says, FORGETS)),
    ),
  ),
  ...KEPT_SESSIONS.map(([behaviour, says, outcome]) =>
    sessionRow(
      `kept: ${behaviour}`,
      outcome.startsWith('upstream.') ? 'refused' : 'its own error',
      outcome,
      playOver('http', LEGACY, () => startForgetful(says, { ...FORGETS, pings: 'well' })),
    ),
  ),
  ...LOST_PAIRS.map(([behaviour, status, text]) =>
    sessionRow(
      `HTTP+SSE: ${behaviour}`,
      'taken',
      '',
      playOver('sse', LEGACY, () =>
        startForgetfulPairs((response) => void response.writeHead(status).end(text), FORGETS),
      ),
    ),
  ),
  ...LOST_SOCKETS.map(([behaviour, error]) =>
    sessionRow(
      `WebSocket: ${behaviour}`,
      'taken',
      '',
      playOver('websocket', LEGACY, () => startForgetfulSocket(error, FORGETS)),
    ),
  ),
]

export const SERVER_ROWS: readonly ServerRow[] = [
  ...REPAIRED_DEFINITIONS.map(([behaviour, kind, given, , words]) =>
    shownRow('definition', { behaviour: `${kind}: ${behaviour}`, outcome: 'taken', words: words.source }, (era) =>
      listOf(kind, given, era),
    ),
  ),
  ...LEFT_OUT_DEFINITIONS.map(([behaviour, kind, given, words]) =>
    shownRow('definition', { behaviour: `${kind}: ${behaviour}`, outcome: 'left out', words: words.source }, (era) =>
      listOf(kind, given, era),
    ),
  ),
  ...MENDED_RESULTS.map(([behaviour, method, given, , words]) =>
    shownRow('result', { behaviour: `${method}: ${behaviour}`, outcome: 'taken', words: words.source }, (era) =>
      resultOf(method, given, era),
    ),
  ),
  ...READ_ANSWERS.map(([behaviour, says]) => answerRow(behaviour, says, 'taken', '')),
  ...ERROR_ANSWERS.map(([behaviour, says, words]) => answerRow(behaviour, says, 'its own error', words)),
  ...REFUSED_ANSWERS.map(([behaviour, says, words]) => answerRow(behaviour, says, 'refused', words.source)),
  ...GREETINGS.map(([behaviour, does]) =>
    playedRow('greeting', { behaviour, outcome: 'taken', words: '' }, playOver('http', LEGACY, startGreeting(does))),
  ),
  ...SESSION_ROWS,
]
