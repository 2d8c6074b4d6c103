/**
 * Collects what a running child lacks, for its administrators: hosts that its proxy refused, paths that it names and does not see, and what a
 * failed call showed. Few sentences, each once, kept until the connection is changed or restarted.
 *
 * A caller chooses what a failed call names, so nothing of this goes into an answer: it would tell what exists on this machine. One look
 * at the file system is under way at a time, after the answer was sent on, and a call that succeeds is not looked at.
 */
import { isObject } from '@toolway/protocol'
import { notAllowedWords, pathsInText, shellWord } from '@toolway/contract'
import type { Child } from '../children/worker-link.ts'
import { findClosedPath, type SandboxView } from '../children/sandbox/closed-paths.ts'
import { isInside } from '../children/sandbox/paths.ts'
import { OWN_WORDS } from '../program-report.ts'
import type { Answer } from '../upstream.ts'

type Seen = Pick<Child, 'withheld' | 'view' | 'stderr' | 'onWithheld'>

export interface SandboxHintsParts {
  readonly alias: string
  /** All sentences as of now. */
  onHints(sentences: readonly string[]): void
  /** Milliseconds that words on stderr may come after the answer that they explain. */
  readonly patience?: number
}

export interface SandboxHints {
  /** Called when a child has answered its greeting. */
  attach(child: Seen): void
  /** Looks at the answer of a call, if it is a failure. */
  look(child: Seen, answer: Answer): void
  close(): void
}

/** Refused hosts of so many times the patience are told together. */
const TOGETHER = 10
/** Sentences about failed calls. */
const MOST = 3
const PATIENCE = 300
/** Characters of an answer, and lines of stderr, that are looked at. */
const LOOKED_AT_CHARACTERS = 8_000
const LINES = 20

export function createSandboxHints({ alias, onHints, patience = PATIENCE }: SandboxHintsParts): SandboxHints {
  const ofCalls = new Set<string>()
  let child: Seen | undefined
  let emitted: string | undefined
  let isLooking = false
  let closed = false
  let later: NodeJS.Timeout | undefined

  const tellHints = () => {
    later = undefined
    const { hosts, paths } = child?.withheld() ?? { hosts: [], paths: [] }
    const all = [...hosts, ...paths, ...[...ofCalls].filter((value) => !paths.some((path) => value.includes(path)))]
    if (closed || emitted === all.join('\n')) return
    emitted = all.join('\n')
    onHints(all)
  }
  // Each host that callers name changes what is told: not each is worth a change of the stored state.
  const tellLater = () => void (later ??= setTimeout(tellHints, patience * TOGETHER).unref())

  async function lookAt(text: string, view: SandboxView): Promise<void> {
    const network = networkWords(text, { view, alias })
    if (network !== undefined) ofCalls.add(`A call failed: ${network}`)
    for (const path of pathsInText(text)) {
      if (ofCalls.size >= MOST) return
      const words = await closedWords(path, { view, alias, text })
      if (words !== undefined) ofCalls.add(words)
    }
  }

  return {
    attach(next) {
      child = next
      next.onWithheld(tellLater)
      tellHints()
    },
    look(of, answer) {
      const view = of.view()
      if (view === undefined || isLooking || closed || ofCalls.size >= MOST) return
      const text = failureIn(answer)
      if (text === undefined) return
      isLooking = true
      setTimeout(() => {
        const lines = of.stderr().filter((line) => !line.startsWith(OWN_WORDS))
        void lookAt([text, ...lines.slice(-LINES)].join('\n'), view).finally(() => {
          isLooking = false
          tellHints()
        })
      }, patience).unref()
    },
    close() {
      closed = true
      clearTimeout(later)
    },
  }
}

interface Failing {
  readonly view: SandboxView
  readonly alias: string
  readonly text: string
}

const READ_ONLY = /\bEROFS\b|read-only file system/i
const ONLY_IF = 'Allow it only if this server is meant to use it.'

async function closedWords(path: string, { view, alias, text }: Failing): Promise<string | undefined> {
  const readOnly = view.readOnly.find((folder) => isInside(path, folder))
  if (readOnly !== undefined && READ_ONLY.test(text))
    return `A call failed, because ${readOnly} is allowed for reading only, and to write there is not allowed in the sandbox: toolway connection allow ${alias} --allow-path ${shellWord(readOnly)} allows it. ${ONLY_IF}`
  const found = await findClosedPath(path, view)
  return found === undefined ? undefined : `A call failed with this path: ${notAllowedWords(found, alias)} ${ONLY_IF}`
}

/** Errors of programs that found no network, or no name server, where they looked for one. */
const NO_NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b|name or service not known|temporary failure in name resolution|network is unreachable|\bdns error\b|no such host|could not resolve host/i

interface Unreached {
  readonly view: SandboxView | undefined
  readonly alias: string
}

/** Why a program that names such an error found none; undefined where its sandbox is not the reason. */
export function networkWords(text: string | undefined, { view, alias }: Unreached): string | undefined {
  if (text === undefined || view === undefined || view.network === 'host' || !NO_NETWORK.test(text)) return undefined
  const allow = `toolway connection allow ${alias} --network`
  return view.network === 'none'
    ? `Its sandbox has no network (network "none"): ${allow} public allows public addresses.`
    : `Its sandbox has no network but the gateway's proxy for HTTP (network "${view.network}"): if it needs another protocol or this machine's network, ${allow} host allows that.`
}

/** The words of a failure; undefined for an answer that is none. */
function failureIn(answer: Answer): string | undefined {
  if ('error' in answer) {
    const { message, data } = answer.error
    return `${message} ${JSON.stringify(data ?? '')}`.slice(0, LOOKED_AT_CHARACTERS)
  }
  const { isError, content } = answer.result
  if (isError !== true) return undefined
  const texts = Array.isArray(content) ? content : []
  return texts
    .map((text) => (isObject(text) && typeof text['text'] === 'string' ? text['text'] : ''))
    .join('\n')
    .slice(0, LOOKED_AT_CHARACTERS)
}
