/** The rows of the zoo in one list: what a server does, what becomes of it, and the words that a person reads. */
import type { JsonObject } from '../../../packages/protocol/src/json.ts'
import { startScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { startZooServer } from '../zoo-server.ts'
import { ERROR_ANSWERS, READ_ANSWERS, REFUSED_ANSWERS, type Says } from './answers.ts'
import { LEFT_OUT_DEFINITIONS, OBJECT, REPAIRED_DEFINITIONS } from './definitions.ts'
import { GREETINGS } from './greetings.ts'
import { MENDED_RESULTS } from './results.ts'

export type Era = 'modern' | 'legacy'

interface Playing extends AsyncDisposable {
  readonly url: string
}

export interface Row {
  /** Where the behaviour is: in a list, a result, an answer over HTTP, or at the first contact. */
  readonly border: 'definition' | 'result' | 'answer' | 'greeting'
  readonly behaviour: string
  readonly outcome: 'taken' | 'left out' | 'refused' | 'its own error'
  /** A pattern of the sentence that a person reads; none where nothing is worth a word. */
  readonly words: string
  /** Starts a server that behaves so. */
  play(era: Era): Promise<Playing>
}

const GOOD = { name: 'good', inputSchema: OBJECT }

const playList = (kind: string, item: JsonObject) => (era: Era) =>
  startZooServer({ era, tools: kind === 'tool' ? [GOOD, item] : [GOOD], ...listsOf(kind, item) })

function listsOf(kind: string, item: JsonObject) {
  if (kind === 'prompt') return { prompts: [item] }
  return kind === 'tool' ? {} : { resources: [item] }
}

const playResult = (method: string, result: JsonObject) => (era: Era) =>
  startZooServer({
    era,
    tools: [GOOD],
    ...(method === 'prompts/get' ? { prompts: [{ name: 'good' }] } : {}),
    ...(method === 'resources/read' ? { resources: [{ uri: 'good://a', name: 'good' }] } : {}),
    result: () => result,
  })

const playAnswer = (says: Says) => (era: Era) =>
  startScriptedUpstream({
    era,
    results: { 'tools/list': { tools: [GOOD] } },
    act(heard, response) {
      if (heard.method !== 'tools/call') return false
      says(response, heard)
      return true
    },
  })

/** Only servers of the older revisions do not know the method. */
const playGreeting = (does: (typeof GREETINGS)[number][1]) => () =>
  startScriptedUpstream({
    era: 'legacy',
    results: { 'tools/list': { tools: [GOOD] } },
    act({ method }, response) {
      if (method !== 'server/discover') return false
      does(response)
      return true
    },
  })

export const ROWS: readonly Row[] = [
  ...REPAIRED_DEFINITIONS.map(([behaviour, kind, given, , words]): Row => ({
    ...{ border: 'definition', behaviour: `${kind}: ${behaviour}`, outcome: 'taken', words: words.source },
    play: playList(kind, given),
  })),
  ...LEFT_OUT_DEFINITIONS.map(([behaviour, kind, given, words]): Row => ({
    ...{ border: 'definition', behaviour: `${kind}: ${behaviour}`, outcome: 'left out', words: words.source },
    play: playList(kind, given),
  })),
  ...MENDED_RESULTS.map(([behaviour, method, given, , words]): Row => ({
    ...{ border: 'result', behaviour: `${method}: ${behaviour}`, outcome: 'taken', words: words.source },
    play: playResult(method, given),
  })),
  ...READ_ANSWERS.map(([behaviour, says]): Row => ({
    ...{ border: 'answer', behaviour, outcome: 'taken', words: '' },
    play: playAnswer(says),
  })),
  ...ERROR_ANSWERS.map(([behaviour, says, words]): Row => ({
    ...{ border: 'answer', behaviour, outcome: 'its own error', words },
    play: playAnswer(says),
  })),
  ...REFUSED_ANSWERS.map(([behaviour, says, words]): Row => ({
    ...{ border: 'answer', behaviour, outcome: 'refused', words: words.source },
    play: playAnswer(says),
  })),
  ...GREETINGS.map(([behaviour, does]): Row => ({
    ...{ border: 'greeting', behaviour, outcome: 'taken', words: '' },
    play: playGreeting(does),
  })),
]
