/**
 * Names of actions on record: a noun and what happened to it. The console has words for
 * each. Records have other names, too: methods of extensions of MCP, and operations that were refused, by their ids.
 */
export const AUDIT_ACTIONS = [
  ...(['tools/call', 'resources/read', 'prompts/get', 'tasks/update', 'tasks/cancel'] as const),
  ...(['agent.model', 'backup.create', 'lock.set', 'pool.evict', 'session.end', 'set_up_code.add'] as const),
  ...(['approval.deny', 'approval.expire', 'approval.grant', 'approval.request', 'approval.use'] as const),
  ...(['approval.withdraw', 'lasting_approval.end', 'lasting_approval.use'] as const),
  ...(['client.add', 'client.register', 'client.remove', 'grant.add', 'grant.end', 'grant.refuse'] as const),
  ...(['connection.add', 'connection.change', 'connection.disconnect', 'connection.drop_payloads'] as const),
  ...(['connection.import', 'connection.import-undo', 'connection.keep_payloads', 'connection.remove'] as const),
  ...(['connection.test', 'connection.toggle'] as const),
  ...(['credential.add', 'credential.change', 'credential.connect', 'credential.lose', 'credential.remove'] as const),
  'credential.replace',
  ...(['file.add', 'file.download', 'file.remove', 'file.upload', 'file.download-link', 'file.upload-link'] as const),
  ...(['group.join', 'group.leave', 'group.put', 'group.remove'] as const),
  ...(['identity-domain.put', 'identity-domain.prove', 'identity-domain.remove'] as const),
  ...(['identity-link.add', 'identity-link.remove'] as const),
  ...(['identity-provider.put', 'identity-provider.remove', 'identity-provider.try'] as const),
  ...(['key.add', 'key.import', 'key.regenerate', 'key.remove', 'key.reveal', 'key.take-over', 'key.trust'] as const),
  ...(['leaver.remove', 'member.restore', 'member.suspend'] as const),
  ...(['scim_token.add', 'scim_token.remove', 'scim_token.rotate'] as const),
  ...(['member.add', 'member.change', 'member.remove', 'password.change', 'password.code-look'] as const),
  ...(['oauth_app.put', 'oauth_app.register', 'oauth_app.remove', 'process.restart', 'process.stop'] as const),
  ...(['organization.add', 'organization.change', 'organization.egress', 'organization.remove'] as const),
  ...(['record.export', 'record.payload'] as const),
  ...(['record-stream.add', 'record-stream.change', 'record-stream.remove', 'record-stream.test'] as const),
  ...(['rule.add', 'rule.change', 'rule.remove', 'sign_in', 'sign_in.reuse', 'sign_out'] as const),
  ...([
    'tool.accept',
    'tool.bulk-update',
    'tool.change',
    'tool.disable-all',
    'tool.effect',
    'tool.enable-all',
  ] as const),
  ...(['tool.hold', 'tool.reject', 'tool.revert', 'tool.sync', 'tool.toggle', 'tool.vanish'] as const),
  ...(['toolset.put', 'toolset.remove', 'vault.retire', 'vault.rotate'] as const),
  ...(['user.add', 'user.change', 'user.join_provider', 'user.password_code', 'user.register', 'user.remove'] as const),
  ...(['webhook.add', 'webhook.change', 'webhook.remove', 'webhook.rotate', 'webhook.test'] as const),
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]
