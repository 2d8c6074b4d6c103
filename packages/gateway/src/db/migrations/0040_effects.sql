-- An administrator says what a tool does, and one rule holds for everything: the hint of a server that is not trusted can only make a
-- tool more dangerous. A row says whether a tool is on, what it does, or both.
-- locks: alerts, catalogs, connections, organizations, tool_states, webhook_deliveries, webhooks
alter table tool_states
  alter column enabled drop not null,
  add column effect    text check (effect in ('read', 'write', 'destructive')),
  add column effect_by text, -- who said so: `usr_…`, `operator`, `command line`
  add check (enabled is not null or effect is not null),
  add check ((effect is null) = (effect_by is null));

-- Keys and toolsets that reach only tools that read, and rules about effects, believed such hints until now: whoever administers is told
-- of each connection whose tools count as writing from here on.
insert into alerts (id, organization_id, kind, connection_id, detail)
select 'alr_' || upper(replace(gen_random_uuid()::text, '-', '')), c.organization_id, 'effect.unproven', c.id,
       json_build_object('alias', c.alias, 'tools', hinted.tools)::jsonb
  from connections c
  join lateral (
         select count(*) as tools
           from catalogs k, json_array_elements(coalesce(k.tools, '[]')) as tool
          where k.connection_id = c.id and tool -> 'annotations' ->> 'readOnlyHint' = 'true'
       ) as hinted on hinted.tools > 0
 where not c.trusted and c.connector not in ('openapi', 'contract');
