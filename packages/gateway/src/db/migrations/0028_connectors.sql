-- A connection can be something that speaks no MCP: a backend that describes its functions by contracts, or an API that is described by
-- an OpenAPI document.
-- locks: connections
alter table connections drop constraint connections_connector_check;
alter table connections add constraint connections_connector_check
  check (connector in ('mcp.http', 'mcp.process', 'contract', 'openapi'));
