/**
 * The words of a field that the contract describes: of a rule action's parameter (section `settingFields`, by the action), or of a
 * setting that one kind of connection has (section `kinds`, member `fields`, by the kind).
 */
import { texts, type Texts } from './texts.ts'

export interface FieldWords {
  readonly label: string
  readonly hint?: string
  readonly choices?: Readonly<Record<string, string>>
}

/** The names of catalogues have no dots: `by.roles` and `mcp.http` are `by_roles` and `mcp_http` there. */
export const keyOf = (name: string): string => name.replaceAll('.', '_')

/** @param owner an action, or a kind's member for its own settings */
export function fieldWords(
  owner: string,
  name: string,
  all: Pick<Texts, 'settingFields' | 'kinds'> = texts,
): FieldWords {
  const fields: Readonly<Record<string, Readonly<Record<string, FieldWords>>>> = {
    ...all.settingFields,
    ...all.kinds.fields,
  }
  return fields[owner]?.[keyOf(name)] ?? { label: name }
}

/** The kind of a connection, as a person calls it; the name that a server sent where it is unknown here. */
export function kindTitle(connector: string): string {
  const titles: Readonly<Record<string, string>> = texts.kinds.title
  return titles[keyOf(connector)] ?? connector
}

/** Several connections of a kind. */
export function kindPlural(connector: string): string {
  const plurals: Readonly<Record<string, string>> = texts.kinds.plural
  return plurals[keyOf(connector)] ?? connector
}

/** The heading of the settings that only one kind has. */
export function settingsTitle(member: string): string {
  const titles: Readonly<Record<string, string>> = texts.kinds.settings
  return titles[member] ?? kindTitle(member)
}
