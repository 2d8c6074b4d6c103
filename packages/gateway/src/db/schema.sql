-- The shape of the database after all migrations. Generated: node packages/gateway/src/db/schema.ts
-- Read it, do not run it. The role that connects and owns everything is written as owner.

-- Tables

create table agent_models (
  organization_id text not null,
  provider text not null,
  url text not null,
  model text not null,
  sealed bytea,
  updated_at timestamp with time zone not null default now()
);
create unlogged table agent_runs (
  id text not null,
  organization text not null,
  seen_at timestamp with time zone not null default now()
);
create table alerts (
  id text not null,
  organization_id text not null,
  kind text not null,
  connection_id text,
  user_id text,
  detail jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now()
);
create table approval_answers (
  organization_id text not null,
  approval_id text not null,
  answered_by text not null,
  verdict text not null,
  way text not null,
  note text,
  answered_at timestamp with time zone not null default now()
);
create table approval_messages (
  organization_id text not null,
  webhook_id text not null,
  message_id text not null,
  taken_at timestamp with time zone not null default now()
);
create table approvals (
  id text not null,
  organization_id text not null,
  connection_id text not null,
  tool text not null,
  effect text not null,
  digest text not null,
  principal text not null,
  caller text not null,
  user_id text,
  client text,
  account text,
  rules jsonb not null,
  sealed_arguments bytea not null,
  sealed_answer bytea,
  state text not null default 'pending'::text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  decided_by text,
  good_until timestamp with time zone,
  repeats boolean not null default false,
  used_at timestamp with time zone,
  uses integer not null default 0,
  used_in text,
  told_at timestamp with time zone,
  rounds integer not null default 0,
  lasting_digest text,
  tool_hash text,
  made_by text
);
create table authenticator_apps (
  id text not null,
  user_id text not null,
  sealed_secret bytea not null,
  last_step bigint not null,
  name text not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone
);
create table catalog_looks (
  connection_id text not null,
  organization_id text not null,
  version text,
  began_at timestamp with time zone,
  due_at timestamp with time zone,
  failures integer not null default 0,
  checked_at timestamp with time zone,
  lease text,
  leased_until timestamp with time zone
);
create table catalogs (
  connection_id text not null,
  organization_id text not null,
  revision text,
  server json,
  tools json,
  resources json,
  templates json,
  prompts json,
  fetched_at timestamp with time zone,
  stale_since timestamp with time zone,
  stale_reason text,
  digest text,
  left_out json,
  bytes integer
);
create table change_relay (
  one boolean not null default true,
  wanted_until timestamp with time zone not null default '-infinity'::timestamp with time zone,
  relayed bigint not null default 0,
  holder text,
  held_until timestamp with time zone not null default '-infinity'::timestamp with time zone
);
create table changes (
  seq bigint not null,
  xact xid8 not null default pg_current_xact_id(),
  payload text not null
);
create table clients_seen (
  organization_id text not null,
  principal text not null,
  client text not null,
  version text not null,
  revision text not null,
  key_id text,
  user_id text,
  initialize_at timestamp with time zone,
  list_at timestamp with time zone,
  call_at timestamp with time zone,
  seen_at timestamp with time zone not null
);
create table connections (
  id text not null,
  organization_id text not null,
  alias text not null,
  title text not null,
  connector text not null,
  settings jsonb not null,
  sealed bytea,
  enabled boolean not null default true,
  origin text not null,
  import_id text,
  era jsonb,
  status text not null default 'new'::text,
  status_reason text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  description text,
  tools_default boolean not null default true,
  tool_lock text not null default 'off'::text,
  trusted boolean not null default false,
  outage_told boolean not null default false,
  outage_told_at timestamp with time zone,
  keep_payloads boolean not null default false,
  oauth_repairs jsonb
);
create table credentials (
  id text not null,
  organization_id text not null,
  connection_id text,
  provider text not null,
  user_id text,
  provider_user_id text,
  provider_username text,
  sealed_access_token bytea not null,
  sealed_refresh_token bytea,
  token_type text not null default 'Bearer'::text,
  expires_at timestamp with time zone,
  scopes text[] not null default '{}'::text[],
  provider_data jsonb not null default '{}'::jsonb,
  active boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  kind text not null default 'oauth'::text,
  account text not null default 'default'::text,
  is_default boolean not null default true,
  server text,
  issuer text,
  resource text,
  authority jsonb,
  client_id text,
  app_id text,
  problem text,
  problem_at timestamp with time zone,
  version integer not null default 1,
  renewed_at timestamp with time zone not null default now(),
  used_at timestamp with time zone,
  warned_at timestamp with time zone,
  lease text,
  leased_until timestamp with time zone,
  failures integer not null default 0,
  retry_at timestamp with time zone
);
create table exposed_names (
  organization_id text not null,
  connection_id text not null,
  kind text not null,
  original text not null,
  name text not null,
  plain boolean not null,
  given_at timestamp with time zone not null default now()
);
create table file_links (
  hash bytea not null,
  organization_id text not null,
  file_id text not null,
  kind text not null,
  made_by text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null
);
create table file_removals (
  storage_key text not null,
  parts jsonb,
  removed_at timestamp with time zone not null default now(),
  try_after timestamp with time zone not null default now()
);
create table files (
  id text not null,
  organization_id text not null,
  owner text not null,
  name text not null,
  media_type text not null,
  size bigint,
  reserved bigint not null,
  sha256 text,
  state text not null default 'uploading'::text,
  origin text not null,
  tool text,
  storage_key text not null,
  sealed_key bytea not null,
  parts jsonb,
  writer text,
  writer_until timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null
);
create unlogged table gateways (
  id text not null,
  host text not null,
  process integer not null,
  version text not null,
  roles text[] not null,
  started_at timestamp with time zone not null,
  seen_at timestamp with time zone not null default now()
);
create table group_members (
  organization_id text not null,
  group_slug text not null,
  user_id text not null,
  added_at timestamp with time zone not null default now(),
  source text not null default 'manual'::text
);
create table groups (
  organization_id text not null,
  slug text not null,
  title text not null,
  awaited text[] not null default '{}'::text[],
  origin text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now()
);
create table identity_domains (
  organization_id text not null,
  domain text not null,
  challenge text not null,
  proven_at timestamp with time zone,
  proven_by text,
  enforced boolean not null default false,
  break_glass text,
  created_at timestamp with time zone not null default now()
);
create table identity_links (
  organization_id text not null,
  provider_id text not null,
  subject text not null,
  user_id text not null,
  created_at timestamp with time zone not null default now(),
  signed_in_at timestamp with time zone
);
create table identity_providers (
  organization_id text not null,
  id text not null,
  slug text not null,
  title text not null,
  settings jsonb not null,
  sealed_secret bytea,
  private boolean not null default false,
  enabled boolean not null default false,
  origin text not null,
  signed_in_at timestamp with time zone,
  last_problem text,
  failed_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now()
);
create table imports (
  id text not null,
  organization_id text not null,
  source text not null,
  summary jsonb not null,
  created_at timestamp with time zone not null default now(),
  undone_at timestamp with time zone
);
create table installation (
  name text not null,
  value jsonb not null
);
create table kept_answers (
  hash bytea not null,
  request bytea not null,
  sealed_answer bytea,
  created_at timestamp with time zone not null default now()
);
create table kept_results (
  id text not null,
  organization_id text not null,
  principal text not null,
  owner text not null,
  mime text not null,
  bytes integer not null,
  sealed bytea not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null
);
create table keys (
  id text not null,
  organization_id text,
  name text not null,
  hint text not null,
  hash bytea,
  toolset text,
  origin text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  family text not null default 'uru'::text,
  role text not null default 'tenant_member'::text,
  effect_limit text not null default 'execute'::text,
  user_id text,
  sealed bytea,
  trusted boolean not null default false,
  created_by text,
  slow_hash text,
  prefix text,
  last_used_at timestamp with time zone,
  trusted_by text
);
create table lasting_grants (
  id text not null,
  organization_id text not null,
  connection_id text not null,
  tool text not null,
  effect text not null,
  digest text not null,
  tool_hash text not null,
  principal text not null,
  caller text not null,
  user_id text,
  client text,
  account text,
  rules jsonb not null,
  granted_by text not null,
  approval_id text not null,
  note text,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone,
  uses integer not null default 0
);
create table leavers (
  organization_id text not null,
  user_id text not null,
  email text not null,
  name text not null,
  suspended boolean not null,
  left_at timestamp with time zone not null default now()
);
create unlogged table limit_buckets (
  hash bytea not null,
  tokens double precision not null,
  at double precision not null,
  until timestamp with time zone not null
);
create table members (
  organization_id text not null,
  user_id text not null,
  role text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  active boolean not null default true,
  source text not null default 'manual'::text
);
create table migrations (
  id integer not null default nextval('migrations_id_seq'::regclass),
  name character varying(255) not null,
  run_on timestamp without time zone not null
);
create table oauth_apps (
  id text not null,
  organization_id text not null,
  provider text not null,
  client_id text not null,
  sealed bytea,
  hint text,
  active boolean not null default true,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  issuer text,
  registered boolean not null default false,
  auth_method text,
  redirect_uris text[] not null default '{}'::text[],
  secret_expires_at timestamp with time zone
);
create table oauth_clients (
  id text not null,
  kind text not null,
  name text not null,
  secret_hash text,
  metadata jsonb not null,
  registered_from text,
  created_by text,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone,
  expires_at timestamp with time zone
);
create table oauth_flows (
  id text not null,
  organization_id text not null,
  connection_id text,
  provider text not null,
  user_id text,
  begun_by text not null,
  account text,
  state_hash bytea not null,
  browser_hash bytea not null,
  sealed_verifier bytea not null,
  client_id text not null,
  sealed_client_secret bytea,
  app_id text,
  auth_method text,
  authority jsonb not null,
  server text,
  scopes text[] not null default '{}'::text[],
  redirect_uri text not null,
  return_to text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  replaces text
);
create table oauth_grants (
  id text not null,
  organization_id text not null,
  user_id text not null,
  client_id text not null,
  client_name text not null,
  client_host text not null,
  resource text not null,
  effect_limit text not null,
  epoch integer not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone
);
create table oauth_tokens (
  hash bytea not null,
  kind text not null,
  grant_id text,
  payload jsonb not null,
  expires_at timestamp with time zone not null,
  consumed_at timestamp with time zone
);
create table openapi_documents (
  organization_id text not null,
  connection_id text not null,
  packed bytea not null,
  bytes integer not null,
  digest text not null,
  kept_at timestamp with time zone not null default now()
);
create table organization_rules (
  id text not null,
  organization_id text not null,
  scope text not null,
  toolset text,
  connection_id text,
  user_id text,
  key_id text,
  name text not null,
  words jsonb not null,
  state text not null default 'on'::text,
  origin text not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now()
);
create table organization_versions (
  organization_id text not null,
  version bigint not null default 1,
  changed_in xid8 not null default pg_current_xact_id()
);
create table organizations (
  id text not null,
  slug text not null,
  name text not null,
  origin text not null,
  created_at timestamp with time zone not null default now(),
  description text,
  contact_email text,
  active boolean not null default true,
  settings jsonb not null default '{}'::jsonb,
  updated_at timestamp with time zone not null default now(),
  egress jsonb not null default '{"hosts": [], "networks": []}'::jsonb
);
create table passkeys (
  id text not null,
  user_id text not null,
  credential_id bytea not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null default '{}'::text[],
  name text not null,
  synced boolean not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone
);
create table password_codes (
  user_id text not null,
  hash bytea not null,
  expires_at timestamp with time zone not null
);
create table record_chains (
  organization_id text not null,
  seq bigint not null default 0,
  hash bytea not null,
  anchor_seq bigint not null default 0,
  anchor_hash bytea not null
);
create table record_checkpoints (
  organization_id text not null,
  seq bigint not null,
  hash bytea not null,
  at timestamp with time zone not null,
  key_id text not null,
  public_key bytea not null,
  signature bytea not null
);
create table record_payloads (
  id text not null,
  organization_id text not null,
  connection text not null,
  at timestamp with time zone not null,
  sealed bytea not null
);
create table record_stream_alerts (
  organization_id text not null,
  stream_id text not null,
  alert_id text not null
);
create table record_stream_cursors (
  organization_id text not null,
  stream_id text not null,
  seq bigint not null default 0,
  pending bigint,
  moved_at timestamp with time zone not null default now()
);
create table record_streams (
  organization_id text not null,
  id text not null,
  name text not null,
  destination jsonb not null,
  sealed_secrets bytea not null,
  private boolean not null default false,
  alerts boolean not null default true,
  enabled boolean not null default true,
  lease text,
  leased_until timestamp with time zone,
  next_try timestamp with time zone not null default now(),
  attempts integer not null default 0,
  delivered_at timestamp with time zone,
  failed_at timestamp with time zone,
  last_problem text,
  behind_since timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now()
);
create table records (
  id text not null,
  organization_id text not null,
  at timestamp with time zone not null,
  kind text not null,
  principal text not null,
  key_id text,
  toolset text,
  connection text,
  method text not null,
  target text,
  era_client text,
  era_upstream text,
  client text,
  bytes_in integer not null,
  bytes_out integer not null,
  duration_us integer not null,
  outcome text not null,
  code text,
  decision text not null,
  correlation_id text not null,
  detail jsonb,
  actor_type text not null default 'api_key'::text,
  resource_type text,
  resource_id text,
  ip_address text,
  user_agent text,
  seq bigint not null,
  hash bytea not null,
  salt bytea,
  redacted jsonb
);
create table recovery_codes (
  hash bytea not null,
  user_id text not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone
);
create table refresh_tokens (
  hash bytea not null,
  family_id text not null,
  issued_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone
);
create table rules (
  id text not null,
  action text not null,
  reason text not null,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  name text not null,
  match jsonb not null,
  parameters jsonb not null default '{}'::jsonb,
  state text not null default 'on'::text,
  origin text not null default 'administration'::text
);
create table scim_emails (
  organization_id text not null,
  address text not null,
  user_id text not null
);
create table scim_groups (
  organization_id text not null,
  id text not null,
  slug text not null,
  external_id text,
  display_name text not null,
  version bigint not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now()
);
create table scim_people (
  organization_id text not null,
  user_id text not null,
  external_id text,
  user_name text not null,
  display_name text not null default ''::text,
  attributes jsonb not null default '{}'::jsonb,
  version bigint not null default 1,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now()
);
create table scim_tokens (
  organization_id text not null,
  id text not null,
  name text not null,
  hash bytea not null,
  hint text not null,
  created_by text,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  last_used_at timestamp with time zone
);
create table sessions (
  hash bytea not null,
  organization_id text not null,
  owner text not null,
  principal text not null,
  toolset text,
  connection text,
  revision text not null,
  capabilities jsonb not null,
  client jsonb,
  log_level text,
  watched jsonb not null default '{}'::jsonb,
  opened_at timestamp with time zone not null,
  seen_at timestamp with time zone not null
);
create table sign_ins (
  id text not null,
  user_id text not null,
  bound_to text,
  client text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  ended_why text,
  proven_at timestamp with time zone not null default now(),
  methods text[] not null default '{}'::text[],
  used_at timestamp with time zone not null default now(),
  idle integer not null default 0,
  address text,
  provider_id text,
  ends_at timestamp with time zone,
  provider_subject text,
  provider_session text
);
create table spent_aliases (
  organization_id text not null,
  alias text not null,
  led_to jsonb not null,
  removed_at timestamp with time zone not null default now()
);
create table spent_states (
  hash bytea not null,
  expires_at timestamp with time zone not null
);
create unlogged table stream_reader_events (
  organization_id text not null,
  reader text not null,
  at bigint not null,
  sealed bytea not null
);
create unlogged table stream_readers (
  organization_id text not null,
  reader text not null,
  session bytea not null,
  stream text not null,
  after bigint not null,
  state text not null default 'asked'::text,
  asked_at timestamp with time zone not null default clock_timestamp(),
  read_until timestamp with time zone not null,
  held_until timestamp with time zone
);
create table tool_locks (
  organization_id text not null,
  connection_id text not null,
  tool text not null,
  accepted_hash text,
  accepted json,
  accepted_effect text,
  accepted_by text,
  accepted_at timestamp with time zone,
  held_hash text,
  held json,
  held_at timestamp with time zone,
  rejected_by text,
  rejected_at timestamp with time zone,
  gone_at timestamp with time zone
);
create table tool_states (
  organization_id text not null,
  connection_id text not null,
  tool text not null,
  enabled boolean,
  updated_at timestamp with time zone not null default now(),
  effect text,
  effect_by text
);
create table toolsets (
  id text not null,
  organization_id text not null,
  slug text not null,
  title text not null,
  settings jsonb not null,
  origin text not null,
  created_at timestamp with time zone not null default now()
);
create table usage_counted (
  organization_id text not null,
  seq bigint not null,
  updated_at timestamp with time zone not null default now(),
  summed_from date not null default '-infinity'::date
);
create table usage_days (
  organization_id text not null,
  day date not null,
  key bytea not null,
  principal text not null,
  connection text,
  target text,
  client text,
  code text,
  calls integer not null,
  failed integer not null,
  refused integer not null
);
create table usage_hours (
  organization_id text not null,
  hour timestamp with time zone not null,
  by text not null,
  key bytea not null,
  refused boolean not null,
  part bigint not null,
  connection text,
  name text,
  calls integer not null,
  failed integer not null,
  tool_errors integer not null,
  sizes smallint[] not null,
  counts integer[] not null
);
create table usage_stale (
  organization_id text not null,
  day date not null,
  reached bigint,
  until bigint,
  failed_at timestamp with time zone
);
create table usage_sums (
  organization_id text not null,
  by text not null,
  day date not null,
  key bytea not null,
  connection text,
  name text not null,
  calls integer not null,
  failed integer not null,
  refused integer not null
);
create table usage_totals (
  organization_id text not null,
  hour timestamp with time zone not null,
  refused boolean not null,
  part bigint not null,
  calls integer not null,
  failed integer not null,
  tool_errors integer not null,
  sizes smallint[] not null,
  counts integer[] not null
);
create table users (
  id text not null,
  email text not null,
  name text not null,
  password text,
  provider text not null default 'local'::text,
  provider_subject text,
  platform_admin boolean not null default false,
  active boolean not null default true,
  epoch integer not null default 0,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  signed_in_at timestamp with time zone,
  vouched_by text,
  second_factor boolean not null default false
);
create table vault_secrets (
  name text not null,
  sealed bytea not null
);
create table webhook_deliveries (
  id text not null,
  organization_id text not null,
  webhook_id text not null,
  about text not null,
  payload jsonb not null,
  created_at timestamp with time zone not null default now(),
  attempts integer not null default 0,
  next_try timestamp with time zone not null default now(),
  lease text,
  leased_until timestamp with time zone,
  delivered_at timestamp with time zone,
  given_up_at timestamp with time zone,
  last_status integer,
  last_problem text
);
create table webhooks (
  id text not null,
  organization_id text not null,
  url text not null,
  private boolean not null default false,
  description text,
  events text[] not null,
  enabled boolean not null default true,
  off_reason text,
  sealed_secret bytea not null,
  sealed_previous bytea,
  previous_until timestamp with time zone,
  delivered_at timestamp with time zone,
  failed_at timestamp with time zone,
  last_problem text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now()
);

-- Constraints

alter table agent_models add constraint agent_models_model_check CHECK ((model <> ''::text));
alter table agent_models add constraint agent_models_pkey PRIMARY KEY (organization_id);
alter table agent_models add constraint agent_models_provider_check CHECK ((provider <> ''::text));
alter table agent_models add constraint agent_models_url_check CHECK ((url <> ''::text));
alter table agent_models add constraint agent_models_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table agent_runs add constraint agent_runs_id_check CHECK ((id <> ''::text));
alter table agent_runs add constraint agent_runs_pkey PRIMARY KEY (id);
alter table alerts add constraint alerts_id_check CHECK ((id <> ''::text));
alter table alerts add constraint alerts_kind_check CHECK ((kind ~ '^[a-z]+\.[a-z]+$'::text));
alter table alerts add constraint alerts_pkey PRIMARY KEY (id);
alter table alerts add constraint alerts_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table alerts add constraint alerts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table alerts add constraint alerts_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES members(organization_id, user_id) ON DELETE CASCADE;
alter table approval_answers add constraint approval_answers_note_check CHECK ((length(note) <= 500));
alter table approval_answers add constraint approval_answers_pkey PRIMARY KEY (organization_id, approval_id, answered_by);
alter table approval_answers add constraint approval_answers_verdict_check CHECK ((verdict = ANY (ARRAY['grant'::text, 'deny'::text])));
alter table approval_answers add constraint approval_answers_way_check CHECK ((way = ANY (ARRAY['page'::text, 'api'::text, 'command line'::text, 'webhook'::text, 'client'::text])));
alter table approval_answers add constraint approval_answers_organization_id_approval_id_fkey FOREIGN KEY (organization_id, approval_id) REFERENCES approvals(organization_id, id) ON DELETE CASCADE;
alter table approval_answers add constraint approval_answers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table approval_messages add constraint approval_messages_message_id_check CHECK (((length(message_id) >= 1) AND (length(message_id) <= 200)));
alter table approval_messages add constraint approval_messages_pkey PRIMARY KEY (organization_id, webhook_id, message_id);
alter table approval_messages add constraint approval_messages_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table approval_messages add constraint approval_messages_organization_id_webhook_id_fkey FOREIGN KEY (organization_id, webhook_id) REFERENCES webhooks(organization_id, id) ON DELETE CASCADE;
alter table approvals add constraint approvals_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text));
alter table approvals add constraint approvals_effect_check CHECK ((effect = ANY (ARRAY['read'::text, 'write'::text, 'destructive'::text])));
alter table approvals add constraint approvals_id_check CHECK ((id <> ''::text));
alter table approvals add constraint approvals_lasting_digest_check CHECK ((lasting_digest ~ '^[0-9a-f]{64}$'::text));
alter table approvals add constraint approvals_organization_id_id_key UNIQUE (organization_id, id);
alter table approvals add constraint approvals_pkey PRIMARY KEY (id);
alter table approvals add constraint approvals_rounds_check CHECK ((rounds >= 0));
alter table approvals add constraint approvals_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'granted'::text, 'denied'::text, 'expired'::text, 'used'::text])));
alter table approvals add constraint approvals_tool_check CHECK (((tool <> ''::text) AND (length(tool) <= 500)));
alter table approvals add constraint approvals_tool_hash_check CHECK ((tool_hash ~ '^[0-9a-f]{64}$'::text));
alter table approvals add constraint approvals_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table approvals add constraint approvals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table authenticator_apps add constraint authenticator_apps_id_check CHECK ((id <> ''::text));
alter table authenticator_apps add constraint authenticator_apps_pkey PRIMARY KEY (id);
alter table authenticator_apps add constraint authenticator_apps_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table catalog_looks add constraint catalog_looks_pkey PRIMARY KEY (connection_id);
alter table catalog_looks add constraint catalog_looks_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table catalog_looks add constraint catalog_looks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table catalogs add constraint catalogs_pkey PRIMARY KEY (connection_id);
alter table catalogs add constraint catalogs_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table catalogs add constraint catalogs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table change_relay add constraint change_relay_one_check CHECK (one);
alter table change_relay add constraint change_relay_pkey PRIMARY KEY (one);
alter table changes add constraint changes_pkey PRIMARY KEY (seq);
alter table clients_seen add constraint clients_seen_pkey PRIMARY KEY (organization_id, principal, client);
alter table clients_seen add constraint clients_seen_principal_check CHECK ((principal <> ''::text));
alter table clients_seen add constraint clients_seen_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table connections add constraint connections_alias_check CHECK ((alias ~ '^[a-z][a-z0-9_-]{0,30}$'::text));
alter table connections add constraint connections_connector_check CHECK ((connector <> ''::text));
alter table connections add constraint connections_id_check CHECK ((id <> ''::text));
alter table connections add constraint connections_organization_id_alias_key UNIQUE (organization_id, alias);
alter table connections add constraint connections_organization_id_id_key UNIQUE (organization_id, id);
alter table connections add constraint connections_pkey PRIMARY KEY (id);
alter table connections add constraint connections_status_check CHECK ((status = ANY (ARRAY['new'::text, 'needs_auth'::text, 'connected'::text, 'error'::text, 'disabled'::text])));
alter table connections add constraint connections_tool_lock_check CHECK ((tool_lock = ANY (ARRAY['off'::text, 'additions'::text, 'descriptions'::text, 'all'::text])));
alter table connections add constraint connections_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table connections add constraint connections_organization_id_import_id_fkey FOREIGN KEY (organization_id, import_id) REFERENCES imports(organization_id, id) ON DELETE SET NULL (import_id);
alter table credentials add constraint credentials_account_check CHECK ((account ~ '^[a-z0-9][a-z0-9_-]{0,30}$'::text));
alter table credentials add constraint credentials_id_check CHECK ((id <> ''::text));
alter table credentials add constraint credentials_kind_check CHECK ((kind = ANY (ARRAY['oauth'::text, 'key'::text])));
alter table credentials add constraint credentials_one UNIQUE NULLS NOT DISTINCT (organization_id, provider, connection_id, user_id, account);
alter table credentials add constraint credentials_pkey PRIMARY KEY (id);
alter table credentials add constraint credentials_provider_check CHECK ((provider ~ '^[a-z][a-z0-9_-]{0,49}$'::text));
alter table credentials add constraint credentials_provider_user_id_check CHECK ((length(provider_user_id) <= 255));
alter table credentials add constraint credentials_app_fkey FOREIGN KEY (organization_id, app_id) REFERENCES oauth_apps(organization_id, id) ON DELETE SET NULL (app_id);
alter table credentials add constraint credentials_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table credentials add constraint credentials_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table credentials add constraint credentials_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES members(organization_id, user_id) ON DELETE CASCADE;
alter table exposed_names add constraint exposed_names_kind_check CHECK ((kind = ANY (ARRAY['tool'::text, 'prompt'::text])));
alter table exposed_names add constraint exposed_names_name_check CHECK ((name ~ '^[A-Za-z0-9_-]{1,64}$'::text));
alter table exposed_names add constraint exposed_names_organization_id_connection_id_kind_name_key UNIQUE (organization_id, connection_id, kind, name);
alter table exposed_names add constraint exposed_names_original_check CHECK (((original <> ''::text) AND (length(original) <= 500)));
alter table exposed_names add constraint exposed_names_pkey PRIMARY KEY (organization_id, connection_id, kind, original);
alter table exposed_names add constraint exposed_names_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table exposed_names add constraint exposed_names_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table file_links add constraint file_links_hash_check CHECK ((length(hash) = 32));
alter table file_links add constraint file_links_kind_check CHECK ((kind = ANY (ARRAY['upload'::text, 'download'::text])));
alter table file_links add constraint file_links_pkey PRIMARY KEY (hash);
alter table file_links add constraint file_links_organization_id_file_id_fkey FOREIGN KEY (organization_id, file_id) REFERENCES files(organization_id, id) ON DELETE CASCADE;
alter table file_links add constraint file_links_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table file_removals add constraint file_removals_pkey PRIMARY KEY (storage_key);
alter table files add constraint files_check CHECK (((state <> 'ready'::text) OR ((size IS NOT NULL) AND (sha256 IS NOT NULL))));
alter table files add constraint files_id_check CHECK ((id <> ''::text));
alter table files add constraint files_name_check CHECK ((name <> ''::text));
alter table files add constraint files_organization_id_id_key UNIQUE (organization_id, id);
alter table files add constraint files_origin_check CHECK ((origin = ANY (ARRAY['upload'::text, 'result'::text, 'download'::text])));
alter table files add constraint files_owner_check CHECK ((owner <> ''::text));
alter table files add constraint files_pkey PRIMARY KEY (id);
alter table files add constraint files_reserved_check CHECK ((reserved >= 0));
alter table files add constraint files_size_check CHECK ((size >= 0));
alter table files add constraint files_state_check CHECK ((state = ANY (ARRAY['uploading'::text, 'ready'::text])));
alter table files add constraint files_storage_key_key UNIQUE (storage_key);
alter table files add constraint files_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table gateways add constraint gateways_id_check CHECK ((id <> ''::text));
alter table gateways add constraint gateways_pkey PRIMARY KEY (id);
alter table group_members add constraint group_members_pkey PRIMARY KEY (organization_id, group_slug, user_id, source);
alter table group_members add constraint group_members_source_check CHECK ((source <> ''::text));
alter table group_members add constraint group_members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table group_members add constraint group_members_organization_id_group_slug_fkey FOREIGN KEY (organization_id, group_slug) REFERENCES groups(organization_id, slug) ON DELETE CASCADE;
alter table group_members add constraint group_members_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES members(organization_id, user_id) ON DELETE CASCADE;
alter table groups add constraint groups_pkey PRIMARY KEY (organization_id, slug);
alter table groups add constraint groups_slug_check CHECK ((slug ~ '^[a-z][a-z0-9-]{0,38}$'::text));
alter table groups add constraint groups_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table identity_domains add constraint identity_domains_domain_check CHECK (((domain = lower(domain)) AND (domain <> ''::text)));
alter table identity_domains add constraint identity_domains_pkey PRIMARY KEY (organization_id, domain);
alter table identity_domains add constraint identity_domains_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table identity_links add constraint identity_links_organization_id_check CHECK ((organization_id <> ''::text));
alter table identity_links add constraint identity_links_pkey PRIMARY KEY (organization_id, provider_id, subject);
alter table identity_links add constraint identity_links_subject_check CHECK ((subject <> ''::text));
alter table identity_links add constraint identity_links_organization_id_provider_id_fkey FOREIGN KEY (organization_id, provider_id) REFERENCES identity_providers(organization_id, id) ON DELETE CASCADE;
alter table identity_links add constraint identity_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table identity_providers add constraint identity_providers_id_check CHECK ((id <> ''::text));
alter table identity_providers add constraint identity_providers_organization_id_check CHECK ((organization_id <> ''::text));
alter table identity_providers add constraint identity_providers_organization_id_id_key UNIQUE (organization_id, id);
alter table identity_providers add constraint identity_providers_organization_id_slug_key UNIQUE (organization_id, slug);
alter table identity_providers add constraint identity_providers_pkey PRIMARY KEY (id);
alter table identity_providers add constraint identity_providers_slug_check CHECK ((slug ~ '^[a-z][a-z0-9-]{0,38}$'::text));
alter table imports add constraint imports_id_check CHECK ((id <> ''::text));
alter table imports add constraint imports_organization_id_id_key UNIQUE (organization_id, id);
alter table imports add constraint imports_pkey PRIMARY KEY (id);
alter table imports add constraint imports_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table installation add constraint installation_pkey PRIMARY KEY (name);
alter table kept_answers add constraint kept_answers_hash_check CHECK ((length(hash) = 32));
alter table kept_answers add constraint kept_answers_pkey PRIMARY KEY (hash);
alter table kept_answers add constraint kept_answers_request_check CHECK ((length(request) = 32));
alter table kept_results add constraint kept_results_bytes_check CHECK ((bytes > 0));
alter table kept_results add constraint kept_results_id_check CHECK ((id <> ''::text));
alter table kept_results add constraint kept_results_mime_check CHECK ((mime = ANY (ARRAY['application/json'::text, 'text/plain'::text])));
alter table kept_results add constraint kept_results_owner_check CHECK ((owner <> ''::text));
alter table kept_results add constraint kept_results_pkey PRIMARY KEY (id);
alter table kept_results add constraint kept_results_principal_check CHECK ((principal <> ''::text));
alter table kept_results add constraint kept_results_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table keys add constraint keys_bound CHECK (((organization_id IS NULL) OR (role <> 'platform_admin'::text)));
alter table keys add constraint keys_effect_limit_check CHECK ((effect_limit = ANY (ARRAY['read'::text, 'write'::text, 'execute'::text])));
alter table keys add constraint keys_family_check CHECK ((family = ANY (ARRAY['uru'::text, 'smcp'::text])));
alter table keys add constraint keys_hash_key UNIQUE (hash);
alter table keys add constraint keys_hashed CHECK (((hash IS NOT NULL) OR (slow_hash IS NOT NULL)));
alter table keys add constraint keys_id_check CHECK ((id <> ''::text));
alter table keys add constraint keys_organization_id_id_key UNIQUE (organization_id, id);
alter table keys add constraint keys_pkey PRIMARY KEY (id);
alter table keys add constraint keys_platform CHECK (((organization_id IS NOT NULL) OR ((role = 'platform_admin'::text) AND (user_id IS NULL))));
alter table keys add constraint keys_role_check CHECK ((role = ANY (ARRAY['platform_admin'::text, 'tenant_admin'::text, 'tenant_member'::text, 'tenant_viewer'::text])));
alter table keys add constraint keys_slow CHECK (((slow_hash IS NULL) OR ((prefix IS NOT NULL) AND (hash IS NULL))));
alter table keys add constraint keys_trusted CHECK (((NOT trusted) OR (user_id IS NULL)));
alter table keys add constraint keys_trusted_by CHECK (((trusted_by IS NULL) OR trusted));
alter table keys add constraint keys_member FOREIGN KEY (organization_id, user_id) REFERENCES members(organization_id, user_id) ON DELETE CASCADE;
alter table keys add constraint keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table lasting_grants add constraint lasting_grants_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text));
alter table lasting_grants add constraint lasting_grants_effect_check CHECK ((effect = ANY (ARRAY['read'::text, 'write'::text])));
alter table lasting_grants add constraint lasting_grants_id_check CHECK ((id <> ''::text));
alter table lasting_grants add constraint lasting_grants_note_check CHECK ((length(note) <= 500));
alter table lasting_grants add constraint lasting_grants_organization_id_digest_granted_by_key UNIQUE (organization_id, digest, granted_by);
alter table lasting_grants add constraint lasting_grants_organization_id_id_key UNIQUE (organization_id, id);
alter table lasting_grants add constraint lasting_grants_pkey PRIMARY KEY (id);
alter table lasting_grants add constraint lasting_grants_tool_check CHECK (((tool <> ''::text) AND (length(tool) <= 500)));
alter table lasting_grants add constraint lasting_grants_tool_hash_check CHECK ((tool_hash ~ '^[0-9a-f]{64}$'::text));
alter table lasting_grants add constraint lasting_grants_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table lasting_grants add constraint lasting_grants_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table leavers add constraint leavers_pkey PRIMARY KEY (organization_id, user_id);
alter table leavers add constraint leavers_user_id_check CHECK ((user_id <> ''::text));
alter table leavers add constraint leavers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table limit_buckets add constraint limit_buckets_hash_check CHECK ((length(hash) = 32));
alter table limit_buckets add constraint limit_buckets_pkey PRIMARY KEY (hash);
alter table members add constraint members_pkey PRIMARY KEY (organization_id, user_id);
alter table members add constraint members_role_check CHECK ((role = ANY (ARRAY['tenant_admin'::text, 'tenant_member'::text, 'tenant_viewer'::text])));
alter table members add constraint members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table members add constraint members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table migrations add constraint migrations_pkey PRIMARY KEY (id);
alter table oauth_apps add constraint oauth_apps_auth_method_check CHECK ((auth_method = ANY (ARRAY['client_secret_basic'::text, 'client_secret_post'::text, 'none'::text])));
alter table oauth_apps add constraint oauth_apps_client_id_check CHECK (((length(client_id) >= 1) AND (length(client_id) <= 255)));
alter table oauth_apps add constraint oauth_apps_id_check CHECK ((id <> ''::text));
alter table oauth_apps add constraint oauth_apps_issuer_check CHECK (((length(issuer) >= 1) AND (length(issuer) <= 2000)));
alter table oauth_apps add constraint oauth_apps_one UNIQUE NULLS NOT DISTINCT (organization_id, provider, issuer);
alter table oauth_apps add constraint oauth_apps_organization_id_id_key UNIQUE (organization_id, id);
alter table oauth_apps add constraint oauth_apps_pkey PRIMARY KEY (id);
alter table oauth_apps add constraint oauth_apps_provider_check CHECK ((provider ~ '^[a-z][a-z0-9_-]{0,49}$'::text));
alter table oauth_apps add constraint oauth_apps_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table oauth_clients add constraint oauth_clients_id_check CHECK ((id <> ''::text));
alter table oauth_clients add constraint oauth_clients_kind_check CHECK ((kind = ANY (ARRAY['dynamic'::text, 'added'::text])));
alter table oauth_clients add constraint oauth_clients_pkey PRIMARY KEY (id);
alter table oauth_flows add constraint oauth_flows_account_check CHECK ((account ~ '^[a-z0-9][a-z0-9_-]{0,30}$'::text));
alter table oauth_flows add constraint oauth_flows_browser_hash_check CHECK ((length(browser_hash) = 32));
alter table oauth_flows add constraint oauth_flows_id_check CHECK ((id <> ''::text));
alter table oauth_flows add constraint oauth_flows_pkey PRIMARY KEY (id);
alter table oauth_flows add constraint oauth_flows_state_hash_check CHECK ((length(state_hash) = 32));
alter table oauth_flows add constraint oauth_flows_state_hash_key UNIQUE (state_hash);
alter table oauth_flows add constraint oauth_flows_organization_id_app_id_fkey FOREIGN KEY (organization_id, app_id) REFERENCES oauth_apps(organization_id, id) ON DELETE CASCADE;
alter table oauth_flows add constraint oauth_flows_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table oauth_flows add constraint oauth_flows_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table oauth_flows add constraint oauth_flows_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES members(organization_id, user_id) ON DELETE CASCADE;
alter table oauth_grants add constraint oauth_grants_effect_limit_check CHECK ((effect_limit = ANY (ARRAY['read'::text, 'write'::text, 'execute'::text])));
alter table oauth_grants add constraint oauth_grants_pkey PRIMARY KEY (id);
alter table oauth_grants add constraint oauth_grants_id_fkey FOREIGN KEY (id) REFERENCES sign_ins(id) ON DELETE CASCADE;
alter table oauth_grants add constraint oauth_grants_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table oauth_grants add constraint oauth_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table oauth_tokens add constraint oauth_tokens_granted CHECK (((grant_id IS NULL) = (kind = 'Interaction'::text)));
alter table oauth_tokens add constraint oauth_tokens_hash_check CHECK ((length(hash) = 32));
alter table oauth_tokens add constraint oauth_tokens_kind_check CHECK ((kind = ANY (ARRAY['Interaction'::text, 'AuthorizationCode'::text, 'RefreshToken'::text])));
alter table oauth_tokens add constraint oauth_tokens_pkey PRIMARY KEY (hash);
alter table oauth_tokens add constraint oauth_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE;
alter table openapi_documents add constraint openapi_documents_bytes_check CHECK (((bytes >= 1) AND (bytes <= 67108864)));
alter table openapi_documents add constraint openapi_documents_digest_check CHECK ((digest ~ '^[0-9a-f]{64}$'::text));
alter table openapi_documents add constraint openapi_documents_packed_check CHECK ((length(packed) <= 67108864));
alter table openapi_documents add constraint openapi_documents_pkey PRIMARY KEY (organization_id, connection_id);
alter table openapi_documents add constraint openapi_documents_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table openapi_documents add constraint openapi_documents_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table organization_rules add constraint organization_rules_id_check CHECK ((id <> ''::text));
alter table organization_rules add constraint organization_rules_name_check CHECK ((name <> ''::text));
alter table organization_rules add constraint organization_rules_of CHECK ((((scope = 'toolset'::text) = (toolset IS NOT NULL)) AND ((scope = 'connection'::text) = (connection_id IS NOT NULL)) AND ((scope = 'member'::text) = (user_id IS NOT NULL)) AND ((scope = 'key'::text) = (key_id IS NOT NULL))));
alter table organization_rules add constraint organization_rules_organization_id_id_key UNIQUE (organization_id, id);
alter table organization_rules add constraint organization_rules_pkey PRIMARY KEY (id);
alter table organization_rules add constraint organization_rules_scope_check CHECK ((scope = ANY (ARRAY['organization'::text, 'toolset'::text, 'connection'::text, 'member'::text, 'key'::text])));
alter table organization_rules add constraint organization_rules_state_check CHECK ((state = ANY (ARRAY['on'::text, 'shadow'::text, 'off'::text])));
alter table organization_rules add constraint organization_rules_words_check CHECK ((jsonb_typeof(words) = 'object'::text));
alter table organization_rules add constraint organization_rules_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table organization_rules add constraint organization_rules_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table organization_rules add constraint organization_rules_organization_id_key_id_fkey FOREIGN KEY (organization_id, key_id) REFERENCES keys(organization_id, id) ON DELETE CASCADE;
alter table organization_rules add constraint organization_rules_organization_id_toolset_fkey FOREIGN KEY (organization_id, toolset) REFERENCES toolsets(organization_id, slug) ON UPDATE CASCADE ON DELETE CASCADE;
alter table organization_rules add constraint organization_rules_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES members(organization_id, user_id) ON DELETE CASCADE;
alter table organization_versions add constraint organization_versions_pkey PRIMARY KEY (organization_id);
alter table organization_versions add constraint organization_versions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table organizations add constraint organizations_egress_check CHECK (((jsonb_typeof((egress -> 'networks'::text)) = 'array'::text) AND (jsonb_typeof((egress -> 'hosts'::text)) = 'array'::text)));
alter table organizations add constraint organizations_id_check CHECK ((id <> ''::text));
alter table organizations add constraint organizations_pkey PRIMARY KEY (id);
alter table organizations add constraint organizations_slug_check CHECK ((slug ~ '^[a-z][a-z0-9-]{0,38}$'::text));
alter table organizations add constraint organizations_slug_key UNIQUE (slug);
alter table passkeys add constraint passkeys_credential_id_check CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 1023)));
alter table passkeys add constraint passkeys_credential_id_key UNIQUE (credential_id);
alter table passkeys add constraint passkeys_id_check CHECK ((id <> ''::text));
alter table passkeys add constraint passkeys_pkey PRIMARY KEY (id);
alter table passkeys add constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table password_codes add constraint password_codes_hash_check CHECK ((length(hash) = 32));
alter table password_codes add constraint password_codes_hash_key UNIQUE (hash);
alter table password_codes add constraint password_codes_pkey PRIMARY KEY (user_id);
alter table password_codes add constraint password_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table record_chains add constraint record_chains_anchor_hash_check CHECK ((length(anchor_hash) = 32));
alter table record_chains add constraint record_chains_hash_check CHECK ((length(hash) = 32));
alter table record_chains add constraint record_chains_organization_id_check CHECK ((organization_id <> ''::text));
alter table record_chains add constraint record_chains_pkey PRIMARY KEY (organization_id);
alter table record_checkpoints add constraint record_checkpoints_hash_check CHECK ((length(hash) = 32));
alter table record_checkpoints add constraint record_checkpoints_organization_id_check CHECK ((organization_id <> ''::text));
alter table record_checkpoints add constraint record_checkpoints_pkey PRIMARY KEY (organization_id, seq);
alter table record_checkpoints add constraint record_checkpoints_seq_check CHECK ((seq > 0));
alter table record_checkpoints add constraint record_checkpoints_signature_check CHECK ((length(signature) = 64));
alter table record_payloads add constraint record_payloads_id_check CHECK ((id <> ''::text));
alter table record_payloads add constraint record_payloads_pkey PRIMARY KEY (id);
alter table record_payloads add constraint record_payloads_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table record_stream_alerts add constraint record_stream_alerts_pkey PRIMARY KEY (organization_id, stream_id, alert_id);
alter table record_stream_alerts add constraint record_stream_alerts_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES alerts(id) ON DELETE CASCADE;
alter table record_stream_cursors add constraint record_stream_cursors_organization_id_check CHECK ((organization_id <> ''::text));
alter table record_stream_cursors add constraint record_stream_cursors_pkey PRIMARY KEY (organization_id, stream_id);
alter table record_streams add constraint record_streams_id_check CHECK ((id <> ''::text));
alter table record_streams add constraint record_streams_organization_id_check CHECK ((organization_id <> ''::text));
alter table record_streams add constraint record_streams_organization_id_id_key UNIQUE (organization_id, id);
alter table record_streams add constraint record_streams_pkey PRIMARY KEY (id);
alter table records add constraint records_actor_type_check CHECK ((actor_type = ANY (ARRAY['user'::text, 'api_key'::text, 'system'::text])));
alter table records add constraint records_hash_size CHECK ((length(hash) = 32));
alter table records add constraint records_id_check CHECK ((id <> ''::text));
alter table records add constraint records_kind_check CHECK ((kind = ANY (ARRAY['call'::text, 'change'::text, 'sign_in'::text])));
alter table records add constraint records_organization_id_check CHECK ((organization_id <> ''::text));
alter table records add constraint records_outcome_check CHECK ((outcome = ANY (ARRAY['ok'::text, 'tool_error'::text, 'refused'::text, 'failed'::text, 'cancelled'::text, 'unknown'::text])));
alter table recovery_codes add constraint recovery_codes_hash_check CHECK ((length(hash) = 32));
alter table recovery_codes add constraint recovery_codes_pkey PRIMARY KEY (hash);
alter table recovery_codes add constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table refresh_tokens add constraint refresh_tokens_hash_check CHECK ((length(hash) = 32));
alter table refresh_tokens add constraint refresh_tokens_pkey PRIMARY KEY (hash);
alter table refresh_tokens add constraint refresh_tokens_family_id_fkey FOREIGN KEY (family_id) REFERENCES sign_ins(id) ON DELETE CASCADE;
alter table rules add constraint rules_action_check CHECK ((action <> ''::text));
alter table rules add constraint rules_id_check CHECK ((id <> ''::text));
alter table rules add constraint rules_match_check CHECK ((jsonb_typeof(match) = 'object'::text));
alter table rules add constraint rules_name_check CHECK ((name <> ''::text));
alter table rules add constraint rules_name_key UNIQUE (name);
alter table rules add constraint rules_parameters_check CHECK ((jsonb_typeof(parameters) = 'object'::text));
alter table rules add constraint rules_pkey PRIMARY KEY (id);
alter table rules add constraint rules_reason_check CHECK ((reason <> ''::text));
alter table rules add constraint rules_state_check CHECK ((state = ANY (ARRAY['on'::text, 'shadow'::text, 'off'::text])));
alter table scim_emails add constraint scim_emails_address_check CHECK ((address <> ''::text));
alter table scim_emails add constraint scim_emails_pkey PRIMARY KEY (organization_id, address, user_id);
alter table scim_emails add constraint scim_emails_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table scim_emails add constraint scim_emails_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES scim_people(organization_id, user_id) ON DELETE CASCADE;
alter table scim_groups add constraint scim_groups_display_name_check CHECK ((display_name <> ''::text));
alter table scim_groups add constraint scim_groups_id_check CHECK ((id <> ''::text));
alter table scim_groups add constraint scim_groups_organization_id_slug_key UNIQUE (organization_id, slug);
alter table scim_groups add constraint scim_groups_pkey PRIMARY KEY (organization_id, id);
alter table scim_groups add constraint scim_groups_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table scim_groups add constraint scim_groups_organization_id_slug_fkey FOREIGN KEY (organization_id, slug) REFERENCES groups(organization_id, slug) ON DELETE CASCADE;
alter table scim_people add constraint scim_people_pkey PRIMARY KEY (organization_id, user_id);
alter table scim_people add constraint scim_people_user_name_check CHECK ((user_name <> ''::text));
alter table scim_people add constraint scim_people_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table scim_people add constraint scim_people_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES members(organization_id, user_id) ON DELETE CASCADE;
alter table scim_tokens add constraint scim_tokens_hash_check CHECK ((length(hash) = 32));
alter table scim_tokens add constraint scim_tokens_id_check CHECK ((id <> ''::text));
alter table scim_tokens add constraint scim_tokens_name_check CHECK ((name <> ''::text));
alter table scim_tokens add constraint scim_tokens_organization_id_hash_key UNIQUE (organization_id, hash);
alter table scim_tokens add constraint scim_tokens_pkey PRIMARY KEY (organization_id, id);
alter table scim_tokens add constraint scim_tokens_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table sessions add constraint sessions_hash_check CHECK ((length(hash) = 32));
alter table sessions add constraint sessions_pkey PRIMARY KEY (hash);
alter table sessions add constraint sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table sign_ins add constraint sign_ins_id_check CHECK ((id <> ''::text));
alter table sign_ins add constraint sign_ins_pkey PRIMARY KEY (id);
alter table sign_ins add constraint sign_ins_bound_to_fkey FOREIGN KEY (bound_to) REFERENCES organizations(id) ON DELETE CASCADE;
alter table sign_ins add constraint sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
alter table spent_aliases add constraint spent_aliases_pkey PRIMARY KEY (organization_id, alias);
alter table spent_aliases add constraint spent_aliases_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table spent_states add constraint spent_states_hash_check CHECK ((length(hash) = 32));
alter table spent_states add constraint spent_states_pkey PRIMARY KEY (hash);
alter table stream_reader_events add constraint stream_reader_events_at_check CHECK ((at > 0));
alter table stream_reader_events add constraint stream_reader_events_pkey PRIMARY KEY (organization_id, reader, at);
alter table stream_reader_events add constraint stream_reader_events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table stream_reader_events add constraint stream_reader_events_organization_id_reader_fkey FOREIGN KEY (organization_id, reader) REFERENCES stream_readers(organization_id, reader) ON DELETE CASCADE;
alter table stream_readers add constraint stream_readers_after_check CHECK ((after >= 0));
alter table stream_readers add constraint stream_readers_pkey PRIMARY KEY (organization_id, reader);
alter table stream_readers add constraint stream_readers_reader_check CHECK ((reader <> ''::text));
alter table stream_readers add constraint stream_readers_state_check CHECK ((state = ANY (ARRAY['asked'::text, 'lent'::text, 'over'::text, 'gone'::text, 'ended'::text])));
alter table stream_readers add constraint stream_readers_stream_check CHECK ((stream <> ''::text));
alter table stream_readers add constraint stream_readers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table stream_readers add constraint stream_readers_organization_id_session_fkey FOREIGN KEY (organization_id, session) REFERENCES sessions(organization_id, hash) ON DELETE CASCADE;
alter table tool_locks add constraint tool_locks_accepted_effect_check CHECK ((accepted_effect = ANY (ARRAY['read'::text, 'write'::text, 'destructive'::text])));
alter table tool_locks add constraint tool_locks_accepted_hash_check CHECK ((accepted_hash ~ '^[0-9a-f]{64}$'::text));
alter table tool_locks add constraint tool_locks_check CHECK (((accepted_hash IS NOT NULL) OR (held_hash IS NOT NULL)));
alter table tool_locks add constraint tool_locks_held_hash_check CHECK ((held_hash ~ '^[0-9a-f]{64}$'::text));
alter table tool_locks add constraint tool_locks_pkey PRIMARY KEY (organization_id, connection_id, tool);
alter table tool_locks add constraint tool_locks_tool_check CHECK (((tool <> ''::text) AND (length(tool) <= 500)));
alter table tool_locks add constraint tool_locks_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table tool_locks add constraint tool_locks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table tool_states add constraint tool_states_check CHECK (((enabled IS NOT NULL) OR (effect IS NOT NULL)));
alter table tool_states add constraint tool_states_check1 CHECK (((effect IS NULL) = (effect_by IS NULL)));
alter table tool_states add constraint tool_states_effect_check CHECK ((effect = ANY (ARRAY['read'::text, 'write'::text, 'destructive'::text])));
alter table tool_states add constraint tool_states_pkey PRIMARY KEY (organization_id, connection_id, tool);
alter table tool_states add constraint tool_states_tool_check CHECK (((tool <> ''::text) AND (length(tool) <= 500)));
alter table tool_states add constraint tool_states_organization_id_connection_id_fkey FOREIGN KEY (organization_id, connection_id) REFERENCES connections(organization_id, id) ON DELETE CASCADE;
alter table tool_states add constraint tool_states_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table toolsets add constraint toolsets_id_check CHECK ((id <> ''::text));
alter table toolsets add constraint toolsets_organization_id_slug_key UNIQUE (organization_id, slug);
alter table toolsets add constraint toolsets_pkey PRIMARY KEY (id);
alter table toolsets add constraint toolsets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table usage_counted add constraint usage_counted_pkey PRIMARY KEY (organization_id);
alter table usage_days add constraint usage_days_pkey PRIMARY KEY (organization_id, day, key);
alter table usage_hours add constraint usage_hours_by_check CHECK ((by = ANY (ARRAY['connection'::text, 'tool'::text, 'caller'::text])));
alter table usage_hours add constraint usage_hours_pkey PRIMARY KEY (organization_id, by, hour, key, refused, part);
alter table usage_stale add constraint usage_stale_pkey PRIMARY KEY (organization_id, day);
alter table usage_sums add constraint usage_sums_by_check CHECK ((by = ANY (ARRAY['connection'::text, 'tool'::text, 'caller'::text, 'client'::text, 'reason'::text])));
alter table usage_sums add constraint usage_sums_pkey PRIMARY KEY (organization_id, by, day, key);
alter table usage_totals add constraint usage_totals_pkey PRIMARY KEY (organization_id, hour, refused, part);
alter table users add constraint users_email_check CHECK (((email = lower(email)) AND (email <> ''::text)));
alter table users add constraint users_email_key UNIQUE (email);
alter table users add constraint users_id_check CHECK ((id <> ''::text));
alter table users add constraint users_pkey PRIMARY KEY (id);
alter table users add constraint users_provider_provider_subject_key UNIQUE (provider, provider_subject);
alter table users add constraint users_vouched_by_fkey FOREIGN KEY (vouched_by) REFERENCES organizations(id) ON DELETE SET NULL;
alter table vault_secrets add constraint vault_secrets_pkey PRIMARY KEY (name);
alter table webhook_deliveries add constraint webhook_deliveries_id_check CHECK ((id <> ''::text));
alter table webhook_deliveries add constraint webhook_deliveries_pkey PRIMARY KEY (id);
alter table webhook_deliveries add constraint webhook_deliveries_webhook_id_about_key UNIQUE (webhook_id, about);
alter table webhook_deliveries add constraint webhook_deliveries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;
alter table webhook_deliveries add constraint webhook_deliveries_organization_id_webhook_id_fkey FOREIGN KEY (organization_id, webhook_id) REFERENCES webhooks(organization_id, id) ON DELETE CASCADE;
alter table webhooks add constraint webhooks_events_check CHECK ((cardinality(events) > 0));
alter table webhooks add constraint webhooks_id_check CHECK ((id <> ''::text));
alter table webhooks add constraint webhooks_organization_id_id_key UNIQUE (organization_id, id);
alter table webhooks add constraint webhooks_pkey PRIMARY KEY (id);
alter table webhooks add constraint webhooks_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000)));
alter table webhooks add constraint webhooks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE;

-- Indexes that no constraint makes

CREATE INDEX alerts_age ON public.alerts USING btree (organization_id, created_at);
CREATE UNIQUE INDEX alerts_placed ON public.alerts USING btree (organization_id, id);
CREATE INDEX approval_messages_age ON public.approval_messages USING btree (taken_at);
CREATE INDEX approvals_by_time ON public.approvals USING btree (organization_id, created_at DESC, id DESC);
CREATE INDEX approvals_due ON public.approvals USING btree (expires_at) WHERE (state = ANY (ARRAY['pending'::text, 'granted'::text]));
CREATE INDEX approvals_listed ON public.approvals USING btree (organization_id, created_at);
CREATE INDEX approvals_of_digest ON public.approvals USING btree (organization_id, digest, created_at);
CREATE UNIQUE INDEX approvals_open ON public.approvals USING btree (organization_id, digest) WHERE (state = ANY (ARRAY['pending'::text, 'granted'::text]));
CREATE INDEX authenticator_apps_user ON public.authenticator_apps USING btree (user_id);
CREATE UNIQUE INDEX catalog_looks_placed ON public.catalog_looks USING btree (organization_id, connection_id);
CREATE UNIQUE INDEX catalogs_placed ON public.catalogs USING btree (organization_id, connection_id);
CREATE UNIQUE INDEX changes_once ON public.changes USING btree (xact, md5(payload));
CREATE INDEX clients_seen_age ON public.clients_seen USING btree (seen_at);
CREATE INDEX connections_import ON public.connections USING btree (organization_id, import_id) WHERE (import_id IS NOT NULL);
CREATE INDEX credentials_connection ON public.credentials USING btree (organization_id, connection_id) WHERE (connection_id IS NOT NULL);
CREATE UNIQUE INDEX credentials_placed ON public.credentials USING btree (organization_id, id);
CREATE INDEX credentials_renewal ON public.credentials USING btree (expires_at) WHERE ((problem IS NULL) AND (sealed_refresh_token IS NOT NULL));
CREATE INDEX credentials_user ON public.credentials USING btree (organization_id, user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX exposed_names_connection ON public.exposed_names USING btree (connection_id);
CREATE INDEX file_links_expiry ON public.file_links USING btree (expires_at);
CREATE INDEX file_links_of_file ON public.file_links USING btree (organization_id, file_id);
CREATE UNIQUE INDEX file_links_placed ON public.file_links USING btree (organization_id, hash);
CREATE INDEX files_expiry ON public.files USING btree (expires_at);
CREATE INDEX files_of_owner ON public.files USING btree (organization_id, owner, created_at DESC);
CREATE INDEX group_members_user ON public.group_members USING btree (organization_id, user_id);
CREATE UNIQUE INDEX identity_domains_proven ON public.identity_domains USING btree (domain) WHERE (proven_at IS NOT NULL);
CREATE INDEX identity_links_user ON public.identity_links USING btree (user_id);
CREATE INDEX kept_answers_age ON public.kept_answers USING btree (created_at);
CREATE INDEX kept_results_expiry ON public.kept_results USING btree (expires_at);
CREATE INDEX kept_results_owner ON public.kept_results USING btree (organization_id, principal, created_at);
CREATE UNIQUE INDEX kept_results_placed ON public.kept_results USING btree (organization_id, id);
CREATE INDEX keys_by_time ON public.keys USING btree (organization_id, created_at, id);
CREATE UNIQUE INDEX keys_of_member ON public.keys USING btree (organization_id, user_id, name) WHERE (user_id IS NOT NULL);
CREATE UNIQUE INDEX keys_of_organization ON public.keys USING btree (organization_id, name) WHERE (user_id IS NULL);
CREATE UNIQUE INDEX keys_of_platform ON public.keys USING btree (name) WHERE (organization_id IS NULL);
CREATE UNIQUE INDEX keys_one_of_member ON public.keys USING btree (organization_id, user_id) WHERE ((family = 'uru'::text) AND (user_id IS NOT NULL));
CREATE INDEX keys_slow_prefix ON public.keys USING btree (prefix) WHERE (slow_hash IS NOT NULL);
CREATE INDEX lasting_grants_age ON public.lasting_grants USING btree (COALESCE(used_at, created_at));
CREATE INDEX lasting_grants_listed ON public.lasting_grants USING btree (organization_id, created_at);
CREATE INDEX leavers_left ON public.leavers USING btree (organization_id, left_at, user_id);
CREATE INDEX members_user ON public.members USING btree (user_id);
CREATE INDEX oauth_clients_expiry ON public.oauth_clients USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX oauth_clients_lately ON public.oauth_clients USING btree (registered_from, created_at) WHERE (kind = 'dynamic'::text);
CREATE INDEX oauth_flows_age ON public.oauth_flows USING btree (expires_at);
CREATE UNIQUE INDEX oauth_flows_placed ON public.oauth_flows USING btree (organization_id, id);
CREATE INDEX oauth_grants_by_time ON public.oauth_grants USING btree (organization_id, created_at DESC, id DESC) WHERE (ended_at IS NULL);
CREATE INDEX oauth_grants_client ON public.oauth_grants USING btree (client_id) WHERE (ended_at IS NULL);
CREATE INDEX oauth_grants_organization ON public.oauth_grants USING btree (organization_id);
CREATE UNIQUE INDEX oauth_grants_placed ON public.oauth_grants USING btree (organization_id, id);
CREATE INDEX oauth_grants_user ON public.oauth_grants USING btree (user_id, client_id) WHERE (ended_at IS NULL);
CREATE INDEX oauth_tokens_expiry ON public.oauth_tokens USING btree (expires_at);
CREATE INDEX oauth_tokens_grant ON public.oauth_tokens USING btree (grant_id);
CREATE INDEX organization_rules_connection ON public.organization_rules USING btree (organization_id, connection_id) WHERE (connection_id IS NOT NULL);
CREATE INDEX organization_rules_key ON public.organization_rules USING btree (organization_id, key_id) WHERE (key_id IS NOT NULL);
CREATE UNIQUE INDEX organization_rules_name ON public.organization_rules USING btree (organization_id, scope, COALESCE(toolset, connection_id, user_id, key_id, ''::text), name);
CREATE INDEX organization_rules_user ON public.organization_rules USING btree (organization_id, user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX passkeys_user ON public.passkeys USING btree (user_id);
CREATE INDEX record_payloads_age ON public.record_payloads USING btree (at);
CREATE INDEX record_payloads_of_connection ON public.record_payloads USING btree (organization_id, connection);
CREATE UNIQUE INDEX record_payloads_placed ON public.record_payloads USING btree (organization_id, id);
CREATE INDEX record_stream_alerts_alert ON public.record_stream_alerts USING btree (alert_id);
CREATE INDEX record_streams_due ON public.record_streams USING btree (next_try) WHERE enabled;
CREATE INDEX records_by_action ON ONLY public.records USING btree (organization_id, method, seq) WHERE (method <> 'tools/call'::text);
CREATE INDEX records_by_actor ON ONLY public.records USING btree (organization_id, principal, seq);
CREATE INDEX records_by_code ON ONLY public.records USING btree (organization_id, code, seq) WHERE (code IS NOT NULL);
CREATE INDEX records_by_connection ON ONLY public.records USING btree (organization_id, connection, seq) WHERE (connection IS NOT NULL);
CREATE INDEX records_by_correlation ON ONLY public.records USING btree (correlation_id);
CREATE INDEX records_by_outcome ON ONLY public.records USING btree (organization_id, outcome, seq) WHERE (outcome <> 'ok'::text);
CREATE INDEX records_by_time ON ONLY public.records USING btree (organization_id, at, seq);
CREATE INDEX records_by_tool ON ONLY public.records USING btree (organization_id, target, seq) WHERE (kind = 'call'::text);
CREATE INDEX records_span ON ONLY public.records USING brin (at) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX recovery_codes_user ON public.recovery_codes USING btree (user_id);
CREATE INDEX refresh_tokens_family ON public.refresh_tokens USING btree (family_id);
CREATE INDEX scim_emails_user ON public.scim_emails USING btree (organization_id, user_id);
CREATE INDEX scim_groups_external ON public.scim_groups USING btree (organization_id, external_id);
CREATE UNIQUE INDEX scim_groups_shown ON public.scim_groups USING btree (organization_id, lower(display_name));
CREATE INDEX scim_groups_updated ON public.scim_groups USING btree (organization_id, updated_at);
CREATE INDEX scim_people_external ON public.scim_people USING btree (organization_id, external_id);
CREATE UNIQUE INDEX scim_people_name ON public.scim_people USING btree (organization_id, lower(user_name));
CREATE INDEX scim_people_shown ON public.scim_people USING btree (organization_id, lower(display_name));
CREATE INDEX scim_people_updated ON public.scim_people USING btree (organization_id, updated_at);
CREATE INDEX scim_tokens_name ON public.scim_tokens USING btree (organization_id, name, created_at);
CREATE INDEX sessions_organization ON public.sessions USING btree (organization_id);
CREATE UNIQUE INDEX sessions_placed ON public.sessions USING btree (organization_id, hash);
CREATE INDEX sessions_seen ON public.sessions USING btree (seen_at);
CREATE INDEX sign_ins_provider ON public.sign_ins USING btree (provider_id) WHERE (provider_id IS NOT NULL);
CREATE INDEX sign_ins_user ON public.sign_ins USING btree (user_id);
CREATE INDEX spent_states_expiry ON public.spent_states USING btree (expires_at);
CREATE INDEX stream_readers_session ON public.stream_readers USING btree (organization_id, session);
CREATE INDEX tool_locks_connection ON public.tool_locks USING btree (connection_id);
CREATE INDEX tool_states_connection ON public.tool_states USING btree (connection_id);
CREATE UNIQUE INDEX toolsets_placed ON public.toolsets USING btree (organization_id, id);
CREATE INDEX usage_hours_of_caller ON public.usage_hours USING btree (organization_id, name, hour) WHERE (by = 'caller'::text);
CREATE INDEX users_vouched ON public.users USING btree (vouched_by) WHERE (vouched_by IS NOT NULL);
CREATE INDEX webhook_deliveries_age ON public.webhook_deliveries USING btree (created_at);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (next_try) WHERE ((delivered_at IS NULL) AND (given_up_at IS NULL));
CREATE UNIQUE INDEX webhook_deliveries_placed ON public.webhook_deliveries USING btree (organization_id, id);

-- Row-level security

alter table agent_models enable row level security, force row level security;
alter table agent_runs enable row level security, force row level security;
alter table alerts enable row level security, force row level security;
alter table approval_answers enable row level security, force row level security;
alter table approval_messages enable row level security, force row level security;
alter table approvals enable row level security, force row level security;
alter table authenticator_apps enable row level security, force row level security;
alter table catalog_looks enable row level security, force row level security;
alter table catalogs enable row level security, force row level security;
alter table change_relay enable row level security, force row level security;
alter table changes enable row level security, force row level security;
alter table clients_seen enable row level security, force row level security;
alter table connections enable row level security, force row level security;
alter table credentials enable row level security, force row level security;
alter table exposed_names enable row level security, force row level security;
alter table file_links enable row level security, force row level security;
alter table file_removals enable row level security, force row level security;
alter table files enable row level security, force row level security;
alter table gateways enable row level security, force row level security;
alter table group_members enable row level security, force row level security;
alter table groups enable row level security, force row level security;
alter table identity_domains enable row level security, force row level security;
alter table identity_links enable row level security, force row level security;
alter table identity_providers enable row level security, force row level security;
alter table imports enable row level security, force row level security;
alter table kept_answers enable row level security, force row level security;
alter table kept_results enable row level security, force row level security;
alter table keys enable row level security, force row level security;
alter table lasting_grants enable row level security, force row level security;
alter table leavers enable row level security, force row level security;
alter table limit_buckets enable row level security, force row level security;
alter table members enable row level security, force row level security;
alter table oauth_apps enable row level security, force row level security;
alter table oauth_clients enable row level security, force row level security;
alter table oauth_flows enable row level security, force row level security;
alter table oauth_grants enable row level security, force row level security;
alter table oauth_tokens enable row level security, force row level security;
alter table openapi_documents enable row level security, force row level security;
alter table organization_rules enable row level security, force row level security;
alter table organization_versions enable row level security, force row level security;
alter table organizations enable row level security, force row level security;
alter table passkeys enable row level security, force row level security;
alter table password_codes enable row level security, force row level security;
alter table record_chains enable row level security, force row level security;
alter table record_checkpoints enable row level security, force row level security;
alter table record_payloads enable row level security, force row level security;
alter table record_stream_alerts enable row level security, force row level security;
alter table record_stream_cursors enable row level security, force row level security;
alter table record_streams enable row level security, force row level security;
alter table records enable row level security, force row level security;
alter table recovery_codes enable row level security, force row level security;
alter table refresh_tokens enable row level security, force row level security;
alter table rules enable row level security, force row level security;
alter table scim_emails enable row level security, force row level security;
alter table scim_groups enable row level security, force row level security;
alter table scim_people enable row level security, force row level security;
alter table scim_tokens enable row level security, force row level security;
alter table sessions enable row level security, force row level security;
alter table sign_ins enable row level security, force row level security;
alter table spent_aliases enable row level security, force row level security;
alter table spent_states enable row level security, force row level security;
alter table stream_reader_events enable row level security, force row level security;
alter table stream_readers enable row level security, force row level security;
alter table tool_locks enable row level security, force row level security;
alter table tool_states enable row level security, force row level security;
alter table toolsets enable row level security, force row level security;
alter table usage_counted enable row level security, force row level security;
alter table usage_days enable row level security, force row level security;
alter table usage_hours enable row level security, force row level security;
alter table usage_stale enable row level security, force row level security;
alter table usage_sums enable row level security, force row level security;
alter table usage_totals enable row level security, force row level security;
alter table users enable row level security, force row level security;
alter table vault_secrets enable row level security, force row level security;
alter table webhook_deliveries enable row level security, force row level security;
alter table webhooks enable row level security, force row level security;

-- Policies

create policy organization_own on agent_models as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on agent_models as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on agent_runs as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on alerts as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on alerts as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on approval_answers as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on approval_answers as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on approval_messages as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on approval_messages as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on approvals as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on approvals as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on authenticator_apps as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on catalog_looks as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on catalog_looks as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on catalogs as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on catalogs as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on change_relay as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on changes as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on clients_seen as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on clients_seen as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on connections as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on connections as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on credentials as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on credentials as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on exposed_names as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on exposed_names as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on file_links as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on file_links as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on file_removals as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on files as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on files as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on gateways as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on group_members as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on group_members as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on groups as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on groups as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on identity_domains as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on identity_domains as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on identity_links as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on identity_links as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on identity_providers as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on identity_providers as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on imports as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on imports as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on kept_answers as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on kept_results as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on kept_results as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on keys as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on keys as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on lasting_grants as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on lasting_grants as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on leavers as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on leavers as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on limit_buckets as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on members as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on members as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on oauth_apps as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on oauth_apps as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on oauth_clients as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on oauth_flows as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on oauth_flows as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on oauth_grants as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on oauth_grants as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on oauth_tokens as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on openapi_documents as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on openapi_documents as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on organization_rules as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on organization_rules as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on organization_versions as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on organization_versions as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on organizations as permissive for all to toolway_organization
  using ((id = current_setting('app.organization'::text, true)))
  with check ((id = current_setting('app.organization'::text, true)));
create policy system_all on organizations as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on passkeys as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on password_codes as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on record_chains as permissive for select to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on record_chains as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on record_checkpoints as permissive for select to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on record_checkpoints as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on record_payloads as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on record_payloads as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on record_stream_alerts as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on record_stream_alerts as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on record_stream_cursors as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on record_stream_cursors as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on record_streams as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on record_streams as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on records as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on records as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on recovery_codes as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on refresh_tokens as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on rules as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on scim_emails as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on scim_emails as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on scim_groups as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on scim_groups as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on scim_people as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on scim_people as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on scim_tokens as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on scim_tokens as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on sessions as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on sessions as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on sign_ins as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on spent_aliases as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on spent_aliases as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on spent_states as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on stream_reader_events as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on stream_reader_events as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on stream_readers as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on stream_readers as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on tool_locks as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on tool_locks as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on tool_states as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on tool_states as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on toolsets as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on toolsets as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on usage_counted as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on usage_counted as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on usage_days as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on usage_days as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on usage_hours as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on usage_hours as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on usage_stale as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on usage_stale as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on usage_sums as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on usage_sums as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on usage_totals as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on usage_totals as permissive for all to owner
  using (true)
  with check (true);
create policy organization_members on users as permissive for select to toolway_organization
  using ((EXISTS ( SELECT
   FROM members
  WHERE ((members.user_id = users.id) AND (members.organization_id = current_setting('app.organization'::text, true))))));
create policy system_all on users as permissive for all to owner
  using (true)
  with check (true);
create policy system_all on vault_secrets as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on webhook_deliveries as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on webhook_deliveries as permissive for all to owner
  using (true)
  with check (true);
create policy organization_own on webhooks as permissive for all to toolway_organization
  using ((organization_id = current_setting('app.organization'::text, true)))
  with check ((organization_id = current_setting('app.organization'::text, true)));
create policy system_all on webhooks as permissive for all to owner
  using (true)
  with check (true);

-- Functions

CREATE OR REPLACE FUNCTION public.add_deliveries(organization text, about text, kind text, grouped text, payload jsonb)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
  insert into webhook_deliveries (id, organization_id, webhook_id, about, payload)
  select 'msg_' || replace(gen_random_uuid()::text, '-', ''), w.organization_id, w.id, about, payload
    from webhooks w
    join organizations o on o.id = w.organization_id
   where w.organization_id = organization and w.enabled and w.events && array[kind, grouped]
     and (select count(*) from webhook_deliveries d
           where d.webhook_id = w.id and d.delivered_at is null and d.given_up_at is null) < 1000
  on conflict (webhook_id, about) do nothing
$function$
;
CREATE OR REPLACE FUNCTION public.add_usage(p_organization text, p_after bigint, p_until bigint, p_day date)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  most_clients constant int := 20;
  day_start constant timestamptz := coalesce(p_day::timestamp at time zone 'UTC', '-infinity');
  day_end constant timestamptz := coalesce((p_day + 1)::timestamp at time zone 'UTC', 'infinity');
begin
  with sized as materialized (
    select date_trunc('hour', r.at, 'UTC') as hour, grouping(usage_name(r.target, r.code), r.principal) as kind, r.connection,
           case grouping(usage_name(r.target, r.code), r.principal)
             when 1 then usage_name(r.target, r.code) when 2 then r.principal end as name,
           r.outcome = 'refused' as refused, usage_bucket(r.duration_us) as size, count(*)::int as calls,
           (count(*) filter (where r.outcome in ('failed', 'tool_error', 'unknown')))::int as failed,
           (count(*) filter (where r.outcome = 'tool_error'))::int as tool_errors
      from records r
     where r.organization_id = p_organization and r.seq > p_after and r.seq <= p_until and r.at >= day_start and r.at < day_end
       and r.kind = 'call'
     group by date_trunc('hour', r.at, 'UTC'), r.connection, r.outcome = 'refused', usage_bucket(r.duration_us),
              grouping sets ((), (usage_name(r.target, r.code)), (r.principal))
  ), summed as (
    select hour, refused, size, sum(calls)::int as calls, sum(failed)::int as failed, sum(tool_errors)::int as tool_errors
      from sized where kind = 3 group by hour, refused, size
  ), totals as (
    insert into usage_totals (organization_id, hour, refused, part, calls, failed, tool_errors, sizes, counts)
    select p_organization, hour, refused, p_until, sum(calls), sum(failed), sum(tool_errors),
           array_agg(size order by size), array_agg(calls order by size)
      from summed group by hour, refused
  )
  insert into usage_hours (organization_id, hour, by, key, refused, part, connection, name, calls, failed, tool_errors, sizes, counts)
  select p_organization, hour, case kind when 3 then 'connection' when 1 then 'tool' else 'caller' end,
         usage_key(array[connection, name]), refused, p_until, connection, name, sum(calls), sum(failed), sum(tool_errors),
         array_agg(size order by size), array_agg(calls order by size)
    from sized
   where kind = 3 or name is not null
   group by hour, kind, connection, name, refused;

  with counted as materialized (
    select (r.at at time zone 'UTC')::date as day, r.principal, r.connection, usage_name(r.target, r.code) as target, r.client, r.code,
           count(*) as calls, count(*) filter (where r.outcome in ('failed', 'tool_error', 'unknown')) as failed,
           count(*) filter (where r.outcome = 'refused') as refused
      from records r
     where r.organization_id = p_organization and r.seq > p_after and r.seq <= p_until and r.at >= day_start and r.at < day_end
       and r.kind = 'call'
     group by (r.at at time zone 'UTC')::date, r.principal, r.connection, usage_name(r.target, r.code), r.client, r.code
  ), known_clients as materialized (
    select distinct d.day, d.principal, d.client from usage_days d
     where d.organization_id = p_organization and d.day in (select c.day from counted c) and d.client is not null
  ), fresh as (
    select c.day, c.principal, c.client,
           row_number() over (partition by c.day, c.principal order by sum(c.calls) desc, c.client)
             + (select count(*) from known_clients k
                 where k.day = c.day and k.principal = c.principal and k.client <> '(other)') as place
      from counted c
     where c.client is not null and c.client <> '(other)'
       and not exists (select from known_clients k where k.day = c.day and k.principal = c.principal and k.client = c.client)
     group by c.day, c.principal, c.client
  ), named as materialized (
    select c.day, c.principal, c.connection, c.target, case when f.place > most_clients then '(other)' else c.client end as client,
           c.code, c.calls, c.failed, c.refused
      from counted c
      left join fresh f on f.day = c.day and f.principal = c.principal and f.client = c.client
  ), sums as (
    insert into usage_sums as known (organization_id, by, day, key, connection, name, calls, failed, refused)
    select p_organization, by, day, usage_key(array[connection, name]), connection, name, calls, failed, refused
      from (select case grouping(connection, target, principal, client, code)
                     when 15 then 'connection' when 7 then 'tool' when 27 then 'caller' when 29 then 'client' else 'reason' end as by, day, connection,
                   case when grouping(target) = 0 then target else coalesce(code, client, principal, connection) end as name,
                   sum(calls)::int as calls, sum(failed)::int as failed, sum(refused)::int as refused
              from named
             group by day, grouping sets ((connection), (connection, target), (principal), (client), (code))) as of_day
     where name is not null
        on conflict (organization_id, by, day, key) do update
       set calls = known.calls + excluded.calls, failed = known.failed + excluded.failed, refused = known.refused + excluded.refused
  )
  insert into usage_days as known (organization_id, day, key, principal, connection, target, client, code, calls, failed, refused)
  select p_organization, day, usage_key(array[principal, connection, target, client, code]), principal, connection, target, client, code,
         sum(calls)::int, sum(failed)::int, sum(refused)::int
    from named
   group by day, principal, connection, target, client, code
      on conflict (organization_id, day, key) do update
     set calls = known.calls + excluded.calls, failed = known.failed + excluded.failed, refused = known.refused + excluded.refused;
end
$function$
;
CREATE OR REPLACE FUNCTION public.announce_change(p_payload text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  -- An organization tells of itself alone; `role` is still the caller's in here.
  if current_setting('role') = 'toolway_organization'
     and p_payload::jsonb ->> 'organization' <> current_setting('app.organization', true) then
    raise exception 'this change belongs to another organization' using errcode = 'insufficient_privilege';
  end if;
  perform pg_notify('toolway_changed', p_payload);
  perform pg_advisory_xact_lock_shared(8665934);
  if exists (select from change_relay where wanted_until > clock_timestamp()) then
    insert into changes (payload) values (p_payload) on conflict do nothing;
  end if;
end
$function$
;
CREATE OR REPLACE FUNCTION public.append_records(p_organization text, p_id text[], p_at timestamp with time zone[], p_kind text[], p_principal text[], p_key_id text[], p_toolset text[], p_connection text[], p_method text[], p_target text[], p_era_client text[], p_era_upstream text[], p_client text[], p_bytes_in integer[], p_bytes_out integer[], p_duration_us integer[], p_outcome text[], p_code text[], p_decision text[], p_correlation_id text[], p_actor_type text[], p_resource_type text[], p_resource_id text[], p_ip_address text[], p_user_agent text[], p_detail jsonb[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
declare
  before record_chains;
  absent constant bytea := decode(repeat('00', 32), 'hex');
  added int;
begin
  -- An organization adds to its own chain alone; `role` is still the caller's in here.
  if current_setting('role') = 'toolway_organization'
     and current_setting('app.organization', true) is distinct from p_organization then
    raise exception 'this chain belongs to another organization' using errcode = 'insufficient_privilege';
  end if;
  perform set_config('toolway.records', 'append_records', true);
  select * into before from record_chains where organization_id = p_organization for update;
  if not found then
    insert into record_chains (organization_id, hash, anchor_hash)
    values (p_organization, record_chain_start(p_organization), record_chain_start(p_organization))
    on conflict do nothing;
    select * into strict before from record_chains where organization_id = p_organization for update;
  end if;

  with given as materialized (
    select g.*, before.seq + row_number() over (order by g.place) as seq, uuid_send(gen_random_uuid()) as salt
      from unnest(p_id, p_at, p_kind, p_principal, p_key_id, p_toolset, p_connection, p_method, p_target, p_era_client,
                  p_era_upstream, p_client, p_bytes_in, p_bytes_out, p_duration_us, p_outcome, p_code, p_decision,
                  p_correlation_id, p_actor_type, p_resource_type, p_resource_id, p_ip_address, p_user_agent, p_detail)
           with ordinality
        as g (id, at, kind, principal, key_id, toolset, connection, method, target, era_client, era_upstream, client,
              bytes_in, bytes_out, duration_us, outcome, code, decision, correlation_id, actor_type, resource_type,
              resource_id, ip_address, user_agent, detail, place)
     where not exists (select from records r where r.id = g.id)
  ), salted as (
    select g.*, sha512(salt) as salts from given g
  ), leaves as (
    select s.*, sha256(
             sha256(convert_to(array_to_json(array[
               seq::text, id, p_organization, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), kind, key_id,
               toolset, connection, method, era_client, era_upstream, bytes_in::text, bytes_out::text, duration_us::text,
               outcome, code, decision, correlation_id, actor_type, resource_type])::text, 'UTF8'))
             || coalesce(sha256(substr(salts, 1, 9) || convert_to(principal, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 10, 9) || convert_to(client, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 19, 9) || convert_to(target, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 28, 9) || convert_to(resource_id, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 37, 9) || convert_to(ip_address, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 46, 9) || convert_to(user_agent, 'UTF8')), absent)
             || coalesce(sha256(substr(salts, 55, 9) || convert_to(detail::text, 'UTF8')), absent)) as leaf
      from salted s
  ), stored as (
    insert into records (id, organization_id, at, kind, principal, key_id, toolset, connection, method, target, era_client,
                         era_upstream, client, bytes_in, bytes_out, duration_us, outcome, code, decision, correlation_id,
                         actor_type, resource_type, resource_id, ip_address, user_agent, detail, seq, salt, hash)
    select id, p_organization, at, kind, principal, key_id, toolset, connection, method, target, era_client, era_upstream,
           client, bytes_in, bytes_out, duration_us, outcome, code, decision, correlation_id, actor_type, resource_type,
           resource_id, ip_address, user_agent, detail, seq, salt, record_chain(leaf, before.hash) over (order by seq)
      from leaves
    returning records.seq, records.hash
  ), moved as (
    update record_chains c set seq = last.seq, hash = last.hash
      from (select stored.seq, stored.hash from stored order by stored.seq desc limit 1) last
     where c.organization_id = p_organization
  )
  select count(*)::int into added from stored;
  perform set_config('toolway.records', '', true);
  return added;
end
$function$
;
CREATE OR REPLACE FUNCTION public.check_usage(p_organization text, p_day date)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  day_start constant timestamptz := p_day::timestamp at time zone 'UTC';
  day_end constant timestamptz := (p_day + 1)::timestamp at time zone 'UTC';
  counted bigint;
  of_records bigint[];
  of_days bigint[];
  of_hours bigint[];
  of_totals bigint[];
  are_sums_right boolean;
  is_summed boolean;
begin
  perform lock_usage(p_organization);
  lock table only records in access share mode;
  if exists (select from usage_stale where organization_id = p_organization and day = p_day) then return true; end if;
  select coalesce(max(seq), 0) into counted from usage_counted where organization_id = p_organization;
  select array[count(*), count(*) filter (where outcome in ('failed', 'tool_error', 'unknown')), count(*) filter (where outcome = 'refused')]
    into of_records from records
   where organization_id = p_organization and at >= day_start and at < day_end and seq <= counted and kind = 'call';
  select array[coalesce(sum(calls), 0), coalesce(sum(failed), 0), coalesce(sum(refused), 0)]
    into of_days from usage_days where organization_id = p_organization and day = p_day;
  select array[coalesce(sum(calls), 0), coalesce(sum(failed), 0), coalesce(sum(calls) filter (where refused), 0)]
    into of_hours from usage_hours
   where organization_id = p_organization and by = 'connection' and hour >= day_start and hour < day_end;
  select array[coalesce(sum(calls), 0), coalesce(sum(failed), 0), coalesce(sum(calls) filter (where refused), 0)]
    into of_totals from usage_totals where organization_id = p_organization and hour >= day_start and hour < day_end;
  with of_day as (
    select named.by, sum(d.calls) as calls, sum(d.failed) as failed, sum(d.refused) as refused
      from usage_days d,
           lateral (values ('connection', d.connection), ('tool', d.target), ('caller', d.principal), ('client', d.client), ('reason', d.code))
             as named (by, name)
     where d.organization_id = p_organization and d.day = p_day and named.name is not null group by named.by
  ), summed as (
    select by, sum(calls) as calls, sum(failed) as failed, sum(refused) as refused from usage_sums
     where organization_id = p_organization and by = any (array['connection', 'tool', 'caller', 'client', 'reason']) and day = p_day
     group by by
  )
  select not exists (table of_day except table summed) and not exists (table summed except table of_day) into are_sums_right;
  select coalesce(bool_or(p_day >= summed_from), true) into is_summed from usage_counted where organization_id = p_organization;
  if of_days = of_records and of_hours = of_records and (not is_summed or (of_totals = of_records and are_sums_right)) then
    return true;
  end if;
  perform forget_usage(p_organization, array[p_day]);
  return false;
end
$function$
;
CREATE OR REPLACE FUNCTION public.count_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
declare
  owner text;
  counted bigint;
begin
  if tg_table_name = 'organizations' then owner := new.id;
  elsif tg_op = 'DELETE' then owner := old.organization_id;
  else owner := new.organization_id;
  end if;
  insert into public.organization_versions as held (organization_id)
  select id from public.organizations where id = owner
      on conflict (organization_id) do update
     set version = held.version + 1, changed_in = pg_current_xact_id()
   where held.changed_in <> pg_current_xact_id()
  returning version into counted;
  if counted is not null then
    perform public.announce_change(json_build_object('organization', owner, 'version', counted)::text);
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.count_usage(p_organization text, p_most integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  chain record_chains;
  counted bigint;
  reached bigint;
begin
  perform lock_usage(p_organization);
  select * into chain from record_chains where organization_id = p_organization;
  if not found then return 0; end if;
  select seq into counted from usage_counted where organization_id = p_organization;
  counted := greatest(coalesce(counted, 0), chain.anchor_seq);
  reached := least(chain.seq, counted + p_most);
  if reached <= counted then return 0; end if;
  perform add_usage(p_organization, counted, reached, null);
  insert into usage_counted (organization_id, seq) values (p_organization, reached)
      on conflict (organization_id) do update set seq = excluded.seq, updated_at = now();
  return reached - counted;
end
$function$
;
CREATE OR REPLACE FUNCTION public.drop_record_months(p_before timestamp with time zone, p_at timestamp with time zone, p_principal text, p_actor_type text, p_correlation_id text)
 RETURNS TABLE(organization_id text, month text, removed bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET lock_timeout TO '3s'
AS $function$
#variable_conflict use_column
declare
  part record;
  chain record_chains;
  last_in bigint;
  point record_checkpoints;
  points record_checkpoints[];
  lengths bigint[];
  first_day date;
begin
  for part in select p.name, p.since, p.until from record_partitions() p where p.until <= p_before order by p.until loop
    points := '{}';
    lengths := '{}';
    for chain in select * from record_chains c order by c.organization_id for update loop
      execute format('select max(seq) from %I where organization_id = $1', part.name) into last_in using chain.organization_id;
      continue when last_in is null;
      select * into point from record_checkpoints k
       where k.organization_id = chain.organization_id and k.seq >= last_in order by k.seq limit 1;
      if not found or exists (select from records r where r.organization_id = chain.organization_id and r.seq <= point.seq
                                 and r.at >= part.until and r.at >= p_before) then
        return;
      end if;
      if not exists (select from records r where r.organization_id = chain.organization_id and r.seq = point.seq and r.hash = point.hash) then
        raise exception 'the checkpoint at % does not fit the chain: nothing is pruned', point.seq
          using errcode = 'integrity_constraint_violation';
      end if;
      points := points || point;
      lengths := lengths || (point.seq - chain.anchor_seq);
    end loop;

    perform set_config('toolway.records', 'prune_records', true);
    execute format('drop table %I', part.name);
    foreach point in array points loop
      select coalesce((part.since at time zone 'UTC')::date, min(u.day)) into first_day
        from usage_days u where u.organization_id = point.organization_id;
      perform mark_usage(point.organization_id, array(
        select d::date from generate_series(first_day::timestamp, (part.until at time zone 'UTC') - interval '1 day', interval '1 day') as d));
      delete from records r where r.organization_id = point.organization_id and r.seq <= point.seq;
      delete from record_checkpoints k where k.organization_id = point.organization_id and k.seq < point.seq;
      update record_chains c set anchor_seq = point.seq, anchor_hash = point.hash where c.organization_id = point.organization_id;
    end loop;
    for place in 1 .. cardinality(points) loop
      point := points[place];
      perform append_records(
        point.organization_id, array['rec_' || upper(replace(gen_random_uuid()::text, '-', ''))], array[p_at], array['change'],
        array[p_principal], array[null::text], array[null::text], array[null::text], array['record.prune'], array[null::text],
        array[null::text], array[null::text], array[null::text], array[0], array[0], array[0], array['ok'], array[null::text],
        array['allow'], array[p_correlation_id], array[p_actor_type], array['record'], array[null::text], array[null::text],
        array[null::text], array[jsonb_build_object('removed', lengths[place], 'up_to', point.seq, 'before', part.until)]);
      organization_id := point.organization_id;
      month := part.name;
      removed := lengths[place];
      return next;
    end loop;
  end loop;
end
$function$
;
CREATE OR REPLACE FUNCTION public.end_grant_of_sign_in()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
begin
  update public.oauth_grants set ended_at = new.ended_at where id = new.id and ended_at is null;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.end_identity_providers()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  delete from identity_providers p using removed r where p.organization_id = r.id;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.end_lasting_of_account()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
  touched record;
begin
  if tg_op = 'DELETE' then touched := old; else touched := new; end if;
  delete from lasting_grants
   where organization_id = touched.organization_id
     and (touched.connection_id is null or connection_id = touched.connection_id)
     and (touched.user_id is null or user_id = touched.user_id);
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.end_lasting_of_connection()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  delete from lasting_grants where organization_id = new.organization_id and connection_id = new.id;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.end_provider_sign_ins()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  update sign_ins set ended_at = now(), ended_why = 'the identity provider was disabled or removed'
   where provider_id = old.id and ended_at is null;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.end_record_streams()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if tg_table_name = 'organizations' then
    delete from record_streams s using removed r where s.organization_id = r.id;
    delete from record_stream_cursors c using removed r
     where c.organization_id = r.id
       and not exists (select from record_streams s where s.organization_id = 'platform' and s.id = c.stream_id);
  else
    delete from record_stream_cursors c using removed r where c.stream_id = r.id;
    delete from record_stream_alerts a using removed r where a.stream_id = r.id;
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.end_sign_in_of_grant()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog'
AS $function$
begin
  update public.sign_ins set ended_at = new.ended_at, ended_why = 'grant ended'
   where id = new.id and ended_at is null;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.forget_changed_usage()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  days record;
begin
  for days in select c.organization_id, array_agg(distinct (c.at at time zone 'UTC')::date) as list from changed c
               where c.kind = 'call' group by c.organization_id order by c.organization_id loop
    if tg_op = 'UPDATE' then
      perform forget_usage(days.organization_id, days.list);
    else
      perform mark_usage(days.organization_id, days.list);
    end if;
  end loop;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.forget_usage(p_organization text, p_days date[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  perform mark_usage(p_organization, p_days);
  -- What is being counted at this moment goes when the day is counted anew: waiting for it could be a deadlock.
  delete from usage_days where ctid = any (array(
    select u.ctid from usage_days u where u.organization_id = p_organization and u.day = any (p_days) for update skip locked));
  delete from usage_hours h using unnest(p_days) as d
   where h.organization_id = p_organization and h.by = any (array['connection', 'tool', 'caller'])
     and h.hour >= d::timestamp at time zone 'UTC' and h.hour < (d + 1)::timestamp at time zone 'UTC';
  delete from usage_sums where ctid = any (array(
    select s.ctid from usage_sums s where s.organization_id = p_organization and s.by = any (array['connection', 'tool', 'caller', 'client', 'reason'])
       and s.day = any (p_days) for update skip locked));
  delete from usage_totals where ctid = any (array(
    select t.ctid from usage_totals t, unnest(p_days) as d
     where t.organization_id = p_organization and t.hour >= d::timestamp at time zone 'UTC' and t.hour < (d + 1)::timestamp at time zone 'UTC'
       for update of t skip locked));
end
$function$
;
CREATE OR REPLACE FUNCTION public.guard_records()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  if not coalesce(current_setting('toolway.records', true), '') = any (string_to_array(tg_argv[0], ' ')) then
    raise exception '% are never % by hand', tg_table_name, tg_argv[1]
      using errcode = 'insufficient_privilege';
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.join_awaited_groups()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  insert into public.group_members (organization_id, group_slug, user_id)
  select g.organization_id, g.slug, new.user_id
    from public.groups g join public.users u on u.id = new.user_id
   where g.organization_id = new.organization_id and u.email = any (g.awaited)
      on conflict do nothing;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.keep_alias()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  -- An organization that is removed takes its aliases along.
  if not exists (select from organizations where id = old.organization_id) then return null; end if;
  insert into spent_aliases (organization_id, alias, led_to)
  values (old.organization_id, old.alias,
          jsonb_strip_nulls(jsonb_build_object('connector', old.settings -> 'connector', 'url', old.settings -> 'url',
                                               'command', old.settings -> 'command', 'args', old.settings -> 'args')))
  on conflict (organization_id, alias) do update set led_to = excluded.led_to, removed_at = now();
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.keep_second_factor()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  who text := coalesce(new.user_id, old.user_id);
begin
  update users u set second_factor = has.any
    from (select exists (select from passkeys where user_id = who)
              or exists (select from authenticator_apps where user_id = who) as any) has
   where u.id = who and u.second_factor is distinct from has.any;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.key_maker(principal text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  -- An organization asks about its own keys and those of no organization; `role` is still the caller's in here.
  if current_setting('role') = 'toolway_organization'
     and exists (select from keys where id = principal
                    and organization_id <> coalesce(current_setting('app.organization', true), '')) then
    raise exception 'this key belongs to another organization' using errcode = 'insufficient_privilege';
  end if;
  return (
    with recursive makers as (
      select created_by, 1 as steps from keys where id = principal
      union all
      select k.created_by, m.steps + 1 from keys k join makers m on k.id = m.created_by where m.steps < 20
    )
    select created_by from makers order by steps desc limit 1);
end
$function$
;
CREATE OR REPLACE FUNCTION public.lock_usage(p_organization text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog'
BEGIN ATOMIC
 SELECT pg_advisory_xact_lock(8665936, hashtext(p_organization)) AS pg_advisory_xact_lock;
END
;
CREATE OR REPLACE FUNCTION public.make_record_partition(p_month date)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET lock_timeout TO '3s'
AS $function$
declare
  month_start timestamptz := date_trunc('month', p_month::timestamp) at time zone 'UTC';
  month_end timestamptz := (date_trunc('month', p_month::timestamp) + interval '1 month') at time zone 'UTC';
  part_name text := 'records_' || to_char(p_month, 'YYYY_MM');
begin
  perform pg_advisory_xact_lock(76368237); -- two gateways make it one after the other
  if exists (select from record_partitions() p where coalesce(p.since, '-infinity') < month_end
                and p.until > month_start) then
    return false;
  end if;
  execute format('create table public.%I (like records including defaults including constraints including storage)', part_name);
  perform set_config('toolway.records', 'prune_records', true);
  execute format('with moved as (delete from records_rest where at >= $1 and at < $2 returning *) insert into %I select * from moved', part_name)
    using month_start, month_end;
  perform set_config('toolway.records', '', true);
  perform protect_record_partition(part_name);
  execute format('alter table records attach partition %I for values from (%L) to (%L)', part_name,
                 to_char(month_start at time zone 'UTC', 'YYYY-MM-DD"T00:00:00Z"'), to_char(month_end at time zone 'UTC', 'YYYY-MM-DD"T00:00:00Z"'));
  return true;
end
$function$
;
CREATE OR REPLACE FUNCTION public.mark_usage(p_organization text, p_days date[])
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
BEGIN ATOMIC
 INSERT INTO usage_stale (organization_id, day)  SELECT mark_usage.p_organization AS p_organization,
             days.d
            FROM ( SELECT DISTINCT unnest(mark_usage.p_days) AS d) days
           ORDER BY days.d ON CONFLICT(organization_id, day) DO UPDATE SET reached = NULL::bigint;
END
;
CREATE OR REPLACE FUNCTION public.note_file_removal()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  insert into file_removals (storage_key, parts) values (old.storage_key, old.parts) on conflict do nothing;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.protect_record_partition(p_name text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  execute format('create unique index %I on %I (id)', p_name || '_id', p_name);
  execute format('create unique index %I on %I (organization_id, seq)', p_name || '_place', p_name);
  execute format('alter table %I enable row level security, force row level security', p_name);
  execute format('create policy system_all on %I to current_user using (true) with check (true)', p_name);
  execute format('create trigger guard_added before insert on %I for each statement execute function guard_records(%L, %L)',
                 p_name, 'append_records', 'added');
  execute format('create trigger guard_changed before update on %I for each statement execute function guard_records(%L, %L)',
                 p_name, 'redact_record', 'changed');
  execute format('create trigger guard_removed before delete or truncate on %I for each statement execute function guard_records(%L, %L)',
                 p_name, 'prune_records', 'removed');
end
$function$
;
CREATE OR REPLACE FUNCTION public.prune_records(p_organization text, p_before timestamp with time zone, p_own_id text, p_at timestamp with time zone, p_principal text, p_key_id text, p_actor_type text, p_correlation_id text, p_ip_address text, p_user_agent text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  chain record_chains;
  first_to_stay bigint;
  point record_checkpoints;
  removed bigint;
begin
  select * into chain from record_chains where organization_id = p_organization for update;
  if not found then return 0; end if;
  select min(seq) into first_to_stay from records where organization_id = p_organization and at >= p_before;
  select * into point from record_checkpoints
   where organization_id = p_organization and seq > chain.anchor_seq and (first_to_stay is null or seq < first_to_stay)
   order by seq desc limit 1;
  if not found then return 0; end if;
  if not exists (select from records where organization_id = p_organization and seq = point.seq and hash = point.hash) then
    raise exception 'the checkpoint at % does not fit the chain: nothing is pruned', point.seq
      using errcode = 'integrity_constraint_violation';
  end if;

  perform set_config('toolway.records', 'prune_records', true);
  delete from records where organization_id = p_organization and seq <= point.seq;
  get diagnostics removed = row_count;
  delete from record_checkpoints where organization_id = p_organization and seq < point.seq;
  update record_chains set anchor_seq = point.seq, anchor_hash = point.hash where organization_id = p_organization;
  perform append_records(
    p_organization, array[p_own_id], array[p_at], array['change'], array[p_principal], array[p_key_id], array[null::text],
    array[null::text], array['record.prune'], array[null::text], array[null::text], array[null::text], array[null::text],
    array[0], array[0], array[0], array['ok'], array[null::text], array['allow'], array[p_correlation_id],
    array[p_actor_type], array['record'], array[null::text], array[p_ip_address], array[p_user_agent],
    array[jsonb_build_object('removed', removed, 'up_to', point.seq, 'before', p_before)]);
  return removed;
end
$function$
;
CREATE OR REPLACE FUNCTION public.queue_stream_alerts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  insert into record_stream_alerts (organization_id, stream_id, alert_id)
  select a.organization_id, s.id, a.id
    from added a join record_streams s on s.alerts and s.organization_id in (a.organization_id, 'platform');
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.raise_updated_at()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  new.updated_at := greatest(new.updated_at, date_trunc('milliseconds', old.updated_at) + interval '1 millisecond');
  return new;
end
$function$
;
CREATE OR REPLACE FUNCTION public.record_chain_next(state bytea, leaf bytea, before bytea)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$ begin return pg_catalog.sha256(coalesce(state, before) || leaf); end $function$
;
CREATE OR REPLACE FUNCTION public.record_chain_start(p_organization text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog'
AS $function$ select sha256(convert_to('toolway records ' || p_organization, 'UTF8')) $function$
;
CREATE OR REPLACE FUNCTION public.record_partitions()
 RETURNS TABLE(name text, since timestamp with time zone, until timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  select c.relname::text,
         substring(pg_get_expr(c.relpartbound, c.oid) from $re$FROM \('([^']+)'\)$re$)::timestamptz,
         substring(pg_get_expr(c.relpartbound, c.oid) from $re$TO \('([^']+)'\)$re$)::timestamptz
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'public.records'::regclass and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
   order by 3
$function$
;
CREATE OR REPLACE FUNCTION public.recount_usage(p_organization text, p_day date, p_most integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  day_start constant timestamptz := p_day::timestamp at time zone 'UTC';
  day_end constant timestamptz := (p_day + 1)::timestamp at time zone 'UTC';
  mark usage_stale;
  next_seq bigint;
begin
  perform lock_usage(p_organization);
  lock table only records in access share mode;
  select * into mark from usage_stale where organization_id = p_organization and day = p_day for update;
  if not found then return true; end if;
  if mark.reached is null then
    perform forget_usage(p_organization, array[p_day]);
    -- The sums keep the planner from walking through the whole chain for its first and last place of the day.
    select min(r.seq + 0) - 1, max(r.seq + 0) into mark.reached, mark.until from records r
     where r.organization_id = p_organization and r.at >= day_start and r.at < day_end and r.kind = 'call'
       and r.seq <= (select c.seq from usage_counted c where c.organization_id = p_organization);
  end if;
  next_seq := least(mark.reached + p_most, mark.until);
  if mark.reached is not null then perform add_usage(p_organization, mark.reached, next_seq, p_day); end if;
  if next_seq < mark.until then
    update usage_stale set reached = next_seq, until = mark.until where organization_id = p_organization and day = p_day;
    return false;
  end if;
  delete from usage_stale where organization_id = p_organization and day = p_day;
  return true;
end
$function$
;
CREATE OR REPLACE FUNCTION public.redact_record(p_organization text, p_id text, p_fields text[], p_reason text, p_own_id text, p_at timestamp with time zone, p_principal text, p_key_id text, p_actor_type text, p_correlation_id text, p_ip_address text, p_user_agent text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  names constant text[] := array['principal', 'client', 'target', 'resource_id', 'ip_address', 'user_agent', 'detail'];
  found_record records;
  field_values text[];
  field_salt bytea;
  kept jsonb;
  taken text[] := '{}';
begin
  if coalesce(btrim(p_reason), '') = '' then
    raise exception 'a redaction needs a reason' using errcode = 'invalid_parameter_value';
  end if;
  if not p_fields <@ names then
    raise exception 'only these can be redacted: %', array_to_string(names, ', ') using errcode = 'invalid_parameter_value';
  end if;
  select * into found_record from records where organization_id = p_organization and id = p_id for update;
  if not found then return 0; end if;
  kept := coalesce(found_record.redacted, '{}');
  field_values := array[found_record.principal, found_record.client, found_record.target, found_record.resource_id,
                        found_record.ip_address, found_record.user_agent, found_record.detail::text];
  for place in 1 .. 7 loop
    continue when field_values[place] is null or kept -> names[place] ? 'hash';
    field_salt := coalesce(decode(kept -> names[place] ->> 'salt', 'hex'),
                           substr(sha512(found_record.salt), 9 * place - 8, 9));
    if names[place] = any (p_fields) then
      taken := taken || names[place];
      kept := kept || jsonb_build_object(names[place], jsonb_build_object(
        'hash', encode(sha256(field_salt || convert_to(field_values[place], 'UTF8')), 'hex')));
    else
      kept := kept || jsonb_build_object(names[place], jsonb_build_object('salt', encode(field_salt, 'hex')));
    end if;
  end loop;
  if taken = '{}' then return 0; end if;

  perform set_config('toolway.records', 'redact_record', true);
  update records
     set principal = case when 'principal' = any (taken) then '[redacted]' else principal end,
         client = case when 'client' = any (taken) then null else client end,
         target = case when 'target' = any (taken) then null else target end,
         resource_id = case when 'resource_id' = any (taken) then null else resource_id end,
         ip_address = case when 'ip_address' = any (taken) then null else ip_address end,
         user_agent = case when 'user_agent' = any (taken) then null else user_agent end,
         detail = case when 'detail' = any (taken) then null else detail end,
         salt = null,
         redacted = kept
   where organization_id = p_organization and id = p_id;
  perform append_records(
    p_organization, array[p_own_id], array[p_at], array['change'], array[p_principal], array[p_key_id], array[null::text],
    array[null::text], array['record.redact'], array[null::text], array[null::text], array[null::text], array[null::text],
    array[0], array[0], array[0], array['ok'], array[null::text], array['allow'], array[p_correlation_id],
    array[p_actor_type], array['record'], array[p_id], array[p_ip_address], array[p_user_agent],
    array[jsonb_build_object('seq', found_record.seq, 'fields', taken, 'reason', p_reason)]);
  return cardinality(taken);
end
$function$
;
CREATE OR REPLACE FUNCTION public.remove_files_of_key()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  delete from files where owner = old.id and (old.organization_id is null or organization_id = old.organization_id);
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.remove_files_of_member()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  delete from files where organization_id = old.organization_id and owner = old.user_id;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.sum_usage(p_organization text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  most_rows constant int := 200000;
  summed date;
  next_day date;
  is_own boolean;
  row_count int;
  day_start timestamptz;
  day_end timestamptz;
begin
  perform lock_usage(p_organization);
  select summed_from into summed from usage_counted where organization_id = p_organization;
  if not found or summed = '-infinity' then return false; end if;
  select max(day) into next_day from usage_days where organization_id = p_organization and day < summed;
  if next_day is null then
    update usage_counted set summed_from = '-infinity' where organization_id = p_organization;
    return false;
  end if;
  update usage_counted set summed_from = next_day where organization_id = p_organization;
  insert into usage_stale (organization_id, day) values (p_organization, next_day)
      on conflict (organization_id, day) do update set reached = null
    returning xmax = 0 into is_own;
  select count(*) into row_count
    from (select from usage_days where organization_id = p_organization and day = next_day limit most_rows + 1) as few;
  if not is_own or row_count > most_rows then return true; end if;

  day_start := next_day::timestamp at time zone 'UTC';
  day_end := (next_day + 1)::timestamp at time zone 'UTC';
  delete from usage_totals where organization_id = p_organization and hour >= day_start and hour < day_end;
  delete from usage_sums
   where organization_id = p_organization and by = any (array['connection', 'tool', 'caller', 'client', 'reason']) and day = next_day;

  with hours as materialized (
    select hour, refused, calls, failed, tool_errors, sizes, counts from usage_hours
     where organization_id = p_organization and by = 'connection' and hour >= day_start and hour < day_end
  ), sized as (
    select hour, refused, size, sum(n)::int as calls from hours, unnest(sizes, counts) as of_hour (size, n) group by hour, refused, size
  ), arrays as (
    select hour, refused, array_agg(size order by size) as sizes, array_agg(calls order by size) as counts from sized group by hour, refused
  )
  insert into usage_totals (organization_id, hour, refused, part, calls, failed, tool_errors, sizes, counts)
  select p_organization, hour, refused, 0, sum(h.calls), sum(h.failed), sum(h.tool_errors), a.sizes, a.counts
    from hours h join arrays a using (hour, refused) group by hour, refused, a.sizes, a.counts;

  insert into usage_sums (organization_id, by, day, key, connection, name, calls, failed, refused)
  select p_organization, by, next_day, usage_key(array[connection, name]), connection, name, calls, failed, refused
    from (select case grouping(connection, target, principal, client, code)
                   when 15 then 'connection' when 7 then 'tool' when 27 then 'caller' when 29 then 'client' else 'reason' end as by, connection,
                 case when grouping(target) = 0 then target else coalesce(code, client, principal, connection) end as name,
                 sum(calls) as calls, sum(failed) as failed, sum(refused) as refused
            from usage_days where organization_id = p_organization and day = next_day
           group by grouping sets ((connection), (connection, target), (principal), (client), (code))) as of_day
   where name is not null;

  delete from usage_stale where organization_id = p_organization and day = next_day;
  return true;
end
$function$
;
CREATE OR REPLACE FUNCTION public.take_tokens(p_hashes bytea[], p_most double precision[], p_want double precision[], p_need double precision[], p_back double precision[], p_window double precision[])
 RETURNS TABLE(place integer, taken double precision, wait double precision)
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  asked record;
  held double precision;
  since double precision;
  clock double precision;
begin
  for asked in
    select u.* from unnest(p_hashes, p_most, p_want, p_need, p_back, p_window)
                    with ordinality as u (hash, most, want, need, back, span, number)
     order by u.hash, u.number
  loop
    loop
      select b.tokens, b.at into held, since from limit_buckets b where b.hash = asked.hash for update;
      exit when found;
      insert into limit_buckets (hash, tokens, at, until)
      values (asked.hash, asked.most, extract(epoch from clock_timestamp()) * 1000, clock_timestamp())
          on conflict do nothing;
    end loop;
    clock := extract(epoch from clock_timestamp()) * 1000;
    held := least(asked.most, held + asked.back + greatest(0, clock - since) * asked.most / asked.span);
    taken := case when held >= asked.want then asked.want
                  when held + 0.000001 >= asked.need then greatest(asked.need, floor(held))
                  else 0 end;
    held := held - taken;
    update limit_buckets b
       set tokens = held, at = clock, until = clock_timestamp() + 2 * asked.span * interval '1 millisecond'
     where b.hash = asked.hash;
    place := asked.number;
    wait := case when taken > 0 then 0 else ceil((asked.need - held) * asked.span / asked.most) + 1 end;
    return next;
  end loop;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_catalogs_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  perform public.announce_change(case when count(*) > 20
            then json_build_object('organization', organization_id, 'table', 'catalogs')
            else json_build_object('organization', organization_id, 'table', 'catalogs', 'ids', json_agg(connection_id)) end::text)
     from (select distinct a.organization_id, a.connection_id
             from changed a join before b using (connection_id)
            where (a.digest, a.stale_reason, a.left_out::text) is distinct from (b.digest, b.stale_reason, b.left_out::text))
       as touched
    group by organization_id;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
declare
  named text := case tg_table_name
    when 'connections' then 'id'
    when 'toolsets' then 'id'
    when 'catalogs' then 'connection_id'
    when 'tool_locks' then 'connection_id'
    when 'tool_states' then 'connection_id'
    when 'members' then 'user_id'
    when 'group_members' then 'user_id'
  end;
begin
  if tg_argv[0] = 'id' then
    perform public.announce_change(json_build_object('organization', id, 'table', tg_table_name)::text)
       from (select distinct id from changed) as touched;
  elsif named is null then
    perform public.announce_change(json_build_object('organization', organization_id, 'table', tg_table_name)::text)
       from (select distinct organization_id from changed) as touched;
  else
    -- A notice has at most 8,000 bytes.
    execute format(
      'select public.announce_change(case when count(*) > 20
                then json_build_object(''organization'', organization_id, ''table'', %1$L)
                else json_build_object(''organization'', organization_id, ''table'', %1$L, ''ids'', json_agg(id)) end::text)
         from (select distinct organization_id, %2$I as id from changed) as touched
        group by organization_id', tg_table_name, named);
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_integration(organization text, connection text, action text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  perform public.announce_change(json_build_object('organization', organization, 'event',
                      json_build_object('id', connection, 'action', action))::text);
  perform add_deliveries(organization, concat_ws(' ', pg_current_xact_id()::text, connection, action),
    'integrations_changed', 'integrations_changed',
    jsonb_build_object('type', 'integrations_changed', 'timestamp', to_json(now()), 'data',
      jsonb_build_object('organization_id', organization, 'connection_id', connection, 'action', action)));
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_key_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  perform public.announce_change(json_build_object('organization', new.organization_id, 'table', tg_table_name, 'key', new.id)::text);
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_keys_removed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  perform public.announce_change(json_build_object('organization', organization_id, 'table', tg_table_name, 'key', id)::text)
     from changed;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_of_alerts()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  perform public.announce_change(json_build_object('organization', organization_id, 'alert', id)::text) from added;
  perform add_deliveries(organization_id, id, kind, 'alert',
            jsonb_build_object('type', kind, 'timestamp', to_json(created_at), 'data',
              jsonb_build_object('organization_id', organization_id, 'alert_id', id, 'connection_id', connection_id,
                                 'user_id', user_id, 'detail',
                                 case when length(detail::text) > 16384 then '{"too_long": true}'::jsonb else detail end)))
     from added;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_of_approvals()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  perform public.announce_change(json_build_object('organization', organization_id, 'approval', id)::text)
     from changed;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_of_catalogs()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  if tg_op = 'INSERT' then
    perform tell_integration(organization_id, connection_id, 'synced') from added;
  else
    perform tell_integration(a.organization_id, a.connection_id, 'synced')
       from added a join removed r using (connection_id)
      where (a.digest, a.stale_reason) is distinct from (r.digest, r.stale_reason);
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_of_client()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
declare
  before jsonb := case tg_op when 'UPDATE' then to_jsonb(old) else '{}' end;
  step   text;
  at     text;
begin
  foreach step in array array['initialize', 'list', 'call'] loop
    at := to_jsonb(new) ->> (step || '_at');
    if at is null or at = before ->> (step || '_at') then
      continue;
    end if;
    perform public.announce_change(json_build_object('organization', new.organization_id, 'seen',
              json_build_object('step', step, 'key_id', new.key_id, 'user_id', new.user_id, 'name', new.client,
                                'version', new.version, 'revision', new.revision, 'at', at))::text);
  end loop;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_of_connections()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  if tg_op = 'INSERT' then
    perform tell_integration(organization_id, id, 'created') from added;
  elsif tg_op = 'DELETE' then
    perform tell_integration(organization_id, id, 'deleted') from removed;
  else
    perform tell_integration(a.organization_id, a.id,
              case when a.updated_at is distinct from r.updated_at then 'updated' else 'synced' end)
       from added a join removed r using (id)
      where (a.updated_at, a.status, a.status_reason, a.enabled)
            is distinct from (r.updated_at, r.status, r.status_reason, r.enabled);
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_of_credentials()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  if tg_op = 'INSERT' then
    perform tell_integration(organization_id, connection_id, 'connected') from added;
  elsif tg_op = 'DELETE' then
    perform tell_integration(r.organization_id, r.connection_id, 'disconnected')
       from removed r
      where r.connection_id is null or exists (select from connections c where c.id = r.connection_id);
  else
    perform tell_integration(a.organization_id, a.connection_id,
              case when a.problem is null then 'connected' else 'disconnected' end)
       from added a join removed r using (id)
      where a.problem is distinct from r.problem or a.updated_at is distinct from r.updated_at;
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_people(ids text[])
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog'
AS $function$
  -- A notice has at most 8,000 bytes.
  select public.announce_change((case when cardinality(ids) > 100 then json_build_object('table', 'users')
                                      else json_build_object('table', 'users', 'ids', ids) end)::text)
   where cardinality(ids) > 0;
$function$
;
CREATE OR REPLACE FUNCTION public.tell_people_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if tg_op = 'UPDATE' then
    perform tell_people(array(
      select a.id from changed a join before b using (id)
       where (a.active, a.epoch, a.platform_admin, a.email, a.provider, a.second_factor)
             is distinct from (b.active, b.epoch, b.platform_admin, b.email, b.provider, b.second_factor)));
  else
    perform tell_people(array(select id from changed));
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_platform_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  perform public.announce_change(json_build_object('table', tg_table_name)::text);
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_records()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  perform public.announce_change(json_build_object('organization', new.organization_id, 'records', true)::text);
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_session_ended()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  perform public.announce_change(json_build_object('organization', organization_id, 'table', tg_table_name, 'ended', encode(hash, 'hex'))::text)
     from ended where seen_at > now() - interval '30 minutes';
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_sign_in_ended()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
begin
  if new.ended_at is not null and old.ended_at is null then
    perform public.announce_change(json_build_object('table', tg_table_name, 'ended', new.id)::text);
  end if;
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.tell_stream_reader()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog'
AS $function$
declare
  told public.stream_readers;
begin
  if tg_op = 'DELETE' then told := old; else told := new; end if;
  perform public.announce_change(json_build_object('organization', told.organization_id, 'table', tg_table_name, 'reader', told.reader,
    'session', encode(told.session, 'hex'), 'stream', told.stream,
    'state', case when tg_op = 'DELETE' then 'left' else told.state end)::text);
  return null;
end
$function$
;
CREATE OR REPLACE FUNCTION public.usage_bucket(p_microseconds integer)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE
RETURN (round((ln((GREATEST(p_microseconds, 1))::double precision) * (25)::double precision)))::smallint
;
CREATE OR REPLACE FUNCTION public.usage_key(p_names text[])
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
RETURN substr(sha256(convert_to((array_to_json(p_names))::text, 'UTF8'::name)), 1, 16)
;
CREATE OR REPLACE FUNCTION public.usage_name(p_target text, p_code text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (p_code = ANY (ARRAY['tool.unknown'::text, 'prompt.unknown'::text, 'resource.unknown'::text])) THEN '(unknown)'::text ELSE p_target END
;
CREATE OR REPLACE FUNCTION public.want_changes()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  update change_relay set wanted_until = clock_timestamp() + interval '1 day'
   where wanted_until > clock_timestamp();
  if found then return; end if;
  perform pg_advisory_xact_lock(8665934);
  update change_relay
     set wanted_until = clock_timestamp() + interval '1 day',
         relayed = relayed + case when wanted_until > clock_timestamp() then 0 else 1 end;
end
$function$
;

-- Aggregates

create aggregate record_chain (bytea, bytea) (sfunc = record_chain_next, stype = bytea);

-- Triggers

CREATE TRIGGER queue_stream_alerts AFTER INSERT ON public.alerts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION queue_stream_alerts();
CREATE TRIGGER tell_added AFTER INSERT ON public.alerts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_events_added AFTER INSERT ON public.alerts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tell_of_alerts();
CREATE TRIGGER tell_added AFTER INSERT ON public.approvals REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_of_approvals();
CREATE TRIGGER tell_changed AFTER UPDATE ON public.approvals REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_of_approvals();
CREATE TRIGGER keep_second_factor AFTER INSERT OR DELETE ON public.authenticator_apps FOR EACH ROW EXECUTE FUNCTION keep_second_factor();
CREATE CONSTRAINT TRIGGER count_added AFTER INSERT OR DELETE ON public.catalogs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_change();
CREATE CONSTRAINT TRIGGER count_change AFTER UPDATE ON public.catalogs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.digest IS DISTINCT FROM new.digest) OR (old.stale_reason IS DISTINCT FROM new.stale_reason))) EXECUTE FUNCTION count_change();
CREATE TRIGGER tell_added AFTER INSERT ON public.catalogs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.catalogs REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_catalogs_changed();
CREATE TRIGGER tell_events_added AFTER INSERT ON public.catalogs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tell_of_catalogs();
CREATE TRIGGER tell_events_changed AFTER UPDATE ON public.catalogs REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tell_of_catalogs();
CREATE TRIGGER tell_removed AFTER DELETE ON public.catalogs REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER clients_seen_told AFTER INSERT OR UPDATE ON public.clients_seen FOR EACH ROW EXECUTE FUNCTION tell_of_client();
CREATE CONSTRAINT TRIGGER count_change AFTER INSERT OR DELETE OR UPDATE ON public.connections DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_change();
CREATE TRIGGER end_lasting AFTER UPDATE OF settings ON public.connections FOR EACH ROW WHEN ((old.settings IS DISTINCT FROM new.settings)) EXECUTE FUNCTION end_lasting_of_connection();
CREATE TRIGGER keep_alias AFTER DELETE ON public.connections FOR EACH ROW EXECUTE FUNCTION keep_alias();
CREATE TRIGGER raise_updated_at BEFORE UPDATE OF updated_at ON public.connections FOR EACH ROW WHEN ((new.updated_at IS DISTINCT FROM old.updated_at)) EXECUTE FUNCTION raise_updated_at();
CREATE TRIGGER tell_added AFTER INSERT ON public.connections REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.connections REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_events_added AFTER INSERT ON public.connections REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tell_of_connections();
CREATE TRIGGER tell_events_changed AFTER UPDATE ON public.connections REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tell_of_connections();
CREATE TRIGGER tell_events_removed AFTER DELETE ON public.connections REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tell_of_connections();
CREATE TRIGGER tell_removed AFTER DELETE ON public.connections REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER end_lasting AFTER INSERT OR DELETE OR UPDATE OF account, is_default, provider_user_id ON public.credentials FOR EACH ROW EXECUTE FUNCTION end_lasting_of_account();
CREATE TRIGGER tell_added AFTER INSERT ON public.credentials REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.credentials REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_events_added AFTER INSERT ON public.credentials REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tell_of_credentials();
CREATE TRIGGER tell_events_changed AFTER UPDATE ON public.credentials REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tell_of_credentials();
CREATE TRIGGER tell_events_removed AFTER DELETE ON public.credentials REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tell_of_credentials();
CREATE TRIGGER tell_removed AFTER DELETE ON public.credentials REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER note_file_removal AFTER DELETE ON public.files FOR EACH ROW EXECUTE FUNCTION note_file_removal();
CREATE CONSTRAINT TRIGGER count_change AFTER INSERT OR DELETE OR UPDATE ON public.group_members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_change();
CREATE TRIGGER tell_added AFTER INSERT ON public.group_members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.group_members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_removed AFTER DELETE ON public.group_members REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE CONSTRAINT TRIGGER count_change AFTER INSERT OR DELETE OR UPDATE ON public.groups DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_change();
CREATE TRIGGER tell_added AFTER INSERT ON public.groups REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.groups REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_removed AFTER DELETE ON public.groups REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER end_provider_sign_ins AFTER DELETE ON public.identity_providers FOR EACH ROW EXECUTE FUNCTION end_provider_sign_ins();
CREATE TRIGGER end_provider_sign_ins_of_disabled AFTER UPDATE OF enabled ON public.identity_providers FOR EACH ROW WHEN ((old.enabled AND (NOT new.enabled))) EXECUTE FUNCTION end_provider_sign_ins();
CREATE TRIGGER end_provider_sign_ins_of_moved AFTER UPDATE OF settings ON public.identity_providers FOR EACH ROW WHEN ((((old.settings ->> 'issuer'::text) IS DISTINCT FROM (new.settings ->> 'issuer'::text)) OR ((old.settings ->> 'entity_id'::text) IS DISTINCT FROM (new.settings ->> 'entity_id'::text)))) EXECUTE FUNCTION end_provider_sign_ins();
CREATE TRIGGER remove_files_of_key AFTER DELETE ON public.keys FOR EACH ROW WHEN ((old.user_id IS NULL)) EXECUTE FUNCTION remove_files_of_key();
CREATE TRIGGER tell_added AFTER INSERT ON public.keys REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE OF organization_id, hash, slow_hash, toolset, expires_at, role, effect_limit, user_id, trusted ON public.keys FOR EACH ROW EXECUTE FUNCTION tell_key_changed();
CREATE TRIGGER tell_removed AFTER DELETE ON public.keys REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_keys_removed();
CREATE TRIGGER tell_added AFTER INSERT ON public.lasting_grants REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_of_approvals();
CREATE TRIGGER tell_removed AFTER DELETE ON public.lasting_grants REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_of_approvals();
CREATE TRIGGER join_awaited_groups AFTER INSERT ON public.members FOR EACH ROW EXECUTE FUNCTION join_awaited_groups();
CREATE TRIGGER remove_files_of_member AFTER DELETE ON public.members FOR EACH ROW EXECUTE FUNCTION remove_files_of_member();
CREATE TRIGGER tell_added AFTER INSERT ON public.members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_removed AFTER DELETE ON public.members REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_added AFTER INSERT ON public.oauth_apps REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.oauth_apps REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_removed AFTER DELETE ON public.oauth_apps REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER end_sign_in AFTER UPDATE OF ended_at ON public.oauth_grants FOR EACH ROW WHEN (((new.ended_at IS NOT NULL) AND (old.ended_at IS NULL))) EXECUTE FUNCTION end_sign_in_of_grant();
CREATE CONSTRAINT TRIGGER count_change AFTER INSERT OR DELETE OR UPDATE ON public.organization_rules DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_change();
CREATE TRIGGER raise_updated_at BEFORE UPDATE OF updated_at ON public.organization_rules FOR EACH ROW WHEN ((new.updated_at IS DISTINCT FROM old.updated_at)) EXECUTE FUNCTION raise_updated_at();
CREATE TRIGGER tell_added AFTER INSERT ON public.organization_rules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.organization_rules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_removed AFTER DELETE ON public.organization_rules REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE CONSTRAINT TRIGGER count_change AFTER UPDATE ON public.organizations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_change();
CREATE TRIGGER end_identity_providers AFTER DELETE ON public.organizations REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION end_identity_providers();
CREATE TRIGGER end_record_streams AFTER DELETE ON public.organizations REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION end_record_streams();
CREATE TRIGGER raise_updated_at BEFORE UPDATE OF updated_at ON public.organizations FOR EACH ROW WHEN ((new.updated_at IS DISTINCT FROM old.updated_at)) EXECUTE FUNCTION raise_updated_at();
CREATE TRIGGER tell_added AFTER INSERT ON public.organizations REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.organizations REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('id');
CREATE TRIGGER tell_removed AFTER DELETE ON public.organizations REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('id');
CREATE TRIGGER keep_second_factor AFTER INSERT OR DELETE ON public.passkeys FOR EACH ROW EXECUTE FUNCTION keep_second_factor();
CREATE TRIGGER guard_changed BEFORE INSERT OR UPDATE ON public.record_chains FOR EACH STATEMENT EXECUTE FUNCTION guard_records('append_records prune_records', 'changed');
CREATE TRIGGER guard_removed BEFORE DELETE OR TRUNCATE ON public.record_chains FOR EACH STATEMENT EXECUTE FUNCTION guard_records('nobody', 'removed');
CREATE TRIGGER tell_records AFTER UPDATE OF seq ON public.record_chains FOR EACH ROW WHEN ((new.seq > old.seq)) EXECUTE FUNCTION tell_records();
CREATE TRIGGER guard_changed BEFORE UPDATE ON public.record_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION guard_records('nobody', 'changed');
CREATE TRIGGER guard_removed BEFORE DELETE OR TRUNCATE ON public.record_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION guard_records('prune_records', 'removed');
CREATE TRIGGER end_record_streams AFTER DELETE ON public.record_streams REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION end_record_streams();
CREATE TRIGGER forget_usage_changed AFTER UPDATE ON public.records REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forget_changed_usage();
CREATE TRIGGER forget_usage_removed AFTER DELETE ON public.records REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forget_changed_usage();
CREATE TRIGGER guard_added BEFORE INSERT ON public.records FOR EACH STATEMENT EXECUTE FUNCTION guard_records('append_records', 'added');
CREATE TRIGGER guard_changed BEFORE UPDATE ON public.records FOR EACH STATEMENT EXECUTE FUNCTION guard_records('redact_record', 'changed');
CREATE TRIGGER guard_removed BEFORE DELETE OR TRUNCATE ON public.records FOR EACH STATEMENT EXECUTE FUNCTION guard_records('prune_records', 'removed');
CREATE TRIGGER raise_updated_at BEFORE UPDATE OF updated_at ON public.rules FOR EACH ROW WHEN ((new.updated_at IS DISTINCT FROM old.updated_at)) EXECUTE FUNCTION raise_updated_at();
CREATE TRIGGER tell_changed AFTER INSERT OR DELETE OR UPDATE ON public.rules FOR EACH STATEMENT EXECUTE FUNCTION tell_platform_changed();
CREATE TRIGGER tell_removed AFTER DELETE ON public.sessions REFERENCING OLD TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION tell_session_ended();
CREATE TRIGGER end_grant AFTER UPDATE OF ended_at ON public.sign_ins FOR EACH ROW WHEN (((new.ended_at IS NOT NULL) AND (old.ended_at IS NULL))) EXECUTE FUNCTION end_grant_of_sign_in();
CREATE TRIGGER tell_ended AFTER UPDATE ON public.sign_ins FOR EACH ROW EXECUTE FUNCTION tell_sign_in_ended();
CREATE TRIGGER tell_changed AFTER INSERT OR DELETE OR UPDATE OF state ON public.stream_readers FOR EACH ROW EXECUTE FUNCTION tell_stream_reader();
CREATE CONSTRAINT TRIGGER count_change AFTER INSERT OR DELETE OR UPDATE ON public.tool_locks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_change();
CREATE TRIGGER tell_added AFTER INSERT ON public.tool_locks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.tool_locks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_removed AFTER DELETE ON public.tool_locks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE CONSTRAINT TRIGGER count_change AFTER INSERT OR DELETE OR UPDATE ON public.tool_states DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_change();
CREATE TRIGGER tell_added AFTER INSERT ON public.tool_states REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.tool_states REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_removed AFTER DELETE ON public.tool_states REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE CONSTRAINT TRIGGER count_change AFTER INSERT OR DELETE OR UPDATE ON public.toolsets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_change();
CREATE TRIGGER tell_added AFTER INSERT ON public.toolsets REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_changed AFTER UPDATE ON public.toolsets REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_removed AFTER DELETE ON public.toolsets REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_changed('organization_id');
CREATE TRIGGER tell_added AFTER INSERT ON public.users REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_people_changed();
CREATE TRIGGER tell_changed AFTER UPDATE ON public.users REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_people_changed();
CREATE TRIGGER tell_removed AFTER DELETE ON public.users REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_people_changed();

-- Grants

grant delete, insert, select, update on agent_models to toolway_organization;
grant delete, insert, select, update on alerts to toolway_organization;
grant delete, insert, select, update on approval_answers to toolway_organization;
grant delete, insert, select, update on approval_messages to toolway_organization;
grant delete, insert, select, update on approvals to toolway_organization;
grant delete, insert, select, update on catalog_looks to toolway_organization;
grant delete, insert, select, update on catalogs to toolway_organization;
grant delete, insert, select, update on clients_seen to toolway_organization;
grant delete, insert, select, update on connections to toolway_organization;
grant delete, insert, select, update on credentials to toolway_organization;
grant delete, insert, select, update on exposed_names to toolway_organization;
grant delete, insert, select on file_links to toolway_organization;
grant delete, insert, select, update on files to toolway_organization;
grant delete, insert, select, update on group_members to toolway_organization;
grant delete, insert, select, update on groups to toolway_organization;
grant delete, insert, select, update on identity_domains to toolway_organization;
grant delete, insert, select, update on identity_links to toolway_organization;
grant delete, insert, select, update on identity_providers to toolway_organization;
grant delete, insert, select, update on imports to toolway_organization;
grant delete, insert, select, update on kept_results to toolway_organization;
grant delete, insert, select, update on keys to toolway_organization;
grant delete, insert, select, update on lasting_grants to toolway_organization;
grant delete, insert, select, update on leavers to toolway_organization;
grant delete, insert, select, update on members to toolway_organization;
grant delete, insert, select, update on oauth_apps to toolway_organization;
grant delete, insert, select, update on oauth_flows to toolway_organization;
grant select, update (ended_at) on oauth_grants to toolway_organization;
grant delete, insert, select, update on openapi_documents to toolway_organization;
grant delete, insert, select, update on organization_rules to toolway_organization;
grant delete, insert, select, update on organization_versions to toolway_organization;
grant select, update (contact_email), update (description), update (name), update (settings), update (updated_at) on organizations to toolway_organization;
grant select on record_chains to toolway_organization;
grant select on record_checkpoints to toolway_organization;
grant delete, insert, select on record_payloads to toolway_organization;
grant delete, insert, select, update on record_stream_alerts to toolway_organization;
grant delete, insert, select, update on record_stream_cursors to toolway_organization;
grant delete, insert, select, update on record_streams to toolway_organization;
grant select on records to toolway_organization;
grant delete, insert, select, update on scim_emails to toolway_organization;
grant delete, insert, select, update on scim_groups to toolway_organization;
grant delete, insert, select, update on scim_people to toolway_organization;
grant delete, insert, select, update on scim_tokens to toolway_organization;
grant delete, insert, select, update on sessions to toolway_organization;
grant select on spent_aliases to toolway_organization;
grant delete, insert, select, update on stream_reader_events to toolway_organization;
grant delete, insert, select, update on stream_readers to toolway_organization;
grant delete, insert, select, update on tool_locks to toolway_organization;
grant delete, insert, select, update on tool_states to toolway_organization;
grant delete, insert, select, update on toolsets to toolway_organization;
grant select on usage_counted to toolway_organization;
grant select on usage_days to toolway_organization;
grant select on usage_hours to toolway_organization;
grant select on usage_stale to toolway_organization;
grant select on usage_sums to toolway_organization;
grant select on usage_totals to toolway_organization;
grant select (active), select (created_at), select (email), select (id), select (name), select (provider), select (signed_in_at) on users to toolway_organization;
grant delete, insert, select, update on webhook_deliveries to toolway_organization;
grant delete, insert, select, update on webhooks to toolway_organization;
