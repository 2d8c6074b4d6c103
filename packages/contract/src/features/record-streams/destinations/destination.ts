/**
 * A kind of destination of record streams, as far as every package may know it: its settings, its secrets, the form that asks for them,
 * and the address that is judged. How a batch is delivered is in the gateway, in `features/record-streams/destinations/`, and its texts
 * are in the catalogues of the console by the same names.
 */
import { z } from 'zod'

/** How the console asks for one setting; a text of several lines for PEM. */
export type DestinationField =
  | { readonly name: string; readonly control: 'text' | 'number' | 'lines' }
  | { readonly name: string; readonly control: 'choice'; readonly choices: readonly string[] }

/** The secret that the console asks for; `headers`: lines of the form name: value. */
export interface DestinationSecret {
  readonly name: string
  readonly control: 'password' | 'lines' | 'headers'
}

type SettingsOf<Kind extends string> = z.ZodObject<{ kind: z.ZodLiteral<Kind> }>

export interface DestinationKind<
  Kind extends string = string,
  Settings extends SettingsOf<Kind> = SettingsOf<Kind>,
  Secrets extends z.ZodRawShape = z.ZodRawShape,
> {
  readonly kind: Kind
  readonly settings: Settings
  /** All optional. Each may be a reference (`secret://…`), or have one within it. */
  readonly secrets: Secrets
  /** Its secret is made by the gateway and shown once, to whoever adds the stream. */
  readonly signed: boolean
  readonly form: { readonly fields: readonly DestinationField[]; readonly secret?: DestinationSecret }
  /** The address that secrets are bound to and that is judged before anything is sent, as a URL. */
  urlOf(settings: z.output<Settings>): string
  /** The address as lists show it. */
  placeOf(settings: z.output<Settings>): string
}

/** Keeps the exact types of a kind. */
export const destination = <
  const Kind extends string,
  Settings extends SettingsOf<Kind>,
  Secrets extends z.ZodRawShape,
>(
  facts: DestinationKind<Kind, Settings, Secrets>,
): DestinationKind<Kind, Settings, Secrets> => facts

export const Url = z.string().min(1).max(2_000)
export const Secret = z.string().min(1).max(10_000)
export const Pem = z.string().min(1).max(50_000).startsWith('-----BEGIN ', 'is not PEM text')
