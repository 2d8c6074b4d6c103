/**
 * A number with its noun, for English texts that are not in a catalogue: `1 tool`, `2 tools`.
 *
 * @param many the plural, where it is not the singular with an `s`
 */
export const countWithNoun = (count: number, value: string, many = `${value}s`): string =>
  `${count} ${count === 1 ? value : many}`
