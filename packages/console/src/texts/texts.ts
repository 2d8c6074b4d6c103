/** The words of the console. A further language is one more file of this shape, chosen here by the browser's language. */
import { en } from './en.ts'

export type Texts = typeof en

export const texts: Texts = en
