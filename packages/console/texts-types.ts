/** Declares the type of the texts. `npx vitest run packages/console/src/texts -u` writes it again. */
import { declareTexts, parameterOf } from '../../tools/declare-texts.ts'
import { argumentsOf, type Catalogue } from './texts-messages.ts'

/** Returns the source of `src/texts/english.ts`. */
export const declarationOf = (english: Catalogue): string =>
  declareTexts(
    english,
    ['/** Generated of the English catalogues: `npx vitest run packages/console/src/texts -u` writes it again. */'],
    (message) => {
      const named = argumentsOf(message)
      return named.size === 0 ? 'string' : `(${parameterOf(named)}) => string`
    },
  )
