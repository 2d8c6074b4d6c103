/** The module that `texts-plugin.ts` compiles of the English catalogues; `texts.ts` says what it holds. */
declare module 'virtual:texts' {
  export const all: unknown
}
