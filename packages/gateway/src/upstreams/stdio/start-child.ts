/**
 * The start of one child: its process, the channel over its lines, its greeting. A child that is ended at once, or never answers, is
 * reported with its last words.
 */
import { Fault } from '@toolway/contract'
import { hasSecretForm, isTellingName, secretValues } from '@toolway/contract/secret-marks'
import { eraOf, isObject, type Notification, type Revision } from '@toolway/protocol'
import { createChannel, createLogLevel, type Channel, type LogLevel } from '@toolway/protocol/client'
import { createMask } from '../children/mask.ts'
import type { Child, Children } from '../children/worker-link.ts'
import { SHORTEST_IN_RESULTS_CHARACTERS } from '../http/reach-mask.ts'
import { ProgramSaid, tellingLine, type Withheld } from '../program-report.ts'
import type { ProcessTarget, ReachOf, ServerInfo } from '../upstream.ts'
import { greetChild, START_TIMEOUT_SECONDS } from './greet-child.ts'
import type { OwnChild } from './own-children.ts'
import { networkWords } from './sandbox-hints.ts'

export interface StartChildParts {
  readonly reach: ReachOf<ProcessTarget>
  readonly ids: () => number
  readonly children: Pick<Children, 'start'>
  onNoise(line: string): void
  /** The account whose credential is in its environment. It has a folder of its own. */
  readonly account?: string
  /** One caller's own child: who it is, and what it can be asked. Otherwise it serves everybody, and nobody can be asked. */
  readonly own?: OwnChild
}

export interface Running {
  readonly child: Child
  readonly channel: Channel
  readonly serverInfo: ServerInfo
  readonly level: LogLevel
  readonly since: number
}

/** The end of a child. */
export interface ChildEnd {
  readonly problem: string
  readonly cause: ProgramSaid
  readonly code: number | null
}

export interface Starting {
  /** It runs, and is greeted next. Rejects where nobody would hear a greeting. */
  onBorn(child: Child): Promise<void>
  onGreeted(child: Child): void
  onNotification(notification: Notification): void
  /** Why it is being ended, where that is our doing. */
  takeSentence(): string | undefined
  onEnd(child: Child, end: ChildEnd): void
}

export async function startChild(
  parts: StartChildParts,
  revision: Revision | undefined,
  starting: Starting,
): Promise<Running> {
  const { reach, own } = parts
  const { alias } = reach
  const child = await parts.children.start({
    // The connection's own folder, and its account's and caller's: two organizations may use the same alias.
    name: [alias, reach.connectionId, parts.account, own?.owner].filter((part) => part !== undefined).join('.'),
    alias,
    ...reach.wire,
  })
  await starting.onBorn(child)
  const channel = createChannel({
    alias,
    hide: hidingOf(reach.wire),
    owned: own !== undefined,
    send: (line) =>
      child.send(line).catch((thrown: unknown) => {
        throw new Fault('upstream.busy', { connection: alias }, { cause: thrown })
      }),
    onNoise: parts.onNoise,
    onNotification: (notification) => starting.onNotification(notification),
  })
  let ended: Fault | undefined
  child.onLine((line) => channel.receive(line))
  child.onExit(({ code, signal, reason, stderr, withheld }) => {
    const over = OVER[reason]
    const exited = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`
    const problem = starting.takeSentence() ?? over ?? exited
    // A child's output may contain a secret: it is a cause for operators, and not part of the fault that callers read.
    const cause =
      over === undefined
        ? complaint(alias, problem, { stderr, withheld, view: child.view() })
        : new ChildOver(over, stderr)
    ended = new Fault('upstream.lost', { connection: alias }, { cause })
    channel.end(ended)
    starting.onEnd(child, { problem, cause, code })
  })
  try {
    const serverInfo = await greetChild(channel, revision, parts)
    // Its last words and its end may arrive together.
    if (ended !== undefined) throw ended
    child.ready()
    starting.onGreeted(child)
    return { child, channel, serverInfo, level: levelOf(channel, serverInfo, parts), since: Date.now() }
  } catch (thrown) {
    await child.stop()
    throw lateStart(alias, thrown, child)
  }
}

/** A child that never answered its greeting: what it said until it was ended tells why. */
export function lateStart(alias: string, thrown: unknown, child: Child): unknown {
  if (!(thrown instanceof Fault && thrown.code === 'upstream.timeout')) return thrown
  const words = { stderr: child.stderr(), withheld: child.withheld(), view: child.view() }
  const cause = complaint(alias, 'it did not respond', words)
  return new Fault('upstream.start', { connection: alias, seconds: START_TIMEOUT_SECONDS }, { cause })
}

/** The last facts about a child that ended or does not answer. */
interface LastWords {
  readonly stderr: readonly string[]
  readonly withheld: Withheld
  readonly view: ReturnType<Child['view']>
}

function complaint(alias: string, how: string, { stderr, withheld, view }: LastWords): ProgramSaid {
  const network = networkWords(tellingLine(stderr), { view, alias })
  const hosts = [...withheld.hosts, ...(network === undefined || withheld.hosts.length > 0 ? [] : [network])]
  return new ProgramSaid(how, stderr, { ...withheld, hosts })
}

/** A child that was ended for what it did. */
export class ChildOver extends ProgramSaid {
  readonly why: string

  constructor(why: string, stderr: readonly string[]) {
    super(why, stderr)
    this.why = why
  }
}

/** Reasons for which a child is ended. */
const OVER: Readonly<Record<string, string>> = {
  LINE_TOO_LONG: 'it printed a line that is longer than the limit, and was stopped',
  TOO_MUCH_MEMORY: 'it used more memory than its limit, and was stopped',
}

const LEVEL_PATIENCE_MS = 1_000

function levelOf(
  channel: Channel,
  { revision, capabilities }: ServerInfo,
  { ids, reach: { timeout } }: StartChildParts,
): LogLevel {
  return createLogLevel(undefined, async (level) => {
    if (eraOf(revision) === 'modern' || !isObject(capabilities['logging'])) return
    const signal = AbortSignal.timeout(LEVEL_PATIENCE_MS)
    await channel.call({
      id: ids(),
      method: 'logging/setLevel',
      params: { level },
      signal,
      timeout,
    })
  })
}

/** Takes the secrets of its variables and arguments out of all that a program says; undefined where it has none. */
function hidingOf({ environment, args }: StartChildParts['reach']['wire']): ((text: string) => string) | undefined {
  const secrets = Object.entries(environment).filter(([name, value]) => isTellingName(name) || hasSecretForm(value))
  const hidden = secretValues(args)
  if (secrets.length === 0 && hidden.length === 0) return undefined
  return createMask(Object.fromEntries(secrets), hidden, SHORTEST_IN_RESULTS_CHARACTERS)
}
