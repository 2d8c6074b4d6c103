/** The language in which dates, numbers and lists are written. Tests without a browser read English. */
export const locale: string = typeof document === 'undefined' ? 'en' : navigator.language
