/**
 * Asks a client for its roots, in the way of its era: a legacy client is asked once and again after `notifications/roots/list_changed`, a
 * modern one in each call by an `input_required` result, for its capabilities and answers hold for one request only.
 */
import {
  inputRequired,
  inputResponse,
  type InputRequiredResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { LIMITS } from './limits.ts'

export type Era = 'legacy' | 'modern'

export interface ClientRoots {
  /** `uris`: undefined where the client names none. `question`: the result with which the client is asked. */
  find(
    context: ServerContext,
  ): Promise<{ readonly uris: readonly string[] | undefined } | { readonly question: InputRequiredResult }>
}

const KEY = 'roots'
/** The envelope of a request whose client has roots. */
const NamesRoots = z.object({ 'io.modelcontextprotocol/clientCapabilities': z.object({ roots: z.looseObject({}) }) })

export const createClientRoots = (server: Server, era: Era, tell: (line: string) => void): ClientRoots =>
  era === 'modern' ? { find: findModern } : createLegacy(server, tell)

async function findModern({ mcpReq }: ServerContext) {
  if (!NamesRoots.safeParse(mcpReq.envelope).success) return { uris: undefined }
  const answer = inputResponse(mcpReq.inputResponses, KEY)
  if (answer.kind === 'roots') return { uris: answer.roots.map(({ uri }) => uri) }
  if (mcpReq.inputResponses !== undefined) return { uris: undefined }
  return { question: inputRequired({ inputRequests: { [KEY]: inputRequired.listRoots() } }) }
}

function createLegacy(server: Server, tell: (line: string) => void): ClientRoots {
  let known: Promise<readonly string[] | undefined> | undefined
  server.setNotificationHandler('notifications/roots/list_changed', () => {
    known = undefined
  })
  const ask = async () => {
    if (server.getClientCapabilities()?.roots === undefined) return undefined
    const { roots } = await server.listRoots(undefined, { timeout: LIMITS.rootsMilliseconds })
    return roots.map(({ uri }) => uri)
  }
  return {
    async find() {
      known ??= ask()
      const pending = known
      try {
        return { uris: await pending }
      } catch (thrown) {
        if (known === pending) known = undefined
        tell(`the client did not provide its roots: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
        return { uris: undefined }
      }
    },
  }
}
