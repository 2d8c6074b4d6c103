/** A workbench whose operations are scripts that a tool runs. What a script answers is checked; a part is believed only with its hash. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { RemotePath } from '../files/paths.ts'
import { Refusal } from '../refusal.ts'
import { RemoteFailure } from './remote-failure.ts'
import { javascriptScript } from './scripts/javascript.ts'
import { pythonScript } from './scripts/python.ts'
import { answerIn, givenOf, type Given, type Language, type Operation, type ScriptAnswer } from './scripts/script.ts'
import { shellScript } from './scripts/shell.ts'
import type { Doing, Workbench } from './workbench.ts'

export interface ScriptWorkbenchParts extends Pick<Workbench, 'session' | 'parts' | 'fetchWhole'> {
  readonly language: Language
  /** Where the sandbox keeps what is called `/home/user`. */
  readonly home: string
  /** Runs a script and resolves with whatever the tool returns. Each script may be run twice. */
  run(script: string, doing: Doing): Promise<unknown>
}

const SCRIPTS: Readonly<Record<Language, (input: Given) => string>> = {
  python: pythonScript,
  javascript: javascriptScript,
  shell: shellScript,
}

const File = z.object({ size: z.int().min(0), sha256: z.string() }).nullable()
const ANSWERS = {
  stat: z.object({ file: File }),
  write: z.union([z.object({ size: z.int(), sha256: z.string() }), z.object({ gap: z.int() })]),
  finish: z.object({ done: z.boolean() }),
  read: z.object({ sha256: z.string() }),
}

export function createScriptWorkbench(parts: ScriptWorkbenchParts): Workbench {
  async function carryOut<Name extends Operation['name']>(
    path: RemotePath,
    operation: Extract<Operation, { name: Name }>,
    doing: Doing,
  ) {
    const names = givenOf(path, parts.home, operation)
    const answer = answerIn(await parts.run(SCRIPTS[parts.language](names), doing), names.nonce)
    refuseFailed(path, answer)
    const parsed = ANSWERS[operation.name].safeParse(answer.said)
    if (!parsed.success)
      throw new RemoteFailure('The workbench returned an answer in an unexpected format.', {
        details: { data: answer.said },
      })
    return { said: parsed.data as z.output<(typeof ANSWERS)[Name]>, bytes: answer.bytes }
  }

  return {
    session: parts.session,
    parts: parts.parts,
    ...(parts.fetchWhole === undefined ? {} : { fetchWhole: parts.fetchWhole }),
    async stat(path, doing) {
      const { said } = await carryOut(path, { name: 'stat', target: 'path' }, doing)
      return said.file ?? undefined
    },
    async statPart(path, doing) {
      const { said } = await carryOut(path, { name: 'stat', target: 'part' }, doing)
      return said.file ?? undefined
    },
    async writePart(path, offset, bytes, doing) {
      const { said } = await carryOut(path, { name: 'write', offset, bytes }, doing)
      if ('gap' in said)
        throw new RemoteFailure(
          `The workbench has lost part of ${path}: the file contains ${said.gap} of ${offset} bytes.`,
        )
      if (said.size !== offset + bytes.byteLength || said.sha256 !== hashOf(bytes))
        throw new RemoteFailure(`A part of ${path} was changed on its way to the workbench.`, { kind: 'passing' })
    },
    async finish(path, { size, sha256 }, doing) {
      const { said } = await carryOut(path, { name: 'finish', size, sha256 }, doing)
      if (!said.done)
        throw new RemoteFailure(`${path} did not arrive on the workbench as it was sent: its size or hash differs.`)
    },
    async readPart(path, offset, size, doing) {
      const { said, bytes } = await carryOut(path, { name: 'read', offset, size }, doing)
      if (said.sha256 !== hashOf(bytes))
        throw new RemoteFailure(`A part of ${path} was changed on its way from the workbench.`, { kind: 'passing' })
      return bytes
    },
  }
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const MOST_WORDS = 2_000
function refuseFailed(path: RemotePath, { said }: ScriptAnswer): void {
  const failed = said['failed']
  if (typeof failed === 'string')
    throw new Refusal(`The workbench cannot do this with ${path}: ${failed.slice(0, MOST_WORDS)}.`, 'EXECUTION_ERROR')
}
