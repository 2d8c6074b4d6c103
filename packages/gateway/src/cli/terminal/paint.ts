/** Colour on a terminal; elsewhere, and where NO_COLOR is set, the text stays as it is. What is painted is made harmless before. */
import { styleText } from 'node:util'

export type Colour = 'green' | 'red' | 'yellow' | 'dim' | 'bold'

export const paint = (colour: Colour, text: string): string => styleText(colour, text, { stream: process.stdout })
