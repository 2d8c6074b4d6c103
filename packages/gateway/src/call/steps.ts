/**
 * The steps of a tool call, in their order, and the choice of those that concern a tool. Calls and listings use the same choice, so
 * that a tool that is not listed cannot be called.
 */
import type { Facts } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import type { ToolTarget } from '../catalog/tool-listing.ts'
import { accountArgument } from './steps/account-argument.ts'
import { approval } from './steps/approval.ts'
import { argumentSchema } from './steps/argument-schema.ts'
import { fileArguments } from './steps/file-arguments.ts'
import { headerParameters } from './steps/header-parameters.ts'
import { keyScope } from './steps/key-scope.ts'
import { organizationArgument } from './steps/organization-argument.ts'
import { outputSchema } from './steps/output-schema.ts'
import { payload } from './steps/payload.ts'
import { policy } from './steps/policy.ts'
import { remoteReview } from './steps/remote-review.ts'
import { argumentDepth, resultSize } from './steps/sizes.ts'
import type { Step } from './steps/step.ts'
import { toolLock } from './steps/tool-lock.ts'
import { visibility } from './steps/visibility.ts'

/** The life of a tool call, top to bottom; results pass from the bottom to the top. */
export const STEPS: readonly Step[] = [
  visibility,
  keyScope,
  argumentDepth,
  headerParameters,
  toolLock,
  payload,
  accountArgument,
  organizationArgument,
  fileArguments,
  policy,
  argumentSchema,
  remoteReview,
  approval,
  resultSize,
  outputSchema,
]

/** The steps that concern one tool at one endpoint, by the moment at which they run. */
interface Chosen {
  readonly admission: readonly Step[]
  readonly before: readonly Step[]
  readonly after: readonly Step[]
  readonly list: readonly Step[]
}

const chosen = new WeakMap<ToolTarget, Chosen>()

/** Chosen once for each tool of a view: both are immutable. */
export function stepsOf(tool: ToolTarget): Chosen {
  const known = chosen.get(tool)
  if (known !== undefined) return known
  const steps = STEPS.filter((step) => step.applies(tool))
  const before = steps.filter((step) => step.before !== undefined)
  const made = {
    admission: before.filter(({ admits }) => admits === true),
    before: before.filter(({ admits }) => admits !== true),
    after: steps.filter((step) => step.after !== undefined).reverse(),
    list: steps.filter((step) => step.list !== undefined),
  }
  chosen.set(tool, made)
  return made
}

/** The definition of a tool as this caller may see it; undefined where the tool is not listed for it. */
export function listedBy(tool: ToolTarget, definition: JsonObject, caller: () => Facts): JsonObject | undefined {
  let listed: JsonObject | undefined = definition
  for (const step of stepsOf(tool).list) {
    if (listed === undefined) return undefined
    listed = step.list === undefined ? listed : step.list(listed, tool, caller)
  }
  return listed
}
