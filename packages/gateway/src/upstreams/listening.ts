/**
 * The listeners of one source of a server's announcements, and the union of their subscriptions.
 *
 * A source is the one listen stream of a modern server, or one session with a legacy server. Listeners come and go; the source is
 * notified only when the union changes. It belongs to the upstream of one connection: there is no other bus, and each
 * announcement is sent only to the listeners that subscribed to its subject.
 */
import { isObject, type JsonObject, type Notification } from '@toolway/protocol'
import { changedList, LIST_KINDS } from '@toolway/protocol/client'
import type { Honoured } from './upstream.ts'

/** The subscriptions of one listener, in the server's own names. */
export interface Wish {
  /** That lists have changed. */
  readonly lists: boolean
  /** Resources of which it wants to hear updates. */
  readonly uris: readonly string[]
  /** Tasks of which it wants to hear the state (Tasks extension). */
  readonly tasks: readonly string[]
  /** True to receive all other notifications to the session that is this source. */
  readonly beside?: boolean
}

/** The union of the subscriptions of one source's listeners. */
export interface Union {
  readonly lists: boolean
  readonly uris: ReadonlySet<string>
  readonly tasks: ReadonlySet<string>
}

/** Whether the source took something of a union; undefined where it takes all of it. */
export type Takes = { uri(uri: string): boolean; task(id: string): boolean } | undefined

/** `missed`: it is not known to have been said. */
export type OnNotification = (notification: Notification, missed: boolean) => void

export interface Listening {
  /** Listen until the signal; resolves when the source has taken the wish, with what it took of it. */
  join(interest: Wish, onNotification: OnNotification, signal: AbortSignal): Promise<Honoured>
  /** The source says something. */
  hear(notification: Notification): void
  /**
   * Announcements of the source were lost for a while: all listeners are notified that everything they subscribed to may have
   * changed.
   */
  missed(): void
}

export interface ListeningParts {
  /** Applies a changed union. Resolves when it is in force. An empty union means that there are no listeners any more. */
  apply(union: Union): Promise<Takes>
}

/** Addresses and tasks that all listeners of one source may name together; what goes beyond is not honoured. */
const MOST_NAMED = 10_000

interface Member {
  readonly lists: boolean
  readonly uris: ReadonlySet<string>
  readonly tasks: ReadonlySet<string>
  readonly beside: boolean
  readonly onNotification: OnNotification
}

export const isSilent = ({ lists, uris, tasks }: Union): boolean => !lists && uris.size === 0 && tasks.size === 0

export function createListening({ apply }: ListeningParts): Listening {
  const members = new Set<Member>()
  const uris = new Map<string, number>()
  const tasks = new Map<string, number>()
  let lists = 0
  let last: Promise<Takes> = Promise.resolve(undefined)

  const unionNow = (): Union => ({ lists: lists > 0, uris: new Set(uris.keys()), tasks: new Set(tasks.keys()) })

  function addMember(member: Member): void {
    members.add(member)
    let changed = member.lists && ++lists === 1
    for (const uri of member.uris) changed = count(uris, uri, 1) || changed
    for (const task of member.tasks) changed = count(tasks, task, 1) || changed
    if (changed) last = apply(unionNow())
  }

  function removeMember(member: Member): void {
    members.delete(member)
    let changed = member.lists && --lists === 0
    for (const uri of member.uris) changed = count(uris, uri, -1) || changed
    for (const task of member.tasks) changed = count(tasks, task, -1) || changed
    if (changed) last = apply(unionNow())
  }

  function tellMissed(): void {
    for (const member of [...members])
      for (const notification of everythingOf(member)) member.onNotification(notification, true)
  }

  return {
    async join(interest, onNotification, signal) {
      const member: Member = {
        lists: interest.lists,
        uris: new Set(takeNames(uris, interest.uris)),
        tasks: new Set(takeNames(tasks, interest.tasks)),
        beside: interest.beside === true,
        onNotification,
      }
      if (signal.aborted) return { uris: [], tasks: [] }
      signal.addEventListener('abort', () => removeMember(member), { once: true })
      addMember(member)
      const takes = await last
      return {
        uris: [...member.uris].filter((uri) => takes?.uri(uri) ?? true),
        tasks: [...member.tasks].filter((id) => takes?.task(id) ?? true),
      }
    },
    hear(notification) {
      for (const member of [...members]) if (concerns(notification, member)) member.onNotification(notification, false)
    },
    missed: tellMissed,
  }
}

/** Whether a name came or went altogether. */
function count(names: Map<string, number>, name: string, by: 1 | -1): boolean {
  const now = (names.get(name) ?? 0) + by
  if (now === 0) names.delete(name)
  else names.set(name, now)
  return now === 0 || (by === 1 && now === 1)
}

function takeNames(named: ReadonlyMap<string, number>, wished: readonly string[]): string[] {
  let room = MOST_NAMED - named.size
  return [...new Set(wished)].filter((name) => named.has(name) || room-- > 0)
}

function concerns({ method, params }: Notification, { lists, uris, tasks, beside }: Member): boolean {
  if (changedList(method) !== undefined) return lists
  if (method === 'notifications/resources/updated') {
    const uri = params?.['uri']
    return typeof uri === 'string' && uris.size > 0 && coveringNames(uri).some((value) => uris.has(value))
  }
  if (method === 'notifications/tasks') return tasks.has(taskOf(params) ?? '')
  return beside
}

/** The task that a notification is about (Tasks extension: its state lies flat in the params). */
const taskOf = (params: JsonObject | undefined): string | undefined => {
  const id = params?.['taskId'] ?? (isObject(params?.['task']) ? params['task']['taskId'] : undefined)
  return typeof id === 'string' ? id : undefined
}

/** An update may name a part of what was subscribed to (specification 2025-11-25, resources/updated). Longer paths are no paths. */
const MOST_PARTS = 32

function coveringNames(uri: string): string[] {
  const wholes = [uri]
  for (let at = uri.length; at > 0 && wholes.length < 2 * MOST_PARTS;) {
    at = Math.max(uri.lastIndexOf('/', at - 1), uri.lastIndexOf('#', at - 1), uri.lastIndexOf('?', at - 1))
    if (at > 0) wholes.push(uri.slice(0, at), uri.slice(0, at + 1))
  }
  return wholes
}

/** A task's state cannot be made up; who waits for it asks for it by `tasks/get`. */
function everythingOf({ lists, uris }: Member): Notification[] {
  const changed = lists ? LIST_KINDS.map((kind) => `notifications/${kind}/list_changed`) : []
  return [
    ...changed.map((method) => ({ jsonrpc: '2.0' as const, method })),
    ...[...uris].map((uri) => ({
      jsonrpc: '2.0' as const,
      method: 'notifications/resources/updated',
      params: { uri },
    })),
  ]
}
