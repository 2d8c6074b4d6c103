/** The remedies in a file of their own, which is loaded beside the first screen. */
import { texts } from './texts.ts'

export const mends = texts.mends
