/** An organization of the size of a company, written by SQL: members, keys, connections and their tools, all with known names. */
import { ConnectionSettings } from '@toolway/contract'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'

export interface CompanySize {
  /** `member00007@company.test`; the last twenty are called Nguyen. */
  readonly members: number
  /** `key-00007`. */
  readonly keys: number
  /** `branch-0007`, switched off, with two tools each: `read_00007` and `write_00007`. */
  readonly connections: number
  /** Of the connection `erp`, which is on and cannot be reached: `record_00007`. */
  readonly tools: number
}

const Nothing = z.object({})
const NGUYENS = 20
/** Nothing listens there. */
const SETTINGS = JSON.stringify(
  ConnectionSettings.parse({ connector: 'mcp.http', url: 'http://127.0.0.1:9/', timeout: 5 }),
)

export async function fillCompany({ db, organization }: TestGateway, size: CompanySize): Promise<void> {
  const { id } = organization
  await db.system(async (sql) => {
    await sql(Nothing)`
      insert into users (id, email, name, signed_in_at)
      select 'usr_company' || lpad(n::text, 14, '0'), 'member' || lpad(n::text, 5, '0') || '@company.test',
             case when n > ${size.members - NGUYENS} then 'Lan Nguyen ' else 'Member ' end || n, now() - make_interval(mins => n)
        from generate_series(1, ${size.members}::int) n`
    await sql(Nothing)`
      insert into members (organization_id, user_id, role)
      select ${id}, 'usr_company' || lpad(n::text, 14, '0'), case n % 3 when 0 then 'tenant_viewer' else 'tenant_member' end
        from generate_series(1, ${size.members}::int) n`
    await sql(Nothing)`
      insert into keys (id, organization_id, name, hint, hash, origin, created_at)
      select 'key_company' || lpad(n::text, 14, '0'), ${id}, 'key-' || lpad(n::text, 5, '0'), lpad(n::text, 4, '0'),
             sha256(('company ' || n)::bytea), 'test', now() - make_interval(mins => n)
        from generate_series(1, ${size.keys}::int) n`
    await sql(Nothing)`
      insert into connections (id, organization_id, alias, title, connector, settings, enabled, origin)
      select 'con_company' || lpad(n::text, 14, '0'), ${id}, case n when 0 then 'erp' else 'branch-' || lpad(n::text, 4, '0') end,
             case n when 0 then 'ERP' else 'Branch ' || n end, 'mcp.http',
             ${SETTINGS}::jsonb, n = 0, 'test'
        from generate_series(0, ${size.connections}::int) n`
    await sql(Nothing)`
      insert into catalogs (connection_id, organization_id, revision, tools, fetched_at)
      select 'con_company' || lpad('0', 14, '0'), ${id}, '2025-06-18',
             jsonb_agg(jsonb_build_object('name', 'record_' || lpad(t::text, 5, '0'), 'description', 'Reads record ' || t || '.',
                                          'inputSchema', '{"type":"object"}'::jsonb)), now()
        from generate_series(0, ${size.tools - 1}::int) t`
    await sql(Nothing)`
      insert into catalogs (connection_id, organization_id, revision, tools, fetched_at)
      select 'con_company' || lpad(n::text, 14, '0'), ${id}, '2025-06-18',
             jsonb_build_array(
               jsonb_build_object('name', 'read_' || lpad(n::text, 5, '0'), 'inputSchema', '{"type":"object"}'::jsonb),
               jsonb_build_object('name', 'write_' || lpad(n::text, 5, '0'), 'inputSchema', '{"type":"object"}'::jsonb)), now()
        from generate_series(1, ${size.connections}::int) n`
  })
}
