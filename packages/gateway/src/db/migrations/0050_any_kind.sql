-- The database keeps the kind of a connection and its settings; which kinds there are is said by the gateway alone (`contract/kinds`),
-- so that a new kind needs no migration.
-- locks: connections
alter table connections drop constraint connections_connector_check;
alter table connections add constraint connections_connector_check check (connector <> '');
