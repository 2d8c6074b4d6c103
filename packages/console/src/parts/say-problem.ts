/** Shows why a change failed, and what mends it. */
import { Problem } from '../data/problem.ts'
import { sayFailed } from '../ui/say.tsx'

export const sayProblem = (thrown: unknown) => sayFailed(Problem.of(thrown))
