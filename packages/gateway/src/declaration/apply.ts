/** Carries a plan out, one call after another. A call that is refused ends it: what was done stays, and a new plan goes on from there. */
import type { Call } from './call.ts'
import type { Step } from './steps.ts'

export async function applyPlan(
  call: Call,
  steps: readonly Step[],
  say: (step: Step) => void = () => {},
): Promise<void> {
  const make = async (acts: Step['acts']) => {
    for (const { operation, ...input } of acts) await call(operation, input)
  }
  for (const step of steps) {
    await make(step.acts)
    say(step)
  }
  for (const { after = [] } of steps) await make(after)
}
