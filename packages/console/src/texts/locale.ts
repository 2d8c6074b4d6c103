/** The language of the console, as `language.js` chose it before this started, with its region: `en`, `de-AT`. Tests without a browser read English. */
export const locale: string = globalThis.document?.documentElement.lang ?? 'en'
