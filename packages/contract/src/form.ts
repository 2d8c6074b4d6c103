/**
 * How a form asks for one setting of a kind of connection, or one parameter of a rule: a control. Its words are in the catalogues of the
 * console, by the same name.
 */
interface Field {
  /** The member of the settings, with dots between the names where it is nested. */
  readonly name: string
  /** The member whose problems are shown here, where it is another one. */
  readonly problemsOf?: string
}

/** Lists that the console knows and a control can offer. */
export type FieldSource = 'roles' | 'members' | 'groups' | 'webhooks' | 'rules'

export type SettingField =
  | (Field & { readonly control: 'text' })
  /** A list of texts. The values of a source are offered, others can be typed. */
  | (Field & { readonly control: 'list'; readonly source?: FieldSource })
  /** Several values of a source, and no others. */
  | (Field & { readonly control: 'several'; readonly source: FieldSource })
  /** A value in JSON, or a text. */
  | (Field & { readonly control: 'json' })
  /** `values`: what off and on stand for, where it is not false and true. */
  | (Field & { readonly control: 'switch'; readonly values?: readonly [off: string, on: string] })
  /** Lines `key = value` of a record of texts. */
  | (Field & { readonly control: 'pairs' })
  | (Field & { readonly control: 'number'; readonly min?: number; readonly max?: number })
  | (Field & { readonly control: 'choice'; readonly choices: readonly string[] })

export interface SettingsForm {
  readonly fields: readonly SettingField[]
}
