/** The language of the console: the browser's, or one that is chosen here. Texts are read once, so a choice loads the page again. */
import { SegmentedControl, Text } from '@mantine/core'
import { texts } from '../../texts/texts.ts'

/** `language.js` reads it before the console starts. */
const STORED = 'language'
const BROWSER = 'browser'

export function LanguageChoice() {
  const { language, languageHint, languages } = texts.me
  const choose = (chosen: string) => {
    if (chosen === BROWSER) localStorage.removeItem(STORED)
    else localStorage.setItem(STORED, chosen)
    location.reload()
  }
  return (
    <>
      <SegmentedControl
        aria-label={language}
        value={localStorage.getItem(STORED) ?? BROWSER}
        onChange={choose}
        data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
      />
      <Text size="sm" c="dimmed">
        {languageHint}
      </Text>
    </>
  )
}
