/** Reading one resource: its address names its connection, and the server's own address goes upstream. */
import { Fault } from '@toolway/contract'
import type { Asked } from '@toolway/protocol'
import type { Target } from '../catalog/view.ts'
import { forward } from './forward.ts'
import type { Answer, Line, Standing } from './ports.ts'
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

/** Watching a resource: legacy clients of legacy servers, each over a session of its own (the others have `listen`). */
export async function subscribeResource(standing: Standing, asked: Asked, line: Line, trail: Trail): Promise<Answer> {
  const target = targetOf(standing, asked)
  const { session } = line
  const carries = standing.view.offered.some(
    ({ connectionId, sessions }) => connectionId === target.connectionId && sessions,
  )
  if (session === undefined || !carries) throw new Fault('method.unknown', { method: asked.method })
  const upstream = standing.upstream(target.connectionId)
  upstream.hear(session, (notification) => {
    const uri = notification.params?.['uri']
    if (notification.method !== 'notifications/resources/updated' || typeof uri !== 'string') return
    const params = { ...notification.params, uri: standing.view.exposeUri(target.alias, uri) }
    session.stream?.({ jsonrpc: '2.0', method: notification.method, params })
  })
  return forward({ standing, line, trail, asked, target, params: { ...asked.params, uri: target.name } })
}

/** An address as a record may hold it: user names, passwords and queries stay out. */
function withoutSecrets(uri: string): string {
  const plain = uri.split(/[?#]/, 1)[0] ?? ''
  return plain.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1')
}
