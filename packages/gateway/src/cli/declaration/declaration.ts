/** The work of `toolway export`, `toolway plan` and `toolway apply`. */
import { countWithNoun } from '../../lib/count-with-noun.ts'
import { writeFile } from 'node:fs/promises'
import { openConfig } from '../open-config.ts'
import { readConfigFile } from '../../config-file.ts'
import {
  APPLY,
  applyPlan,
  planOf,
  readOrganizations,
  readPlatformProviders,
  readPlatformRules,
  readPresent,
  written,
  type Call,
  type Plan,
  type Present,
  type Written,
} from '../../features/declaration/index.ts'
import { askYes } from '../terminal/terminal.ts'
import { CommandFault, type Output } from '../terminal/output.ts'
import type { Input, Transport } from '../transport/transport.ts'

/** The plan holds operations as values: their inputs are checked by their shapes when they are called. */
const callOf =
  ({ call }: Transport): Call =>
  (operation, input) =>
    call(operation, input as Input<typeof operation>)

export interface ExportWords {
  readonly organization: string
  /** Every organization and the rules of the platform. */
  readonly all?: boolean
  readonly output?: string
}

export interface Exported extends Written {
  /** Whether it is where it belongs already: in a file, or in the pipe of another program. */
  readonly isWritten: boolean
}

export async function exportFile(transport: Transport, words: ExportWords, { json }: Output): Promise<Exported> {
  const { all = false, organization, output } = words
  const call = callOf(transport)
  const slugs = all ? (await readOrganizations(call)).map(({ slug }) => slug) : [organization]
  const organizations: Present[] = []
  for (const slug of slugs) organizations.push(await readPresent(call, slug))
  const file = written({
    organizations,
    platformRules: all ? await readPlatformRules(call) : undefined,
    platformProviders: all ? await readPlatformProviders(call) : undefined,
  })
  // A terminal is shown characters that steer it by their numbers; a file has them as they are.
  const isPiped = output === undefined && !json && !process.stdout.isTTY
  if (output !== undefined) await writeNew(output, file.text)
  if (isPiped) process.stdout.write(file.text)
  return { ...file, isWritten: isPiped || output !== undefined }
}

/** Nothing that is there is overwritten. */
async function writeNew(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((thrown: NodeJS.ErrnoException) => {
    const reason = thrown.code === 'EEXIST' ? 'already exists' : `cannot be written (${thrown.code})`
    throw new CommandFault(`The file ${path} ${reason}: choose another name.`)
  })
}

export interface PlanWords {
  readonly file: string
  /** Remove what is there and is not in the file. */
  readonly prune?: boolean
}

export async function planFile(transport: Transport, { file, prune = false }: PlanWords): Promise<Plan> {
  const plan = await planOf(callOf(transport), APPLY, readConfigFile(file, (await openConfig()).lookup))
  return prune ? { ...plan, steps: [...plan.steps, ...plan.extra], extra: [] } : plan
}

export interface ApplyWords extends PlanWords {
  readonly yes?: boolean
  /** Add rules although their patterns match no known tool. */
  readonly force?: boolean
}

const forcedCall =
  (call: Call): Call =>
  (operation, input) =>
    call(operation, 'force' in operation.query.shape ? { ...input, query: { ...input.query, force: 'true' } } : input)

export async function applyFile(
  transport: Transport,
  { steps }: Plan,
  { yes = false, force = false }: ApplyWords,
  output: Output,
): Promise<void> {
  if (steps.length === 0) return
  if (!yes && !(await askYes(`Apply the plan of ${countWithNoun(steps.length, 'step')}?`)))
    throw new CommandFault('Nothing was changed.')
  let done = 0
  try {
    const call = force ? forcedCall(callOf(transport)) : callOf(transport)
    await applyPlan(
      ({ operation, ...input }) => call(operation, input),
      steps,
      () => void done++,
    )
  } catch (thrown) {
    const next = steps[done]
    const at = next === undefined ? 'the final changes, after all steps' : `${next.action} ${next.thing} ${next.name}`
    output.progress(
      `Stopped at: ${at}. Steps completed: ${done} of ${steps.length}. To continue, fix the cause and run "toolway apply" again.`,
    )
    throw thrown
  }
}
