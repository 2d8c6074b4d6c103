/**
 * The part of a connect link for a connection whose server keeps the accounts of users: the person goes to that server's own page for
 * connecting one, and comes back to `/connect/done`.
 */
import { Fault, kindOf } from '@toolway/contract'
import type { Brokered } from '../../oauth/outgoing/credentials/brokered-credentials.ts'
import type { Target } from '../../oauth/outgoing/flows/target.ts'
import type { BrokeredMember } from '../../upstreams/upstream.ts'
import { brokerForm, goingText, type BrokerForm } from '../pages/connect-page.ts'
import { pageOf } from '../pages/page.ts'
import type { PageTexts } from '../pages/page-texts.ts'

export interface BrokerDoorParts {
  brokeredBy(target: Target): Brokered | undefined
  publicUrl(): string
}

type Words = Omit<BrokerForm, 'broker' | 'apps' | 'server'>

const isBrokered = ({ connection }: Target): boolean =>
  connection !== undefined && kindOf(connection.settings.connector).brokersAccounts === true

/** The toolkits of its settings, of which a person connects one at a time. */
const appsOf = ({ connection }: Target): readonly string[] => {
  const settings = connection?.settings
  return settings !== undefined && 'toolkits' in settings ? settings.toolkits : []
}

/** Undefined for a target whose accounts are kept here. */
export const showBroker = (texts: PageTexts, target: Target, words: Words): Promise<Response> | undefined => {
  if (!isBrokered(target)) return undefined
  const broker = kindOf(target.connection?.settings.connector)?.title ?? ''
  const body = brokerForm(texts, { ...words, server: undefined, broker, apps: appsOf(target) })
  const title = texts.connect.title({ title: target.title })
  return pageOf({ texts, title, body, status: words.problem === undefined ? 200 : 400 })
}

export interface Beginning {
  readonly texts: PageTexts
  readonly target: Target
  readonly member: BrokeredMember | undefined
  readonly app: string | undefined
  /** The page of ours on which it ends. */
  readonly done: string
}

/** Undefined for a target whose accounts are kept here. Throws `flow.unfit`, `upstream.*` and `connector.*`. */
export async function beginAtBroker(parts: BrokerDoorParts, beginning: Beginning): Promise<Response | undefined> {
  const { texts, target, member, app, done } = beginning
  const brokered = isBrokered(target) ? parts.brokeredBy(target) : undefined
  if (brokered === undefined) return undefined
  const user = brokered.broker.userOf(member)
  if (user === undefined)
    throw new Fault('flow.unfit', {
      connection: target.title,
      problem: 'it has no default user to connect an account for',
    })
  const callback = new URL(parts.publicUrl() + done)
  callback.searchParams.set('connected', target.connection?.id ?? '')
  const url = new URL(await brokered.broker.link(user, app, callback.href))
  return pageOf({ texts, title: texts.moment.title(), body: goingText(texts, url.host, url.href), goTo: url.href })
}
