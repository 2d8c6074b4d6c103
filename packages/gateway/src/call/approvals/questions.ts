/** The question to a client and its answer: a form for the user behind the call, or the link to the approval page. */
import { visible } from '@toolway/contract'
import { randomUUID } from 'node:crypto'
import { isObject, NEWEST_LEGACY, withDigitsAsText, type McpRequest, type JsonObject } from '@toolway/protocol'
import type { ApprovalAsking } from './approval-port.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'

/** `unasked` where the client cannot be asked after all, or is gone, or nobody answered. */
export interface ApprovalReply {
  readonly action: 'accept' | 'decline' | 'cancel' | 'unasked'
  readonly note: string | undefined
  /** Not this call alone. */
  readonly always: boolean
}

/** The choices of the form in a client; offered only where a standing grant is allowed. */
const SCOPES = ['this call', 'always for this tool'] as const

/** Forms came with 2025-06-18; a client that names no mode takes forms alone (2025-11-25, elicitation). */
export function supportsFormElicitation({
  caller: { revision, capabilities },
}: {
  readonly caller: Pick<McpRequest['caller'], 'revision' | 'capabilities'>
}): boolean {
  const { elicitation } = capabilities
  if (revision < '2025-06-18' || !isObject(elicitation)) return false
  return isObject(elicitation['form']) || !isObject(elicitation['url'])
}

/** URL mode came with 2025-11-25, and is declared by name. */
export function opensPages({ caller: { revision, capabilities } }: McpRequest): boolean {
  const { elicitation } = capabilities
  return revision >= NEWEST_LEGACY && isObject(elicitation) && isObject(elicitation['url'])
}

/** Characters of arguments that are shown in a client. */
const SHOWN = 4_000

const shown = (value: JsonObject): string => {
  const text = JSON.stringify(value, undefined, 2).split('\n').map(visible).join('\n')
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}\n… (${text.length - SHOWN} more characters)`
}

/** As people see it: what nobody that counts states is unknown, though rules treat it as a write. */
const effectWords = ({ effect, effectFrom }: ApprovalAsking['target']): string =>
  effectFrom === 'unknown' ? 'effect unknown' : effect

/** An answer is all that is wanted; a note may go with it, and whether it is for later calls, where it may be. */
export const selfQuestion = (
  { target, rules, arguments: value, files, mcpRequest }: ApprovalAsking,
  mayLast: boolean,
): JsonObject => ({
  ...(mcpRequest.caller.revision >= NEWEST_LEGACY ? { mode: 'form' } : {}),
  message: [
    `Run ${target.name} (${effectWords(target)}) on ${target.alias} with these arguments?`,
    shown(withDigitsAsText(value, mcpRequest.params['arguments']) as JsonObject),
    ...files.map(({ name, media_type: type, size }) => `File: ${visible(name)} (${visible(type)}, ${size} bytes)`),
    `Reason: ${rules.map(({ reason }) => reason).join('; ')}`,
  ].join('\n\n'),
  requestedSchema: {
    type: 'object',
    properties: {
      ...(mayLast ? { for: { type: 'string', title: 'For', enum: [...SCOPES], default: SCOPES[0] } } : {}),
      note: { type: 'string', title: 'Note', description: 'Optional, for the audit log', maxLength: 500 },
    },
  },
})

export const pageQuestion = ({ target, rules, mcpRequest }: ApprovalAsking, link: string): JsonObject => ({
  mode: 'url',
  message: `${target.name} on ${target.alias} needs approval: ${rules.map(({ reason }) => reason).join('; ')}. Open this page to see the request, or to approve it if you are an approver.`,
  url: link,
  // A modern question is known by its key.
  ...(mcpRequest.caller.revision === NEWEST_LEGACY ? { elicitationId: randomUUID() } : {}),
})

export async function putOnLine(channel: ClientChannel, params: JsonObject, patience: number): Promise<ApprovalReply> {
  const timedOut = Promise.withResolvers<undefined>()
  const timer = setTimeout(timedOut.resolve, patience, undefined)
  const question = channel
    .question({ jsonrpc: '2.0', id: 0, method: 'elicitation/create', params })
    .catch(() => undefined)
  const answer = await Promise.race([question, timedOut.promise]).finally(() => clearTimeout(timer))
  const result = answer !== undefined && 'result' in answer ? answer.result : {}
  return wordOf(result)
}

/** Reads a client's answer to the form. */
export function wordOf({ action, content }: { readonly action?: unknown; readonly content?: unknown }): ApprovalReply {
  const { note, for: scope } = isObject(content) ? content : {}
  return {
    action: action === 'accept' || action === 'decline' || action === 'cancel' ? action : 'unasked',
    note: typeof note === 'string' && note.trim() !== '' ? note.trim().slice(0, 500) : undefined,
    always: scope === SCOPES[1],
  }
}
