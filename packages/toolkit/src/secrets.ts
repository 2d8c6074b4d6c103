/** The keys of this process. They stand in no answer, whatever another side or a file gives back. */
const NAMES = ['COMPOSIO_API_KEY', 'TOOLWAY_KEY', 'TOOLWAY_WORKBENCH_KEY']
/** A shorter text is no key, and would be found in many others. */
const LEAST = 8

/** Makes a function that puts `***` in the place of each key within a value of JSON. */
export function createHiding(
  environment: Readonly<Record<string, string | undefined>>,
): <Value extends object | string>(value: Value) => Value {
  const keys = NAMES.flatMap((name) => {
    const key = environment[name] ?? ''
    return key.length < LEAST ? [] : [JSON.stringify(key).slice(1, -1)]
  })
  return (value) => {
    if (keys.length === 0) return value
    const text = JSON.stringify(value)
    if (!keys.some((key) => text.includes(key))) return value
    return JSON.parse(keys.reduce((hidden, key) => hidden.replaceAll(key, '***'), text)) as typeof value
  }
}
