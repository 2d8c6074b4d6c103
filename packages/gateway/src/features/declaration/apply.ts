/** Carries a plan out, one act after another. An act that is refused ends it; a new plan goes on from there. */
import type { Act } from './call.ts'
import type { Step } from './steps.ts'

export async function applyPlan(
  carryOut: (act: Act, step: Step) => Promise<unknown>,
  steps: readonly Step[],
  onDone: (step: Step) => void = () => {},
): Promise<void> {
  for (const step of steps) {
    for (const act of step.acts) await carryOut(act, step)
    onDone(step)
  }
  for (const step of steps) for (const act of step.after ?? []) await carryOut(act, step)
}
