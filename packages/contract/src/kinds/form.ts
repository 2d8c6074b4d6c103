/** How a form asks for one setting of a kind: a control, and its words. The console draws it without knowing the kind. */
interface Field {
  /** The member of the settings. */
  readonly name: string
  readonly label: string
  readonly hint?: string
}

export type SettingField =
  | (Field & { readonly control: 'text' | 'switch' | 'list' })
  /** Lines `key = value` of a record of texts. */
  | (Field & { readonly control: 'pairs' })
  | (Field & { readonly control: 'number'; readonly min: number; readonly max: number })
  | (Field & { readonly control: 'choice'; readonly choices: Readonly<Record<string, string>> })

export interface SettingsForm {
  readonly title: string
  /** The member of a connection, in the admin interface, that holds these settings. */
  readonly member: 'contract'
  readonly fields: readonly SettingField[]
}
