/** A person by email, whom operations know by an id. */
import { listMembers, listUsers, type Member, type User } from '@toolway/contract/admin'
import { CommandFault, EXIT } from '../../cli/terminal/output.ts'
import { listAll, type Transport } from '../../cli/transport/transport.ts'

const isSameText = (text: string, other: string) => text.trim().toLowerCase() === other.trim().toLowerCase()

/** As much of an address as a list is searched by. */
const partOf = (email: string): string => email.trim().slice(0, 100)

/** Of the installation. */
export async function getUser(transport: Transport, email: string): Promise<User> {
  const found = (await listAll(transport, listUsers, { query: { search: partOf(email) } })).find((item) =>
    isSameText(item.email, email),
  )
  if (found !== undefined) return found
  throw new CommandFault(`No user has the email ${email}; \`toolway user list\` lists all users.`)
}

/** Of an organization, whose administrators need not know who else is in the installation. */
export async function getMember(transport: Transport, organization: string, email: string): Promise<Member> {
  const members = await listAll(transport, listMembers, { params: { organization }, query: { search: partOf(email) } })
  const found = members.find((member) => isSameText(member.email, email))
  if (found !== undefined) return found
  throw new CommandFault(
    `No member of ${organization} has the email ${email}; \`toolway member list\` lists the members.`,
  )
}

const EMAIL = /^[^\s@]+@[^\s@]+$/
export function checkEmail(email: string): void {
  if (!EMAIL.test(email.trim()) || email.length > 254)
    throw new CommandFault(`"${email}" is not an email address.`, EXIT.usage)
}
