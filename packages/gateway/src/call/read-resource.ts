/** Reading one resource: its address names its connection, and the server's own address goes upstream. */
import { Fault } from '@toolway/contract'
import type { Asked } from '@toolway/protocol'
import type { Target } from '../catalog/view.ts'
import { forward } from './forward.ts'
import type { Answer, Line, Standing } from './ports.ts'
import { hearSession } from './session-ears.ts'
import type { Trail } from './trail.ts'

export function targetOf(standing: Standing, asked: Asked): Target {
  const { uri } = asked.params
  if (typeof uri !== 'string') throw new Fault('params.shape', { place: '/uri', problem: 'must be a string' })
  const target = standing.view.resource(uri)
  if (target === undefined) throw new Fault('resource.unknown', { uri }, { data: { uri } })
  return target
}

export async function readResource(standing: Standing, asked: Asked, line: Line, trail: Trail): Promise<Answer> {
  const target = targetOf(standing, asked)
  trail.target = withoutSecrets(target.name)
  return forward({ standing, line, trail, asked, target, params: { ...asked.params, uri: target.name } })
}

/** A session that watches more than this is not answered any more; each address is kept and told to the server. */
const MOST_WATCHED = 1_000

/** Watching a resource is for clients with a session, at servers that tell of it to one session only; modern clients listen. */
export const subscribeResource = (standing: Standing, asked: Asked, line: Line, trail: Trail): Promise<Answer> =>
  watch({ standing, asked, line, trail }, (watched, uri) => {
    if (watched.size >= MOST_WATCHED)
      throw new Fault('params.shape', { place: '/uri', problem: `is one more than ${MOST_WATCHED} watched at once` })
    watched.add(uri)
  })

export const unsubscribeResource = (standing: Standing, asked: Asked, line: Line, trail: Trail): Promise<Answer> =>
  watch({ standing, asked, line, trail }, (watched, uri) => watched.delete(uri))

interface Watching {
  readonly standing: Standing
  readonly asked: Asked
  readonly line: Line
  readonly trail: Trail
}

async function watch(
  { standing, asked, line }: Watching,
  change: (watched: Set<string>, uri: string) => void,
): Promise<Answer> {
  const target = targetOf(standing, asked)
  const { session } = line
  const carries = standing.view.offered.some(
    ({ connectionId, sessions }) => connectionId === target.connectionId && sessions,
  )
  if (session === undefined || !carries) throw new Fault('method.unknown', { method: asked.method })
  const watched = session.watched.get(target.connectionId) ?? new Set<string>()
  session.watched.set(target.connectionId, watched)
  change(watched, target.name)
  const honoured = await hearSession(standing, session, target)
  if (watched.has(target.name) && !honoured.uris.includes(target.name)) {
    watched.delete(target.name)
    throw new Fault('resource.unwatched', { uri: String(asked.params['uri']), connection: target.alias })
  }
  return { result: {} }
}

/** An address as a record may hold it: user names, passwords and queries stay out. */
function withoutSecrets(uri: string): string {
  const plain = uri.split(/[?#]/, 1)[0] ?? ''
  return plain.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1')
}
