/*
 * Chooses the language before the console starts: the one chosen on this browser, or else the first of the browser's languages that
 * there are texts in, with its region for dates and numbers. This is no module: those that are German come as a script that the
 * parser waits for, so that every module finds its texts, and those who read English load nothing more. The German sentences of the
 * gateway are deferred, as modules are, and come before them.
 */
{
  const chosen = /^(en|de)$/.exec(`${localStorage.language}`)?.[0]
  const known = new RegExp(`^(${chosen ?? 'en|de'})\\b`)
  const locale = [...navigator.languages, 'en', 'de'].find((language) => known.test(language))
  document.documentElement.lang = locale
  if (locale.startsWith('de'))
    document.write('<script src="GERMAN_TEXTS"></script><script defer src="GERMAN_SENTENCES"></script>')
}
