-- What is kept of a connection's tools is found by the connection alone: a look at a server, and a start, which reads many
-- organizations at once, name no organization. The keys of these tables begin with it, so without these indexes each look reads the
-- tools of all organizations.
-- locks: exposed_names, tool_locks, tool_states
create index if not exists tool_locks_connection on tool_locks (connection_id);
create index if not exists exposed_names_connection on exposed_names (connection_id);
create index if not exists tool_states_connection on tool_states (connection_id);
