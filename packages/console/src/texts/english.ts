/** Generated of the English catalogues: `npx vitest run packages/console/src/texts -u` writes it again. */
export interface English {
  readonly menu: string
  readonly skip: string
  readonly close: string
  readonly cancel: string
  readonly undo: string
  readonly copied: string
  readonly organization: (v: { readonly name: string }) => string
  readonly waiting: (v: { readonly number: number }) => string
  readonly down: (v: { readonly number: number }) => string
  readonly breadcrumb: string
  readonly access: {
    readonly hint: string
    readonly member: string
    readonly memberHint: string
    readonly all: string
    readonly callers: string
    readonly toolsets: string
    readonly connections: string
    readonly whole: string
    readonly everyone: string
    readonly restricted: string
    readonly kinds: {
      readonly role: (v: { readonly members: number }) => string
      readonly group: (v: { readonly members: number }) => string
      readonly member: string
      readonly key: string
    }
    readonly limits: {
      readonly read: string
      readonly write: string
    }
    readonly noTools: string
    readonly off: string
    readonly tools: (v: { readonly tools: number }) => string
    readonly toolsOf: (v: { readonly tools: number; readonly all: number }) => string
    readonly more: (v: { readonly more: number }) => string
    readonly nothing: string
    readonly clear: string
    readonly explain: string
    readonly explainTool: string
    readonly who: string
    readonly of: (v: { readonly name: string }) => string
  }
  readonly actions: {
    readonly 'agent.model': string
    readonly 'approval.deny': string
    readonly 'approval.expire': string
    readonly 'approval.grant': string
    readonly 'approval.request': string
    readonly 'approval.use': string
    readonly 'approval.withdraw': string
    readonly 'backup.create': string
    readonly 'client.add': string
    readonly 'client.register': string
    readonly 'client.remove': string
    readonly 'connection.add': string
    readonly 'connection.change': string
    readonly 'connection.disconnect': string
    readonly 'connection.drop_payloads': string
    readonly 'connection.import': string
    readonly 'connection.import-undo': string
    readonly 'connection.keep_payloads': string
    readonly 'connection.remove': string
    readonly 'connection.test': string
    readonly 'connection.toggle': string
    readonly 'credential.add': string
    readonly 'credential.change': string
    readonly 'credential.connect': string
    readonly 'credential.lose': string
    readonly 'credential.remove': string
    readonly 'credential.replace': string
    readonly 'file.add': string
    readonly 'file.download': string
    readonly 'file.download-link': string
    readonly 'file.remove': string
    readonly 'file.upload': string
    readonly 'file.upload-link': string
    readonly 'grant.add': string
    readonly 'grant.end': string
    readonly 'grant.refuse': string
    readonly 'group.join': string
    readonly 'group.leave': string
    readonly 'group.put': string
    readonly 'group.remove': string
    readonly 'identity-domain.prove': string
    readonly 'identity-domain.put': string
    readonly 'identity-domain.remove': string
    readonly 'identity-link.add': string
    readonly 'identity-link.remove': string
    readonly 'identity-provider.put': string
    readonly 'identity-provider.remove': string
    readonly 'identity-provider.try': string
    readonly 'key.add': string
    readonly 'key.import': string
    readonly 'key.regenerate': string
    readonly 'key.remove': string
    readonly 'key.reveal': string
    readonly 'key.take-over': string
    readonly 'key.trust': string
    readonly 'lasting_approval.end': string
    readonly 'lasting_approval.use': string
    readonly 'leaver.remove': string
    readonly 'lock.set': string
    readonly 'member.add': string
    readonly 'member.change': string
    readonly 'member.export': string
    readonly 'member.import': string
    readonly 'member.remove': string
    readonly 'member.restore': string
    readonly 'member.suspend': string
    readonly 'oauth_app.put': string
    readonly 'oauth_app.register': string
    readonly 'oauth_app.remove': string
    readonly 'organization.add': string
    readonly 'organization.change': string
    readonly 'organization.egress': string
    readonly 'organization.remove': string
    readonly 'password.change': string
    readonly 'password.code-look': string
    readonly 'pool.evict': string
    readonly 'process.restart': string
    readonly 'process.stop': string
    readonly 'prompts/get': string
    readonly 'record-stream.add': string
    readonly 'record-stream.change': string
    readonly 'record-stream.remove': string
    readonly 'record-stream.test': string
    readonly 'record.export': string
    readonly 'record.payload': string
    readonly 'resources/read': string
    readonly 'rule.add': string
    readonly 'rule.change': string
    readonly 'rule.remove': string
    readonly 'scim_token.add': string
    readonly 'scim_token.remove': string
    readonly 'scim_token.rotate': string
    readonly 'session.end': string
    readonly 'set_up_code.add': string
    readonly sign_in: string
    readonly 'sign_in.reuse': string
    readonly sign_out: string
    readonly 'tasks/cancel': string
    readonly 'tasks/update': string
    readonly 'tool.accept': string
    readonly 'tool.bulk-update': string
    readonly 'tool.change': string
    readonly 'tool.disable-all': string
    readonly 'tool.effect': string
    readonly 'tool.enable-all': string
    readonly 'tool.hold': string
    readonly 'tool.reject': string
    readonly 'tool.revert': string
    readonly 'tool.sync': string
    readonly 'tool.toggle': string
    readonly 'tool.vanish': string
    readonly 'tools/call': string
    readonly 'toolset.put': string
    readonly 'toolset.remove': string
    readonly 'user.add': string
    readonly 'user.change': string
    readonly 'user.join_provider': string
    readonly 'user.password_code': string
    readonly 'user.register': string
    readonly 'user.remove': string
    readonly 'vault.retire': string
    readonly 'vault.rotate': string
    readonly 'webhook.add': string
    readonly 'webhook.change': string
    readonly 'webhook.remove': string
    readonly 'webhook.rotate': string
    readonly 'webhook.test': string
    readonly 'second_factor.add': string
    readonly 'second_factor.change': string
    readonly 'second_factor.codes': string
    readonly 'second_factor.remove': string
    readonly 'second_factor.reset': string
    readonly 'sign_in.prove': string
  }
  readonly agent: {
    readonly hint: string
    readonly unset: string
    readonly unsetHint: string
    readonly unsetAsk: string
    readonly nothing: (v: { readonly model: string }) => string
    readonly transcript: string
    readonly wishNamed: (v: { readonly wish: string }) => string
    readonly wish: string
    readonly example: string
    readonly send: string
    readonly stop: string
    readonly clear: string
    readonly working: string
    readonly waiting: (v: { readonly position: number }) => string
    readonly stopped: string
    readonly cut: string
    readonly goOn: string
    readonly callOf: (v: { readonly tool: string }) => string
    readonly states: {
      readonly busy: string
      readonly good: string
      readonly bad: string
    }
    readonly showResult: string
    readonly hideResult: string
    readonly needsYou: string
    readonly openPage: (v: { readonly host: string }) => string
    readonly model: {
      readonly title: string
      readonly set: string
      readonly change: string
      readonly provider: string
      readonly providers: {
        readonly openai: string
        readonly anthropic: string
      }
      readonly url: string
      readonly urlHint: string
      readonly name: string
      readonly nameHint: string
      readonly key: string
      readonly keyHint: string
      readonly keyStays: string
      readonly showKey: string
      readonly save: string
      readonly saved: string
      readonly remove: string
      readonly removed: string
    }
  }
  readonly alerts: {
    readonly kinds: {
      readonly 'connection.down': string
      readonly 'connection.up': string
      readonly 'credential.expiring': string
      readonly 'credential.lost': string
      readonly 'credential.back': string
      readonly 'tool.held': string
      readonly 'tool.settled': string
      readonly 'effect.unproven': string
      readonly 'rule.unreadable': string
      readonly 'webhook.off': string
      readonly 'approval.requested': string
      readonly 'approval.granted': string
      readonly 'approval.denied': string
      readonly 'approval.expired': string
      readonly 'records.waiting': string
      readonly 'records.stored': string
      readonly 'stream.behind': string
      readonly 'stream.current': string
      readonly 'stream.gap': string
      readonly 'password.emergency': string
      readonly 'factor.reset': string
    }
    readonly verdicts: {
      readonly accepted: string
      readonly rejected: string
    }
    readonly about: (v: { readonly words: string; readonly names: string | null | undefined; readonly more: number; readonly verdict: string | null | undefined }) => string
  }
  readonly approvals: {
    readonly hint: string
    readonly waiting: string
    readonly history: string
    readonly empty: string
    readonly emptyHint: string
    readonly makeRule: string
    readonly keys: {
      readonly j: string
      readonly k: string
      readonly a: string
      readonly d: string
    }
    readonly keysOn: string
    readonly notAll: (v: { readonly shown: number; readonly total: number }) => string
    readonly always: {
      readonly tab: string
      readonly grant: string
      readonly means: string
      readonly never: string
      readonly hint: string
      readonly empty: string
      readonly emptyHint: string
      readonly who: string
      readonly word: string
      readonly good: string
      readonly over: string
      readonly ended: {
        readonly tool: string
        readonly rule: string
        readonly giver: string
      }
      readonly unused: string
      readonly uses: (v: { readonly uses: number }) => string
      readonly end: string
      readonly endOf: (v: { readonly tool: string; readonly caller: string }) => string
      readonly title: (v: { readonly tool: string }) => string
      readonly again: (v: { readonly caller: string }) => string
      readonly done: (v: { readonly tool: string }) => string
    }
    readonly asks: (v: { readonly caller: string; readonly connection: string }) => string
    readonly by: (v: { readonly client: string }) => string
    readonly gone: string
    readonly sent: string
    readonly why: string
    readonly ruleAsks: (v: { readonly who: string }) => string
    readonly quorum: (v: { readonly granted: number; readonly quorum: number }) => string
    readonly until: string
    readonly was: string
    readonly account: string
    readonly used: string
    readonly times: (v: { readonly uses: number }) => string
    readonly answers: string
    readonly verdicts: {
      readonly grant: string
      readonly deny: string
    }
    readonly ways: {
      readonly page: string
      readonly api: string
      readonly 'command line': string
      readonly webhook: string
      readonly client: string
    }
    readonly note: string
    readonly noteHint: string
    readonly grant: string
    readonly deny: string
    readonly takeBack: string
    readonly onlyThis: string
    readonly own: string
    readonly others: (v: { readonly who: string }) => string
    readonly said: {
      readonly granted: (v: { readonly tool: string }) => string
      readonly always: (v: { readonly tool: string }) => string
      readonly more: (v: { readonly missing: number }) => string
      readonly denied: (v: { readonly tool: string }) => string
      readonly takenBack: string
    }
    readonly states: {
      readonly pending: string
      readonly granted: string
      readonly used: string
      readonly denied: string
      readonly expired: string
    }
    readonly state: string
    readonly anyState: string
    readonly tool: string
    readonly effect: string
    readonly caller: string
    readonly asked: string
    readonly question: string
    readonly noHistory: string
    readonly noHistoryHint: string
    readonly file: (v: { readonly name: string; readonly type: string; readonly size: number }) => string
    readonly arguments: {
      readonly none: string
      readonly empty: string
      readonly written: string
      readonly more: (v: { readonly characters: number }) => string
      readonly less: string
      readonly how: {
        readonly changed: string
        readonly added: string
        readonly removed: string
      }
    }
  }
  readonly call: {
    readonly start: string
    readonly required: string
    readonly stop: string
    readonly states: {
      readonly running: string
      readonly done: string
      readonly failed: string
      readonly cancelled: string
    }
    readonly waits: string
    readonly eras: {
      readonly modern: string
      readonly legacy: string
    }
    readonly run: (v: { readonly tool: string }) => string
    readonly unknown: (v: { readonly tool: string }) => string
    readonly ways: string
    readonly asForm: string
    readonly asJson: string
    readonly json: string
    readonly noArguments: string
    readonly noJson: (v: { readonly problem: string }) => string
    readonly noObject: string
    readonly undrawable: string
    readonly progress: string
    readonly earlier: (v: { readonly count: number }) => string
    readonly steps: {
      readonly progress: string
      readonly log: string
      readonly asked: string
      readonly answered: string
      readonly task: string
    }
    readonly asks: string
    readonly asksPage: string
    readonly answer: string
    readonly decline: string
    readonly dismiss: string
    readonly openPage: (v: { readonly host: string }) => string
    readonly unanswerable: (v: { readonly method: string }) => string
    readonly newPage: string
    readonly result: string
    readonly structured: string
    readonly raw: string
    readonly nothing: string
    readonly part: (v: { readonly at: number }) => string
    readonly image: string
    readonly audio: (v: { readonly type: string; readonly bytes: number }) => string
    readonly bytes: (v: { readonly count: number }) => string
    readonly showAll: (v: { readonly characters: number }) => string
    readonly read: (v: { readonly title: string }) => string
    readonly range: (v: { readonly begin: number; readonly end: number; readonly total: number }) => string
    readonly readOn: string
    readonly waitsFor: string
    readonly acted: (v: { readonly owner: string; readonly account: string }) => string
    readonly changed: (v: { readonly how: string; readonly place: string; readonly to: string; readonly from: string | null | undefined }) => string
    readonly cut: (v: { readonly before: number; readonly after: number }) => string
    readonly rows: (v: { readonly shown: number; readonly of: number }) => string
  }
  readonly callTimings: {
    readonly title: string
    readonly step: string
    readonly took: string
    readonly steps: {
      readonly identify: string
      readonly policy: string
      readonly approval: string
      readonly record: string
      readonly credential: string
      readonly queue: string
      readonly upstream: string
      readonly result: string
    }
    readonly note: string
    readonly retry: string
    readonly trace: string
  }
  readonly clients: {
    readonly hint: string
    readonly which: string
    readonly keyHere: string
    readonly groups: {
      readonly terminal: string
      readonly chat: string
      readonly editor: string
      readonly automation: string
    }
    readonly names: {
      readonly 'claude-code': string
      readonly codex: string
      readonly 'gemini-cli': string
      readonly opencode: string
      readonly 'claude-desktop': string
      readonly 'claude-web': string
      readonly chatgpt: string
      readonly cursor: string
      readonly vscode: string
      readonly windsurf: string
      readonly n8n: string
      readonly 'open-webui': string
      readonly generic: string
    }
    readonly unnamed: string
    readonly farAway: {
      readonly title: (v: { readonly client: string }) => string
      readonly hint: string
    }
    readonly place: {
      readonly title: string
      readonly label: string
      readonly all: string
      readonly toolsets: string
      readonly toolset: (v: { readonly title: string; readonly tools: number }) => string
      readonly connections: string
      readonly nothing: string
      readonly hints: {
        readonly all: string
        readonly toolset: string
        readonly connection: string
      }
    }
    readonly way: {
      readonly title: string
      readonly ways: {
        readonly oauth: string
        readonly key: string
      }
      readonly recommended: (v: { readonly way: string }) => string
      readonly hints: {
        readonly oauth: string
        readonly key: string
      }
      readonly make: string
      readonly made: (v: { readonly name: string }) => string
      readonly copyKey: string
      readonly filledIn: string
    }
    readonly steps: {
      readonly title: (v: { readonly client: string }) => string
      readonly keyFirst: (v: { readonly placeholder: string }) => string
      readonly named: (v: { readonly name: string }) => string
      readonly source: (v: { readonly client: string }) => string
      readonly sourceUnnamed: string
      readonly openIn: (v: { readonly client: string }) => string
      readonly kinds: {
        readonly json: string
        readonly toml: string
        readonly shell: string
        readonly fields: string
        readonly link: string
      }
      readonly copy: (v: { readonly step: number; readonly kind: string }) => string
      readonly block: (v: { readonly step: number; readonly label: string }) => string
      readonly say: {
        readonly run: string
        readonly runFirst: string
        readonly slashMcp: string
        readonly codexLogin: string
        readonly codexFile: string
        readonly openFile: string
        readonly desktopFile: string
        readonly desktopFileHere: string
        readonly restart: string
        readonly claudeAdd: string
        readonly claudeFields: string
        readonly connectThere: string
        readonly chatgptMode: string
        readonly chatgptFields: string
        readonly press: string
        readonly orFile: string
        readonly signInPage: string
        readonly cursorSignIn: string
        readonly opencodeFile: string
        readonly windsurfFile: string
        readonly refresh: string
        readonly n8nNode: string
        readonly n8nFields: string
        readonly n8nKey: string
        readonly webuiAdd: string
        readonly webuiFields: string
        readonly genericAddress: string
        readonly genericHeader: string
        readonly genericProgram: string
        readonly askIt: string
      }
    }
    readonly check: {
      readonly title: string
      readonly steps: {
        readonly initialize_at: string
        readonly list_at: string
        readonly call_at: string
      }
      readonly hints: {
        readonly initialize_at: string
        readonly list_at: string
        readonly call_at: string
      }
      readonly seen: string
      readonly waiting: string
      readonly nothingYet: (v: { readonly client: string }) => string
      readonly nameless: string
      readonly speaks: (v: { readonly client: string; readonly revision: string }) => string
      readonly unexpected: (v: { readonly client: string }) => string
      readonly done: string
      readonly records: string
      readonly all: string
    }
    readonly doctor: {
      readonly title: string
      readonly causes: {
        readonly far: {
          readonly what: string
          readonly mend: (v: { readonly url: string }) => string
        }
        readonly other: {
          readonly what: string
          readonly mend: (v: { readonly url: string }) => string
        }
        readonly restart: {
          readonly what: string
          readonly mend: string
        }
        readonly address: {
          readonly what: string
          readonly mend: (v: { readonly url: string }) => string
        }
        readonly key: {
          readonly what: string
          readonly mend: string
        }
        readonly container: {
          readonly what: string
          readonly mend: string
        }
        readonly proxy: {
          readonly what: string
          readonly mend: string
        }
        readonly host: {
          readonly what: string
          readonly mend: string
        }
        readonly tools: {
          readonly what: string
          readonly mend: string
        }
        readonly prompt: {
          readonly what: string
          readonly mend: string
        }
      }
      readonly refused: {
        readonly title: string
        readonly again: string
        readonly none: string
        readonly codes: {
          readonly 'key.missing': string
          readonly 'key.unknown': string
          readonly 'token.unknown': string
          readonly 'token.expired': string
          readonly 'place.unknown': string
          readonly 'request.host': string
          readonly 'request.origin': string
        }
        readonly other: (v: { readonly code: string }) => string
        readonly from: (v: { readonly address: string; readonly agent: string }) => string
        readonly unknown: string
      }
    }
  }
  readonly connect: {
    readonly title: string
    readonly titleOf: (v: { readonly title: string }) => string
    readonly hint: string
    readonly notAllowed: string
    readonly notAllowedHint: string
    readonly next: string
    readonly back: string
    readonly steps: {
      readonly label: string
      readonly what: string
      readonly auth: string
      readonly name: string
    }
    readonly toolCount: (v: { readonly count: number }) => string
    readonly catalog: {
      readonly title: string
      readonly search: string
      readonly nothing: string
      readonly all: (v: { readonly count: number }) => string
      readonly categories: string
      readonly category: {
        readonly all: string
        readonly code: string
        readonly work: string
        readonly messages: string
        readonly documents: string
        readonly usage: string
        readonly data: string
        readonly media: string
        readonly other: string
      }
    }
    readonly what: {
      readonly title: string
      readonly label: string
      readonly hint: string
      readonly placeholder: string
      readonly file: string
      readonly folder: string
      readonly inCatalog: string
      readonly runsHere: string
      readonly kind: string
      readonly kinds: {
        readonly remote: string
        readonly openapi: string
        readonly contract: string
        readonly program: string
        readonly native: string
        readonly service: string
      }
      readonly seen: {
        readonly address: string
        readonly command: (v: { readonly name: string | null | undefined }) => string
        readonly configuration: (v: { readonly name: string | null | undefined }) => string
        readonly document: string
        readonly 'document-address': string
        readonly archive: string
        readonly package: string
        readonly link: (v: { readonly name: string | null | undefined }) => string
        readonly entry: (v: { readonly name: string }) => string
      }
      readonly refused: {
        readonly scheme: string
        readonly user: string
        readonly repository: string
        readonly unreadable: string
        readonly unknown: string
        readonly none: string
        readonly many: string
        readonly large: string
        readonly unusable: string
      }
    }
    readonly values: {
      readonly remove: (v: { readonly name: string }) => string
      readonly add: string
      readonly taken: string
    }
    readonly auth: {
      readonly label: string
      readonly address: string
      readonly recommended: string
      readonly ways: {
        readonly oauth: string
        readonly api_key: string
        readonly none: string
      }
      readonly about: {
        readonly oauth: string
        readonly api_key: string
        readonly none: string
      }
      readonly key: string
      readonly keyPage: (v: { readonly title: string }) => string
      readonly whose: string
      readonly owners: {
        readonly organization: string
        readonly member: string
      }
      readonly ownersHint: {
        readonly organization: string
        readonly member: string
      }
      readonly addHeader: string
      readonly headerName: string
      readonly problems: {
        readonly empty: string
        readonly scheme: string
        readonly user: string
        readonly unreadable: string
      }
    }
    readonly native: {
      readonly which: string
      readonly own: string
      readonly official: (v: { readonly title: string }) => string
      readonly ownHint: string
      readonly officialHint: (v: { readonly title: string }) => string
      readonly tools: string
      readonly reference: (v: { readonly title: string }) => string
      readonly removed: (v: { readonly why: string }) => string
      readonly reach: string
      readonly reaches: {
        readonly read: string
        readonly write: string
        readonly execute: string
      }
      readonly reachHint: string
      readonly scopes: string
      readonly serverApp: (v: { readonly title: string }) => string
      readonly serverAppHint: string
      readonly noApp: (v: { readonly title: string }) => string
      readonly noAppHint: string
      readonly setApp: string
      readonly address: string
      readonly otherAddress: string
      readonly nameIt: string
    }
    readonly probe: {
      readonly asking: string
      readonly document: string
      readonly takeDocument: string
      readonly ways: {
        readonly oauth: string
        readonly api_key: string
        readonly none: string
      }
      readonly unknown: (v: { readonly problem: string }) => string
    }
    readonly program: {
      readonly hint: string
      readonly needs: string
      readonly notAllowed: string
      readonly notAllowedHint: string
      readonly line: string
      readonly lineHint: string
      readonly addVariable: string
      readonly variableName: string
    }
    readonly openapi: {
      readonly address: string
      readonly found: (v: { readonly title: string; readonly version: string }) => string
      readonly leftOut: (v: { readonly count: number }) => string
      readonly calls: (v: { readonly url: string }) => string
      readonly base: string
      readonly baseHint: string
      readonly asks: (v: { readonly words: string }) => string
      readonly tags: string
      readonly tag: (v: { readonly tag: string; readonly count: number }) => string
    }
    readonly name: {
      readonly label: string
      readonly hint: string
      readonly finish: string
      readonly finishOAuth: string
      readonly pasted: string
      readonly kinds: {
        readonly remote: string
        readonly openapi: string
        readonly contract: string
        readonly program: string
        readonly native: string
        readonly service: string
      }
      readonly facts: {
        readonly kind: string
        readonly address: string
        readonly command: string
        readonly network: string
        readonly hosts: string
        readonly paths: string
        readonly auth: string
        readonly owner: string
        readonly headers: string
        readonly environment: string
        readonly tags: string
      }
    }
    readonly start: {
      readonly adding: string
      readonly starting: string
      readonly startingHint: string
      readonly asking: string
      readonly askingHint: string
      readonly ending: string
      readonly elapsed: string
      readonly seconds: (v: { readonly seconds: number }) => string
      readonly log: string
      readonly logEnd: string
      readonly mends: {
        readonly log: string
        readonly notFetched: string
        readonly certificate: string
        readonly registry: string
      }
    }
    readonly tools: {
      readonly connected: (v: { readonly title: string }) => string
      readonly added: (v: { readonly title: string }) => string
      readonly list: string
      readonly none: string
      readonly columns: {
        readonly name: string
        readonly effect: string
        readonly description: string
      }
      readonly open: string
      readonly client: string
      readonly another: string
      readonly away: (v: { readonly host: string }) => string
      readonly awayHint: string
      readonly openAgain: string
      readonly needsSignIn: (v: { readonly title: string }) => string
      readonly needsSignInHint: string
      readonly signIn: string
      readonly signInAgain: string
      readonly correct: string
      readonly changeAuth: string
      readonly waiting: (v: { readonly title: string }) => string
      readonly asked: string
    }
    readonly first: {
      readonly title: string
      readonly hint: string
      readonly choose: string
      readonly done: string
      readonly doneHint: string
    }
    readonly several: {
      readonly found: (v: { readonly count: number }) => string
      readonly connect: (v: { readonly count: number }) => string
      readonly list: string
      readonly waiting: string
      readonly connecting: string
      readonly connected: (v: { readonly tools: number }) => string
      readonly needsSignIn: string
      readonly signIn: string
      readonly there: string
      readonly key: string
      readonly open: string
      readonly failed: string
    }
  }
  readonly connection: {
    readonly loading: string
    readonly missing: {
      readonly title: string
      readonly empty: string
      readonly hint: string
      readonly all: string
    }
    readonly notYours: string
    readonly fromFile: string
    readonly ofFile: string
    readonly alias: string
    readonly states: {
      readonly disabled: string
      readonly needs_app: string
      readonly needs_account: string
      readonly refused: string
      readonly error: string
      readonly new: string
      readonly connected: string
      readonly stale: string
    }
    readonly tabs: {
      readonly overview: string
      readonly accounts: string
      readonly tools: string
      readonly changes: string
      readonly process: string
      readonly document: string
      readonly settings: string
    }
    readonly test: string
    readonly testOff: string
    readonly testOf: (v: { readonly alias: string }) => string
    readonly switchOn: string
    readonly switchOff: string
    readonly switchedOn: (v: { readonly title: string }) => string
    readonly switchedOff: (v: { readonly title: string }) => string
    readonly restarted: (v: { readonly alias: string }) => string
    readonly more: (v: { readonly title: string }) => string
    readonly edit: string
    readonly remove: string
    readonly passed: {
      readonly title: string
      readonly offers: (v: { readonly tools: number; readonly resources: number; readonly prompts: number }) => string
      readonly speaks: (v: { readonly revision: string }) => string
    }
    readonly needsTitle: string
    readonly needsAppTitle: string
    readonly refusedTitle: string
    readonly errorTitle: string
    readonly staleTitle: string
    readonly lacksTitle: string
    readonly offTitle: string
    readonly offHint: string
    readonly noReason: string
    readonly fixes: {
      readonly enable: string
      readonly account: string
      readonly settings: string
      readonly restart: string
      readonly process: string
      readonly document: string
    }
    readonly auths: {
      readonly auto: string
      readonly none: string
      readonly oauth: string
      readonly key: string
    }
    readonly overview: {
      readonly offers: string
      readonly tools: string
      readonly resources: string
      readonly prompts: string
      readonly asked: string
      readonly never: string
      readonly stale: string
      readonly server: string
      readonly speaks: string
      readonly unknown: string
      readonly leftOut: string
      readonly leftOutCount: (v: { readonly count: number }) => string
      readonly leftOutHint: string
      readonly repaired: string
      readonly repairedHint: string
      readonly repairedAnswers: string
      readonly repairedAnswersHint: string
      readonly tryIt: string
      readonly reached: string
      readonly address: string
      readonly private: string
      readonly privateYes: string
      readonly command: string
      readonly network: string
      readonly allowHosts: string
      readonly allowPaths: string
      readonly auth: string
      readonly headers: string
      readonly environment: string
      readonly timeout: string
      readonly seconds: (v: { readonly seconds: number }) => string
      readonly pinned: string
      readonly auto: string
      readonly made: string
      readonly changed: string
      readonly endpoint: string
      readonly endpointHint: string
      readonly endpointLabel: string
      readonly copyEndpoint: string
      readonly alerts: string
      readonly noAlerts: string
    }
    readonly reliance: {
      readonly title: string
      readonly hint: string
      readonly nobody: string
      readonly calls: (v: { readonly calls: number }) => string
      readonly you: string
      readonly key: (v: { readonly name: string }) => string
      readonly unknown: string
    }
    readonly accounts: {
      readonly label: string
      readonly none: string
      readonly noneHint: (v: { readonly kind: string }) => string
      readonly account: string
      readonly whose: string
      readonly everybody: string
      readonly state: string
      readonly expires: string
      readonly used: string
      readonly neverUsed: string
      readonly actions: string
      readonly kinds: {
        readonly oauth: string
        readonly key: string
        readonly broker: string
      }
      readonly default: string
      readonly states: {
        readonly good: string
        readonly expiring: string
        readonly failing: string
        readonly lost: string
      }
      readonly renewed: string
      readonly neverExpires: string
      readonly renewsItself: string
      readonly addKey: string
      readonly connectOwn: string
      readonly connectShared: string
      readonly connected: (v: { readonly title: string }) => string
      readonly waiting: string
      readonly waitingHint: string
      readonly stopWaiting: string
      readonly menu: (v: { readonly name: string }) => string
      readonly again: string
      readonly newKey: string
      readonly rename: string
      readonly prefer: string
      readonly preferred: (v: { readonly name: string }) => string
      readonly end: string
      readonly keyTitle: (v: { readonly title: string }) => string
      readonly key: string
      readonly keyHint: string
      readonly showKey: string
      readonly owners: {
        readonly member: string
        readonly organization: string
      }
      readonly name: string
      readonly nameHint: string
      readonly keepKey: string
      readonly keyKept: string
      readonly replaceTitle: (v: { readonly name: string }) => string
      readonly replaceText: string
      readonly replace: string
      readonly renameTitle: string
      readonly renamed: (v: { readonly name: string }) => string
      readonly endTitle: (v: { readonly name: string }) => string
      readonly endShared: string
      readonly endOwn: string
      readonly ended: string
      readonly endedHere: (v: { readonly problems: string }) => string
    }
    readonly tools: {
      readonly label: string
      readonly search: string
      readonly all: string
      readonly isOn: string
      readonly isOff: string
      readonly tool: string
      readonly effect: string
      readonly state: string
      readonly on: string
      readonly none: string
      readonly noneHint: string
      readonly noneFound: string
      readonly showAll: string
      readonly choose: string
      readonly chosen: (v: { readonly count: number }) => string
      readonly chooseOne: (v: { readonly name: string }) => string
      readonly chosenOn: string
      readonly chosenOff: string
      readonly laterOn: string
      readonly laterOff: string
      readonly allOn: string
      readonly allOff: string
      readonly switchOne: (v: { readonly name: string }) => string
      readonly switchedOn: (v: { readonly count: number }) => string
      readonly switchedOff: (v: { readonly count: number }) => string
      readonly allSwitchedOn: string
      readonly allSwitchedOff: string
      readonly noDescription: string
      readonly offered: string
      readonly hidden: {
        readonly switch: string
        readonly hold: string
        readonly rule: string
      }
      readonly lookAtIt: string
      readonly rule: (v: { readonly action: string; readonly reason: string }) => string
      readonly approvals: {
        readonly ask: string
        readonly always: string
      }
    }
    readonly changes: {
      readonly title: string
      readonly lock: string
      readonly lockHint: string
      readonly mode: string
      readonly modes: {
        readonly off: {
          readonly title: string
          readonly hint: string
        }
        readonly additions: {
          readonly title: string
          readonly hint: string
        }
        readonly descriptions: {
          readonly title: string
          readonly hint: string
        }
        readonly all: {
          readonly title: string
          readonly hint: string
        }
      }
      readonly lockSet: (v: { readonly mode: string }) => string
      readonly trusted: string
      readonly trustedHint: string
      readonly show: string
      readonly states: {
        readonly held: string
        readonly rejected: string
        readonly gone: string
        readonly accepted: string
      }
      readonly none: {
        readonly held: string
        readonly rejected: string
        readonly gone: string
        readonly accepted: string
      }
      readonly offHint: string
      readonly noneHint: string
      readonly tool: string
      readonly what: string
      readonly kinds: (v: { readonly state: string; readonly known: boolean }) => string
      readonly since: string
      readonly look: string
      readonly lookAt: (v: { readonly name: string }) => string
      readonly lookTitle: (v: { readonly name: string }) => string
      readonly definition: string
      readonly isNew: string
      readonly comesDownTo: string
      readonly before: string
      readonly now: string
      readonly lineByLine: string
      readonly line: {
        readonly removed: string
        readonly added: string
      }
      readonly folded: (v: { readonly count: number }) => string
      readonly accept: string
      readonly reject: string
      readonly verdictHint: string
      readonly acceptedOne: (v: { readonly name: string }) => string
      readonly rejectedOne: (v: { readonly name: string }) => string
      readonly acceptAll: string
      readonly acceptAllTitle: string
      readonly acceptAllHint: string
      readonly accepting: (v: { readonly done: number; readonly of: number }) => string
      readonly acceptedAll: (v: { readonly count: number }) => string
      readonly words: {
        readonly description: string
        readonly title: string
        readonly field: (v: { readonly name: string }) => string
        readonly answer: string
        readonly inputs: string
        readonly inputNew: (v: { readonly name: string }) => string
        readonly inputNeeded: (v: { readonly name: string }) => string
        readonly inputGone: (v: { readonly name: string }) => string
        readonly inputChanged: (v: { readonly name: string }) => string
        readonly nowRequired: (v: { readonly name: string }) => string
        readonly nowOptional: (v: { readonly name: string }) => string
        readonly annotation: (v: { readonly name: string }) => string
        readonly nothing: string
      }
    }
    readonly process: {
      readonly title: string
      readonly titleOf: (v: { readonly number: number }) => string
      readonly none: string
      readonly noneHint: string
      readonly offHint: string
      readonly state: string
      readonly states: {
        readonly starting: string
        readonly running: string
        readonly stopped: string
        readonly error: string
        readonly restarting: string
      }
      readonly serves: string
      readonly oneCaller: string
      readonly everybody: string
      readonly pid: string
      readonly started: string
      readonly checked: string
      readonly notChecked: string
      readonly failures: string
      readonly memory: string
      readonly megabytes: (v: { readonly megabytes: number }) => string
      readonly givenUp: string
      readonly givenUpHint: string
      readonly lastEnd: string
      readonly restart: string
      readonly stop: string
      readonly stopped: string
      readonly nothingToStop: string
      readonly stopHint: string
    }
    readonly log: {
      readonly title: string
      readonly live: string
      readonly waiting: string
      readonly show: string
      readonly sources: {
        readonly all: string
        readonly process: string
        readonly gateway: string
      }
      readonly from: {
        readonly process: string
        readonly gateway: string
      }
      readonly copy: string
      readonly none: string
      readonly toEnd: string
      readonly hint: string
    }
    readonly contract: {
      readonly title: string
      readonly leftOutOff: string
      readonly leftOut: string
      readonly leftOutHint: string
      readonly nothingLeftOut: string
      readonly name: string
      readonly reason: string
    }
    readonly openapi: {
      readonly title: string
      readonly wasGiven: string
      readonly look: string
      readonly versions: (v: { readonly before: string | null | undefined; readonly after: string }) => string
      readonly same: string
      readonly take: string
      readonly leave: string
      readonly kept: (v: { readonly version: string }) => string
      readonly noDrift: string
      readonly added: (v: { readonly count: number }) => string
      readonly removed: (v: { readonly count: number }) => string
      readonly changed: (v: { readonly count: number }) => string
      readonly what: {
        readonly arguments: string
        readonly answer: string
        readonly texts: string
        readonly effect: string
        readonly address: string
      }
      readonly narrower: string
      readonly becomes: string
      readonly wouldBeHeld: string
    }
    readonly selection: {
      readonly title: string
      readonly hint: string
      readonly include: string
      readonly includeHint: string
      readonly exclude: string
      readonly excludeHint: string
      readonly effects: string
      readonly effectsHint: string
      readonly pattern: (v: { readonly at: number }) => string
      readonly effectOf: (v: { readonly at: number }) => string
      readonly takeAway: (v: { readonly at: number }) => string
      readonly addEffect: string
      readonly save: string
    }
    readonly saving: {
      readonly saved: string
      readonly staleTitle: string
      readonly staleHint: string
      readonly theirs: string
      readonly mine: string
    }
    readonly pairs: {
      readonly kept: string
      readonly goes: string
      readonly name: string
      readonly value: string
      readonly add: (v: { readonly label: string }) => string
      readonly show: (v: { readonly name: string | null | undefined }) => string
      readonly keep: (v: { readonly name: string }) => string
      readonly replace: (v: { readonly name: string }) => string
      readonly remove: (v: { readonly name: string }) => string
      readonly drop: (v: { readonly name: string | null | undefined }) => string
    }
    readonly authFields: {
      readonly kind: string
      readonly kinds: {
        readonly auto: string
        readonly none: string
        readonly oauth: string
        readonly key: string
      }
      readonly owners: string
      readonly ownersHint: string
      readonly owner: {
        readonly member: string
        readonly organization: string
      }
      readonly many: string
      readonly manyHint: string
      readonly brought: string
      readonly broughtHint: string
      readonly scopes: string
      readonly scopesOfServer: string
      readonly scopesOwn: string
      readonly scopesNone: string
      readonly header: string
      readonly prefix: string
      readonly programKind: string
      readonly programKinds: {
        readonly none: string
        readonly key: string
        readonly oauth: string
      }
      readonly variable: string
      readonly variableHint: string
      readonly tenant: string
      readonly tenantHint: string
      readonly provider: string
      readonly providerHint: string
    }
    readonly access: {
      readonly title: string
      readonly hint: string
      readonly network: string
      readonly networks: {
        readonly public: string
        readonly listed: string
        readonly none: string
        readonly host: string
      }
      readonly networkHints: {
        readonly public: string
        readonly listed: string
        readonly none: string
        readonly host: string
      }
      readonly hosts: string
      readonly hostsHint: string
      readonly hostsNone: string
      readonly paths: string
      readonly pathsHint: string
      readonly pathsRelative: (v: { readonly line: string }) => string
      readonly named: (v: { readonly path: string }) => string
      readonly namedHint: string
      readonly allow: (v: { readonly path: string }) => string
      readonly allowRead: (v: { readonly path: string }) => string
    }
    readonly settings: {
      readonly form: string
      readonly readOnly: string
      readonly general: string
      readonly title: string
      readonly description: string
      readonly where: string
      readonly url: string
      readonly private: string
      readonly privateHint: string
      readonly privateWhy: string
      readonly headers: string
      readonly headersHint: string
      readonly program: string
      readonly programHint: string
      readonly command: string
      readonly args: string
      readonly argsHint: string
      readonly environment: string
      readonly environmentHint: string
      readonly auth: string
      readonly authHint: string
      readonly calls: string
      readonly timeout: string
      readonly timeoutHint: string
      readonly revision: string
      readonly revisionHint: string
      readonly auto: string
      readonly checks: string
      readonly checksHint: string
      readonly checksAlways: string
      readonly ends: {
        readonly accounts: {
          readonly title: string
          readonly hint: string
        }
        readonly process: {
          readonly title: string
          readonly hint: string
        }
      }
      readonly records: string
      readonly payloads: string
      readonly payloadsHint: (v: { readonly days: number }) => string
      readonly payloadsOn: string
      readonly payloadsOff: string
      readonly save: string
      readonly discard: string
    }
    readonly deletion: {
      readonly title: (v: { readonly title: string }) => string
      readonly verb: string
      readonly gone: (v: { readonly tools: number }) => string
      readonly callers: (v: { readonly callers: number; readonly days: number; readonly calls: number }) => string
      readonly accounts: (v: { readonly count: number }) => string
      readonly toolsets: (v: { readonly names: string | null | undefined }) => string
      readonly rules: (v: { readonly names: string | null | undefined }) => string
      readonly hint: string
      readonly done: (v: { readonly title: string }) => string
    }
    readonly history: {
      readonly title: string
      readonly more: string
      readonly none: string
      readonly latency: string
      readonly median: (v: { readonly time: string }) => string
      readonly renewed: string
      readonly ended: (v: { readonly failed: number; readonly refused: number }) => string
    }
  }
  readonly connections: {
    readonly hint: string
    readonly empty: string
    readonly emptyHint: string
    readonly nothing: string
    readonly nothingHint: string
    readonly search: string
    readonly anyState: string
    readonly view: string
    readonly views: {
      readonly cards: string
      readonly table: string
    }
    readonly columns: {
      readonly name: string
      readonly state: string
      readonly auth: string
      readonly place: string
      readonly actions: string
    }
    readonly auths: {
      readonly oauth: string
      readonly api_key: string
      readonly none: string
    }
    readonly states: {
      readonly connected: string
      readonly needs_app: string
      readonly needs_account: string
      readonly refused: string
      readonly error: string
      readonly new: string
      readonly disabled: string
    }
    readonly connectedWith: (v: { readonly tools: number }) => string
    readonly test: string
    readonly testOf: (v: { readonly title: string }) => string
    readonly tested: (v: { readonly title: string; readonly tools: number }) => string
    readonly signIn: string
    readonly signInTo: (v: { readonly title: string }) => string
    readonly more: (v: { readonly title: string }) => string
    readonly enable: string
    readonly disable: string
    readonly enabled: (v: { readonly title: string }) => string
    readonly disabled: (v: { readonly title: string }) => string
    readonly delete: string
    readonly deleted: (v: { readonly title: string }) => string
    readonly deleteTitle: (v: { readonly title: string }) => string
    readonly deleteHint: (v: { readonly alias: string; readonly tools: number }) => string
    readonly whyNot: string
    readonly whyNoTest: string
    readonly whyNoSignIn: string
    readonly whyDeclared: string
    readonly outcome: {
      readonly connected: (v: { readonly title: string }) => string
      readonly ready: string
      readonly back: (v: { readonly provider: string }) => string
      readonly backHint: string
      readonly open: (v: { readonly title: string }) => string
      readonly closeWindow: string
      readonly failed: string
      readonly said: (v: { readonly error: string }) => string
      readonly because: (v: { readonly reason: string }) => string
      readonly details: (v: { readonly details: string }) => string
      readonly again: string
      readonly whys: {
        readonly late: string
        readonly spent: string
        readonly foreign: string
        readonly unknown: string
        readonly nothing: string
        readonly address: string
        readonly kind: string
        readonly member: string
        readonly gone: string
        readonly client: string
        readonly unreachable: string
        readonly malformed: string
      }
    }
  }
  readonly effectFrom: {
    readonly administrator: string
    readonly connector: string
    readonly server: string
    readonly unknown: string
  }
  readonly effectUnknown: {
    readonly label: string
  }
  readonly effects: {
    readonly read: string
    readonly write: string
    readonly destructive: string
  }
  readonly failed: {
    readonly title: string
    readonly titleAt: (v: { readonly phase: string }) => string
    readonly mend: string
    readonly retry: string
    readonly report: string
    readonly noAnswer: string
    readonly askAgain: string
    readonly status: (v: { readonly status: string }) => string
  }
  readonly figures: {
    readonly uncounted: (v: { readonly number: number }) => string
  }
  readonly files: {
    readonly hint: string
    readonly forbidden: {
      readonly title: string
      readonly hint: string
    }
    readonly upload: string
    readonly uploaded: (v: { readonly name: string }) => string
    readonly uploading: (v: { readonly name: string; readonly done: string; readonly all: string }) => string
    readonly progress: (v: { readonly name: string }) => string
    readonly cancel: string
    readonly unfinished: string
    readonly search: string
    readonly whose: string
    readonly own: string
    readonly everybody: string
    readonly you: string
    readonly usage: (v: { readonly used: string; readonly quota: string }) => string
    readonly origins: {
      readonly upload: string
      readonly result: string
      readonly download: string
    }
    readonly none: {
      readonly title: string
      readonly hint: string
    }
    readonly notFound: {
      readonly title: string
      readonly hint: string
    }
    readonly columns: {
      readonly name: string
      readonly size: string
      readonly origin: string
      readonly owner: string
      readonly expires: string
      readonly actions: string
    }
    readonly download: (v: { readonly name: string }) => string
    readonly remove: {
      readonly label: (v: { readonly name: string }) => string
      readonly verb: string
      readonly warning: string
      readonly done: (v: { readonly name: string }) => string
    }
  }
  readonly groups: {
    readonly tools: string
    readonly guard: string
    readonly watch: string
    readonly administer: string
  }
  readonly home: {
    readonly connect: string
    readonly mayNotConnect: string
    readonly steps: {
      readonly title: string
      readonly done: (v: { readonly done: number; readonly all: number }) => string
      readonly hide: string
      readonly hidden: string
      readonly isDone: string
      readonly isOpen: string
      readonly accountsNeeded: (v: { readonly names: string; readonly more: number }) => string
      readonly list: {
        readonly connect: {
          readonly title: string
          readonly hint: string
        }
        readonly call: {
          readonly title: string
          readonly hint: string
        }
        readonly accounts: {
          readonly title: string
          readonly hint: string
        }
        readonly client: {
          readonly title: string
          readonly hint: string
        }
        readonly approvals: {
          readonly title: string
          readonly hint: string
        }
        readonly rule: {
          readonly title: string
          readonly hint: string
        }
        readonly invite: {
          readonly title: string
          readonly hint: string
        }
      }
    }
    readonly figures: {
      readonly calls: string
      readonly success: string
      readonly p95: string
      readonly approvals: string
      readonly day: string
      readonly now: string
      readonly change: (v: { readonly percent: number }) => string
      readonly ended: (v: { readonly failed: number; readonly refused: number }) => string
    }
    readonly calls: {
      readonly title: string
      readonly more: string
      readonly now: string
      readonly seen: (v: { readonly calls: number; readonly failed: number; readonly refused: number }) => string
      readonly bar: (v: { readonly hour: string; readonly calls: number; readonly bad: number }) => string
      readonly times: (v: { readonly median: string; readonly p95: string }) => string
      readonly none: string
      readonly noneOfOthers: string
      readonly first: string
    }
    readonly connections: {
      readonly title: string
      readonly more: string
      readonly summary: (v: { readonly bad: number; readonly all: number; readonly good: number }) => string
      readonly tools: (v: { readonly tools: number }) => string
      readonly none: string
      readonly noneYet: string
      readonly first: string
    }
    readonly health: {
      readonly off: string
      readonly stale: string
      readonly of: {
        readonly connected: string
        readonly needs_app: string
        readonly needs_account: string
        readonly refused: string
        readonly new: string
        readonly error: string
      }
    }
    readonly approvals: {
      readonly title: (v: { readonly waiting: number }) => string
      readonly answer: string
      readonly one: (v: { readonly caller: string; readonly tool: string; readonly connection: string | null | undefined }) => string
    }
    readonly alerts: {
      readonly title: string
      readonly hint: string
      readonly none: string
      readonly noneBefore: string
      readonly down: (v: { readonly number: number }) => string
      readonly runsOut: string
    }
  }
  readonly homeless: {
    readonly title: string
    readonly hint: string
  }
  readonly identityProviders: {
    readonly title: string
    readonly hint: string
    readonly add: string
    readonly change: string
    readonly edit: string
    readonly empty: string
    readonly emptyHint: string
    readonly columns: {
      readonly name: string
      readonly state: string
      readonly action: string
    }
    readonly on: string
    readonly off: string
    readonly failing: string
    readonly delivered: string
    readonly failed: string
    readonly actions: (v: { readonly name: string }) => string
    readonly test: string
    readonly switchOn: string
    readonly switchOff: string
    readonly switchedOn: string
    readonly switchedOff: string
    readonly remove: string
    readonly removeTitle: string
    readonly removeText: (v: { readonly name: string }) => string
    readonly removed: string
    readonly addressesToEnter: string
    readonly addressesToEnterHint: string
    readonly redirectUri: string
    readonly copyRedirectUri: string
    readonly logoutUri: string
    readonly copyLogoutUri: string
    readonly signInUrl: string
    readonly copySignInUrl: string
    readonly preset: string
    readonly presetNone: string
    readonly presetSaml: string
    readonly metadata: string
    readonly metadataHint: string
    readonly metadataKept: string
    readonly metadataWrong: string
    readonly groupAttributesHint: string
    readonly entityId: string
    readonly copyEntityId: string
    readonly name: string
    readonly nameHint: string
    readonly titleWrong: string
    readonly issuer: string
    readonly issuerHint: string
    readonly issuerWrong: string
    readonly clientId: string
    readonly clientIdWrong: string
    readonly secret: string
    readonly secretKept: string
    readonly scopes: string
    readonly newcomers: string
    readonly newcomersChoices: {
      readonly refuse: string
      readonly viewer: string
      readonly member: string
    }
    readonly addresses: string
    readonly addressesHint: string
    readonly addressesChoices: {
      readonly claim: string
      readonly provider: string
    }
    readonly hours: string
    readonly assumed: string
    readonly assumedHint: string
    readonly hoursWrong: string
    readonly groupClaims: string
    readonly groupClaimsHint: string
    readonly mappings: string
    readonly mappingsHint: string
    readonly mappingGroup: string
    readonly mappingRole: string
    readonly mappingGroups: string
    readonly mappingAdd: string
    readonly mappingRemove: (v: { readonly group: string }) => string
    readonly mappingWrong: string
    readonly roles: {
      readonly tenant_admin: string
      readonly tenant_member: string
      readonly tenant_viewer: string
    }
    readonly private: string
    readonly privateWhy: string
    readonly save: string
    readonly saved: string
    readonly domains: {
      readonly title: string
      readonly hint: string
      readonly add: string
      readonly addHint: string
      readonly empty: string
      readonly emptyHint: string
      readonly domain: string
      readonly columns: {
        readonly domain: string
        readonly proof: string
        readonly enforced: string
        readonly action: string
      }
      readonly byDns: string
      readonly byPlatform: string
      readonly enter: (v: { readonly name: string }) => string
      readonly record: string
      readonly copyRecord: (v: { readonly domain: string }) => string
      readonly prove: string
      readonly proven: string
      readonly vouch: string
      readonly enforcedOf: (v: { readonly domain: string }) => string
      readonly saved: string
      readonly remove: string
      readonly removeOf: (v: { readonly domain: string }) => string
      readonly removeTitle: string
      readonly removeText: (v: { readonly domain: string }) => string
      readonly removed: string
    }
    readonly own: {
      readonly title: string
      readonly hint: string
      readonly none: string
      readonly provider: string
      readonly linked: string
      readonly used: string
      readonly never: string
      readonly action: string
      readonly add: (v: { readonly title: string }) => string
      readonly remove: string
      readonly removeOf: (v: { readonly title: string }) => string
      readonly removeText: string
      readonly removed: string
    }
  }
  readonly importReview: {
    readonly note: string
    readonly twin: (v: { readonly name: string }) => string
    readonly sealed: (v: { readonly names: string }) => string
    readonly key: string
    readonly rename: (v: { readonly name: string }) => string
    readonly alias: (v: { readonly alias: string }) => string
    readonly taken: (v: { readonly alias: string }) => string
    readonly takenHere: (v: { readonly alias: string }) => string
    readonly onlyTools: (v: { readonly names: string }) => string
    readonly noTools: string
    readonly withoutTools: (v: { readonly names: string }) => string
    readonly unread: (v: { readonly names: string }) => string
    readonly left: (v: { readonly names: string }) => string
    readonly off: string
  }
  readonly keys: {
    readonly hint: string
    readonly tabs: {
      readonly mine: string
      readonly organization: string
      readonly clients: string
      readonly platform: string
      readonly registered: string
    }
    readonly limits: {
      readonly read: string
      readonly write: string
      readonly execute: string
    }
    readonly columns: {
      readonly key: string
      readonly reach: string
      readonly ends: string
      readonly used: string
      readonly owner: string
      readonly organization: string
      readonly actions: string
    }
    readonly never: string
    readonly ended: string
    readonly unused: string
    readonly trusted: string
    readonly trustWaits: string
    readonly everyToolset: string
    readonly toolset: (v: { readonly slug: string }) => string
    readonly from: (v: { readonly client: string }) => string
    readonly ofOrganization: string
    readonly ofMember: string
    readonly ofPlatform: string
    readonly ofOther: string
    readonly organizationHint: string
    readonly platformHint: string
    readonly noneHere: string
    readonly noneHereHint: string
    readonly makeTitles: {
      readonly me: string
      readonly organization: string
      readonly platform: string
    }
    readonly make: {
      readonly open: string
      readonly openPlatform: string
      readonly name: string
      readonly nameHint: string
      readonly limit: string
      readonly limitHints: {
        readonly read: string
        readonly write: string
        readonly execute: string
      }
      readonly life: string
      readonly lives: {
        readonly '30': string
        readonly '90': string
        readonly '365': string
        readonly date: string
        readonly never: string
      }
      readonly lastDay: string
      readonly toolset: string
      readonly toolsetHint: string
      readonly everyToolset: string
      readonly role: string
      readonly trusted: string
      readonly trustedHint: string
      readonly submit: string
    }
    readonly once: {
      readonly title: string
      readonly hint: string
      readonly copy: string
      readonly done: string
    }
    readonly mine: {
      readonly others: string
      readonly none: string
      readonly noneHint: string
    }
    readonly personal: {
      readonly title: string
      readonly hint: (v: { readonly organization: string }) => string
      readonly none: string
      readonly noneHint: (v: { readonly organization: string }) => string
      readonly first: string
      readonly used: string
      readonly reveal: string
      readonly hide: string
      readonly shown: string
      readonly copy: string
      readonly anew: string
      readonly anewTitle: string
      readonly anewVerb: string
      readonly anewWarning: string
    }
    readonly reveal: {
      readonly title: string
      readonly hint: string
      readonly password: string
      readonly look: string
      readonly withoutPassword: string
      readonly verb: string
    }
    readonly trust: {
      readonly label: (v: { readonly name: string }) => string
      readonly verb: string
      readonly done: (v: { readonly name: string }) => string
      readonly warning: string
    }
    readonly remove: {
      readonly label: (v: { readonly name: string }) => string
      readonly verb: string
      readonly done: (v: { readonly name: string }) => string
      readonly warning: string
    }
    readonly clients: {
      readonly hint: string
      readonly whose: string
      readonly mine: string
      readonly all: string
      readonly client: string
      readonly member: string
      readonly since: string
      readonly end: string
      readonly at: (v: { readonly host: string; readonly path: string }) => string
      readonly endLabel: (v: { readonly name: string }) => string
      readonly endVerb: string
      readonly ended: (v: { readonly name: string }) => string
      readonly endWarning: string
      readonly none: string
      readonly noneHint: string
    }
    readonly registered: {
      readonly hint: string
      readonly client: string
      readonly kind: string
      readonly kinds: {
        readonly dynamic: string
        readonly added: string
      }
      readonly since: string
      readonly none: string
      readonly add: string
      readonly addVerb: string
      readonly name: string
      readonly redirects: string
      readonly redirectsHint: string
      readonly confidential: string
      readonly confidentialHint: string
      readonly id: string
      readonly copyId: string
      readonly secret: string
      readonly copySecret: string
      readonly removeLabel: (v: { readonly name: string }) => string
      readonly removed: (v: { readonly name: string }) => string
      readonly removeWarning: string
    }
    readonly rate: (v: { readonly name: string }) => string
    readonly search: string
  }
  readonly kinds: {
    readonly title: {
      readonly openapi: string
      readonly native: string
      readonly contract: string
      readonly n8n: string
      readonly composio: string
      readonly platform: string
      readonly mcp_http: string
      readonly mcp_process: string
    }
    readonly plural: {
      readonly openapi: string
      readonly native: string
      readonly contract: string
      readonly n8n: string
      readonly composio: string
      readonly platform: string
      readonly mcp_http: string
      readonly mcp_process: string
    }
    readonly article: {
      readonly openapi: string
      readonly native: string
      readonly contract: string
      readonly n8n: string
      readonly composio: string
      readonly platform: string
      readonly mcp_http: string
      readonly mcp_process: string
    }
    readonly settings: {
      readonly native: string
      readonly contract: string
      readonly n8n: string
      readonly composio: string
    }
    readonly fields: {
      readonly native: {
        readonly scopes_for: {
          readonly label: string
          readonly hint: string
          readonly choices: {
            readonly read: string
            readonly write: string
            readonly execute: string
          }
        }
      }
      readonly contract: {
        readonly organization: {
          readonly label: string
          readonly hint: string
        }
        readonly exposes: {
          readonly label: string
          readonly hint: string
          readonly choices: {
            readonly agent: string
            readonly procedure: string
            readonly all: string
          }
        }
        readonly side_effects: {
          readonly label: string
          readonly hint: string
        }
        readonly on_behalf: {
          readonly label: string
          readonly hint: string
        }
        readonly checks_facets: {
          readonly label: string
          readonly hint: string
        }
        readonly allows: {
          readonly label: string
          readonly hint: string
        }
        readonly contracts_for: {
          readonly label: string
        }
        readonly facets_for: {
          readonly label: string
        }
        readonly stale_for: {
          readonly label: string
        }
        readonly aliases: {
          readonly label: string
          readonly hint: string
        }
      }
      readonly n8n: {
        readonly tag: {
          readonly label: string
          readonly hint: string
        }
        readonly webhooks: {
          readonly label: string
          readonly hint: string
        }
        readonly listed_for: {
          readonly label: string
        }
      }
      readonly composio: {
        readonly way: {
          readonly label: string
          readonly choices: {
            readonly rest: string
            readonly session: string
            readonly mcp: string
          }
        }
        readonly toolkits: {
          readonly label: string
          readonly hint: string
        }
        readonly server: {
          readonly label: string
          readonly hint: string
        }
        readonly servers_at: {
          readonly label: string
        }
        readonly users: {
          readonly label: string
          readonly choices: {
            readonly email: string
            readonly id: string
          }
        }
        readonly default_user: {
          readonly label: string
          readonly hint: string
        }
        readonly listed_for: {
          readonly label: string
        }
      }
    }
  }
  readonly live: {
    readonly broken: string
    readonly why: string
    readonly away: string
    readonly awayHint: string
  }
  readonly me: {
    readonly hint: string
    readonly you: string
    readonly name: string
    readonly email: string
    readonly roles: string
    readonly roleIn: (v: { readonly role: string; readonly organization: string }) => string
    readonly platform: string
    readonly youHint: string
    readonly signIns: string
    readonly signInsHint: string
    readonly signInsNone: string
    readonly columns: {
      readonly where: string
      readonly since: string
      readonly used: string
      readonly until: string
      readonly action: string
    }
    readonly clients: {
      readonly browser: string
      readonly 'command line': string
    }
    readonly inOrganization: (v: { readonly organization: string }) => string
    readonly here: string
    readonly end: string
    readonly revoke: string
    readonly endOf: (v: { readonly where: string; readonly since: string }) => string
    readonly ended: string
    readonly endOthers: string
    readonly endOthersTitle: string
    readonly endOthersText: (v: { readonly count: number }) => string
    readonly othersEnded: string
    readonly password: string
    readonly passwordHint: string
    readonly current: string
    readonly fresh: string
    readonly freshRule: string
    readonly repeat: string
    readonly differs: string
    readonly same: string
    readonly needed: string
    readonly change: string
    readonly changed: string
    readonly accounts: string
    readonly accountsHint: string
    readonly accountsNone: string
    readonly accountsNoneHint: string
    readonly accountsSearch: string
    readonly accountsSearchHint: string
    readonly accountColumns: {
      readonly connection: string
      readonly account: string
      readonly state: string
      readonly action: string
    }
    readonly accountAgain: string
    readonly accountKinds: {
      readonly yours: string
      readonly shared: string
      readonly needed: string
      readonly no_app: string
    }
    readonly accountShared: string
    readonly accountUnknown: (v: { readonly account: string }) => string
    readonly accountNoApp: string
    readonly accountLacking: string
    readonly accountConnect: string
    readonly accountOwn: string
    readonly accountAnother: string
    readonly accountKey: string
    readonly accountManage: string
    readonly accountsSee: string
    readonly accountsSeeHint: string
    readonly apps: string
    readonly appsHint: string
    readonly appsNone: string
    readonly appsNoneHint: string
    readonly appsConnect: string
    readonly appColumns: {
      readonly client: string
      readonly may: string
      readonly used: string
      readonly action: string
    }
    readonly limits: {
      readonly read: string
      readonly write: string
      readonly execute: string
    }
    readonly answersAt: (v: { readonly host: string }) => string
    readonly endClient: (v: { readonly client: string }) => string
    readonly clientEnded: (v: { readonly client: string }) => string
    readonly looks: string
    readonly scheme: string
    readonly language: string
    readonly languageHint: string
    readonly languages: {
      readonly browser: string
      readonly en: string
      readonly de: string
    }
  }
  readonly mends: {
    readonly 'key.missing': string
    readonly 'key.unknown': string
    readonly 'token.unknown': string
    readonly 'login.needed': string
    readonly 'place.unknown': string
    readonly 'tool.held': string
    readonly 'policy.blocked': string
    readonly 'metadata.unavailable': string
    readonly 'openapi.missing': string
    readonly 'upstream.unreachable': string
    readonly 'approval.required': string
    readonly 'approval.expired': string
    readonly 'upstream.resting': string
    readonly 'upstream.given-up': string
    readonly 'connection.needs': string
    readonly 'upstream.needs-auth': string
    readonly 'upstream.malformed': string
    readonly 'contract.malformed': string
    readonly 'authority.malformed': string
    readonly 'bridge.unreachable': string
    readonly 'bridge.key': string
    readonly 'person.unproven': string
  }
  readonly missing: {
    readonly title: string
    readonly hint: string
    readonly home: string
  }
  readonly nav: {
    readonly home: string
    readonly playground: string
    readonly agent: string
    readonly clients: string
    readonly connections: string
    readonly connect: string
    readonly tools: string
    readonly toolsets: string
    readonly rules: string
    readonly approvals: string
    readonly records: string
    readonly usage: string
    readonly serviceLevels: string
    readonly files: string
    readonly runtime: string
    readonly keys: string
    readonly people: string
    readonly settings: string
    readonly organizations: string
    readonly users: string
    readonly accounts: string
    readonly me: string
  }
  readonly notYours: {
    readonly page: string
    readonly title: string
    readonly hint: string
    readonly own: string
  }
  readonly organizations: {
    readonly hint: string
    readonly forbidden: {
      readonly title: string
      readonly hint: string
    }
    readonly add: string
    readonly addVerb: string
    readonly addHint: string
    readonly search: string
    readonly none: {
      readonly title: string
      readonly hint: string
    }
    readonly notFound: {
      readonly title: string
      readonly hint: string
    }
    readonly columns: {
      readonly name: string
      readonly state: string
      readonly rate: string
      readonly since: string
      readonly actions: string
    }
    readonly active: string
    readonly inactive: string
    readonly rateDefault: string
    readonly enter: (v: { readonly name: string }) => string
    readonly change: (v: { readonly name: string }) => string
    readonly saved: (v: { readonly name: string }) => string
    readonly made: (v: { readonly name: string }) => string
    readonly save: string
    readonly fields: {
      readonly name: string
      readonly slug: string
      readonly slugHint: string
      readonly description: string
      readonly contact: string
      readonly active: string
      readonly activeHint: string
      readonly rate: string
      readonly maxRate: string
      readonly rateHint: string
      readonly processes: string
      readonly processesHint: string
    }
    readonly egress: {
      readonly title: string
      readonly hint: string
      readonly networks: string
      readonly networksHint: string
      readonly names: string
      readonly namesHint: string
      readonly save: string
      readonly saved: string
    }
    readonly danger: string
    readonly dangerHint: string
    readonly remove: (v: { readonly name: string }) => string
    readonly removeTitle: (v: { readonly name: string }) => string
    readonly typeName: (v: { readonly slug: string }) => string
    readonly removed: (v: { readonly name: string }) => string
  }
  readonly palette: {
    readonly open: string
    readonly title: string
    readonly hint: string
    readonly nothing: string
    readonly places: string
    readonly actions: string
    readonly connect: string
    readonly key: string
    readonly invite: string
    readonly toDark: string
    readonly toLight: string
  }
  readonly people: {
    readonly hint: string
    readonly forbidden: {
      readonly title: string
      readonly hint: string
    }
    readonly members: string
    readonly groups: string
    readonly add: string
    readonly addVerb: string
    readonly addGroup: string
    readonly addHint: string
    readonly empty: {
      readonly title: string
      readonly hint: string
    }
    readonly columns: {
      readonly person: string
      readonly role: string
      readonly state: string
      readonly source: string
      readonly groups: string
      readonly seen: string
      readonly actions: string
    }
    readonly never: string
    readonly states: {
      readonly active: string
      readonly invited: string
      readonly off: string
      readonly suspended: string
    }
    readonly roleOf: (v: { readonly name: string }) => string
    readonly ownRole: string
    readonly changed: (v: { readonly name: string; readonly role: string }) => string
    readonly remove: (v: { readonly name: string }) => string
    readonly removeTitle: (v: { readonly name: string }) => string
    readonly removeVerb: string
    readonly removeWhat: string
    readonly removed: (v: { readonly name: string }) => string
    readonly email: string
    readonly name: string
    readonly nameHint: string
    readonly role: string
    readonly roleHints: {
      readonly tenant_admin: string
      readonly tenant_member: string
      readonly tenant_viewer: string
    }
    readonly vouch: string
    readonly isIn: (v: { readonly name: string }) => string
    readonly hasAccount: (v: { readonly email: string }) => string
    readonly code: {
      readonly title: string
      readonly how: (v: { readonly email: string }) => string
      readonly code: string
      readonly copyCode: string
      readonly message: string
      readonly copyMessage: string
      readonly words: (v: { readonly email: string; readonly link: string }) => string
      readonly link: string
      readonly copyLink: string
      readonly good: string
    }
    readonly group: {
      readonly columns: {
        readonly name: string
        readonly members: string
        readonly actions: string
      }
      readonly empty: {
        readonly title: string
        readonly hint: string
      }
      readonly ofFile: string
      readonly nobody: string
      readonly more: (v: { readonly number: number }) => string
      readonly awaited: (v: { readonly number: number }) => string
      readonly remove: (v: { readonly title: string }) => string
      readonly removed: (v: { readonly title: string }) => string
      readonly change: (v: { readonly title: string }) => string
      readonly make: string
      readonly save: string
      readonly title: string
      readonly slug: string
      readonly slugHint: string
      readonly members: string
      readonly clear: string
      readonly nobodyFound: string
    }
    readonly search: string
    readonly searchHint: string
    readonly anyRole: string
    readonly roleFilter: string
    readonly anyGroup: string
    readonly groupFilter: string
    readonly sourceFilter: string
    readonly sources: {
      readonly any: string
      readonly manual: string
      readonly provider: string
      readonly scim: string
    }
    readonly stateFilter: string
    readonly anyState: string
    readonly suspendedOnly: string
    readonly activeOnly: string
    readonly seenFilter: string
    readonly anyTime: string
    readonly seenWithin: (v: { readonly days: number }) => string
    readonly notSeen: (v: { readonly days: number }) => string
    readonly fromProvider: (v: { readonly title: string }) => string
    readonly file: {
      readonly export: string
      readonly import: string
      readonly title: string
      readonly hint: string
      readonly choose: string
      readonly notUtf8: string
      readonly verb: string
      readonly progress: string
      readonly invite: string
      readonly inviteHint: string
      readonly preview: (v: { readonly add: number; readonly change: number; readonly same: number; readonly refuse: number }) => string
      readonly done: (v: { readonly add: number; readonly change: number; readonly same: number; readonly refuse: number }) => string
      readonly ignored: (v: { readonly columns: string }) => string
      readonly leftOut: string
      readonly line: (v: { readonly line: string; readonly problem: string }) => string
      readonly more: (v: { readonly count: number }) => string
      readonly codes: (v: { readonly count: number }) => string
      readonly saveCodes: string
      readonly problems: {
        readonly quote: string
        readonly cells: (v: { readonly about: string }) => string
        readonly email: (v: { readonly about: string }) => string
        readonly name: (v: { readonly about: string }) => string
        readonly role: (v: { readonly about: string }) => string
        readonly group: (v: { readonly about: string }) => string
        readonly declared: (v: { readonly about: string }) => string
        readonly duplicate: (v: { readonly about: string }) => string
        readonly unproven: string
        readonly 'last-admin': string
        readonly changed: string
      }
    }
    readonly page: {
      readonly added: string
      readonly signedIn: string
      readonly reset: string
      readonly resetTitle: (v: { readonly name: string }) => string
      readonly resetVerb: string
      readonly resetWhat: string
      readonly isReset: (v: { readonly name: string }) => string
    }
  }
  readonly person: {
    readonly menu: (v: { readonly name: string }) => string
    readonly account: string
    readonly documentation: string
    readonly reference: string
    readonly shortcuts: string
    readonly appearance: string
    readonly schemes: {
      readonly auto: string
      readonly light: string
      readonly dark: string
    }
    readonly chosen: string
    readonly signOut: string
  }
  readonly phases: {
    readonly receive: string
    readonly identify: string
    readonly place: string
    readonly admit: string
    readonly find: string
    readonly decide: string
    readonly check: string
    readonly open: string
    readonly start: string
    readonly run: string
    readonly shape: string
  }
  readonly picker: {
    readonly searching: string
    readonly nothing: string
    readonly more: (v: { readonly number: string }) => string
  }
  readonly playground: {
    readonly hint: string
    readonly forbidden: string
    readonly forbiddenHint: string
    readonly empty: string
    readonly emptyHint: string
    readonly connect: string
    readonly compose: string
    readonly place: string
    readonly all: string
    readonly everything: string
    readonly connections: string
    readonly toolsets: string
    readonly tool: string
    readonly findTool: string
    readonly noTool: string
    readonly more: (v: { readonly shown: number; readonly all: number }) => string
    readonly coming: (v: { readonly all: number }) => string
    readonly left: (v: { readonly all: number }) => string
    readonly accounts: (v: { readonly own: string | null | undefined; readonly shared: string | null | undefined }) => string
    readonly several: string
    readonly client: string
    readonly era: string
    readonly abilities: string
    readonly forms: string
    readonly pages: string
    readonly tasks: string
    readonly run: string
    readonly keys: string
    readonly transcript: string
    readonly nothing: string
    readonly nothingHint: string
    readonly clear: string
    readonly again: string
    readonly compare: string
    readonly compareWith: string
    readonly stopComparing: string
    readonly comparing: string
    readonly compared: string
    readonly same: string
    readonly only: (v: { readonly side: string }) => string
    readonly copyCurl: string
    readonly copyCommand: string
    readonly needsKey: string
    readonly toKeys: string
    readonly saved: {
      readonly title: string
      readonly save: string
      readonly use: (v: { readonly tool: string; readonly args: string }) => string
      readonly remove: (v: { readonly tool: string }) => string
      readonly kept: string
      readonly keptWithout: string
      readonly removed: string
    }
  }
  readonly recordStreams: {
    readonly title: string
    readonly hint: string
    readonly add: string
    readonly change: string
    readonly edit: string
    readonly empty: string
    readonly emptyHint: string
    readonly columns: {
      readonly name: string
      readonly destination: string
      readonly state: string
      readonly action: string
    }
    readonly on: string
    readonly behind: string
    readonly failing: string
    readonly off: string
    readonly delivered: string
    readonly failed: string
    readonly since: string
    readonly waiting: (v: { readonly count: number }) => string
    readonly actions: (v: { readonly name: string }) => string
    readonly test: string
    readonly tested: string
    readonly notTested: string
    readonly testMend: string
    readonly switchOff: string
    readonly switchOn: string
    readonly switchedOff: string
    readonly switchedOn: string
    readonly remove: string
    readonly removeTitle: string
    readonly removeText: (v: { readonly name: string }) => string
    readonly removed: string
    readonly name: string
    readonly nameWrong: string
    readonly kind: string
    readonly kinds: {
      readonly webhook: string
      readonly syslog: string
      readonly otlp: string
      readonly s3: string
      readonly clickhouse: string
    }
    readonly fields: {
      readonly url: string
      readonly host: string
      readonly port: string
      readonly ca: string
      readonly certificate: string
      readonly endpoint: string
      readonly region: string
      readonly bucket: string
      readonly prefix: string
      readonly format: string
      readonly access_key_id: string
      readonly database: string
      readonly table: string
      readonly user: string
    }
    readonly secrets: {
      readonly private_key: string
      readonly headers: string
      readonly secret_access_key: string
      readonly password: string
    }
    readonly headersHint: string
    readonly headersWrong: string
    readonly secretKept: string
    readonly withDestination: string
    readonly wrong: string
    readonly from: string
    readonly froms: {
      readonly now: string
      readonly start: string
    }
    readonly alerts: string
    readonly private: string
    readonly privateWhy: string
    readonly save: string
    readonly saved: string
    readonly all: {
      readonly title: string
      readonly hint: string
      readonly empty: string
      readonly emptyHint: string
    }
  }
  readonly records: {
    readonly hint: string
    readonly forbidden: string
    readonly forbiddenHint: string
    readonly list: string
    readonly columns: {
      readonly when: string
      readonly what: string
      readonly who: string
      readonly outcome: string
      readonly took: string
      readonly organization: string
    }
    readonly open: (v: { readonly what: string }) => string
    readonly through: (v: { readonly connection: string }) => string
    readonly outcomes: {
      readonly ok: string
      readonly tool_error: string
      readonly refused: string
      readonly failed: string
      readonly cancelled: string
      readonly unknown: string
    }
    readonly actors: {
      readonly operator: string
      readonly 'command line': string
      readonly 'declaration file': string
      readonly time: string
      readonly retention: string
      readonly catalog: string
      readonly credentials: string
      readonly anonymous: string
    }
    readonly platform: string
    readonly empty: string
    readonly emptyHint: string
    readonly emptyAction: string
    readonly nothing: string
    readonly nothingHint: string
    readonly clear: string
    readonly filters: {
      readonly label: string
      readonly range: string
      readonly ranges: {
        readonly hour: string
        readonly day: string
        readonly yesterday: string
        readonly week: string
        readonly month: string
        readonly all: string
        readonly custom: string
      }
      readonly from: string
      readonly to: string
      readonly outcome: string
      readonly any: string
      readonly connection: string
      readonly caller: string
      readonly more: string
      readonly fewer: string
      readonly action: string
      readonly actionHint: string
      readonly tool: string
      readonly toolHint: string
      readonly correlation: string
      readonly correlationHint: string
      readonly all: string
      readonly code: string
      readonly codeHint: string
    }
    readonly live: {
      readonly on: string
      readonly pause: string
      readonly resume: string
      readonly still: string
    }
    readonly drawer: {
      readonly title: string
      readonly missing: string
      readonly missingHint: string
      readonly copy: string
      readonly steps: string
      readonly names: {
        readonly received: string
        readonly identified: string
        readonly found: string
        readonly decided: string
        readonly opened: string
        readonly answered: string
      }
      readonly endedAt: (v: { readonly name: string }) => string
      readonly decisions: {
        readonly allow: string
        readonly warn: string
        readonly refuse: string
      }
      readonly facts: {
        readonly from: string
        readonly client: string
        readonly revision: string
        readonly bytes: string
        readonly caller: string
        readonly key: string
        readonly toolset: string
        readonly tool: string
        readonly connection: string
        readonly decision: string
        readonly rule: string
        readonly approval: string
        readonly account: string
        readonly owner: string
        readonly outcome: string
        readonly code: string
      }
      readonly arguments: string
      readonly argumentsNote: string
      readonly absent: string
      readonly changedByRule: string
      readonly shadows: string
      readonly why: {
        readonly ok: string
        readonly failed: string
        readonly refused: string
      }
      readonly toolSays: string
      readonly connection: string
      readonly payload: {
        readonly title: string
        readonly show: string
        readonly onRecord: string
        readonly arguments: string
        readonly result: string
        readonly none: string
        readonly cut: string
        readonly altered: string
        readonly gone: string
        readonly off: string
      }
      readonly mend: string
      readonly details: string
      readonly when: string
      readonly after: string
      readonly who: string
      readonly action: string
      readonly what: string
      readonly address: string
      readonly program: string
      readonly took: string
      readonly correlation: string
      readonly place: string
      readonly hash: string
      readonly related: string
      readonly relatedNone: string
      readonly yes: string
      readonly no: string
    }
    readonly verify: {
      readonly button: string
      readonly title: string
      readonly busy: string
      readonly progress: (v: { readonly records: string; readonly of: string }) => string
      readonly cancel: string
      readonly cancelled: string
      readonly good: string
      readonly goodHint: (v: { readonly records: string; readonly first: number; readonly last: number }) => string
      readonly nothing: string
      readonly proven: (v: { readonly seq: number }) => string
      readonly unproven: string
      readonly bad: string
      readonly badAt: (v: { readonly seq: number }) => string
      readonly again: string
      readonly offline: string
      readonly offlineHint: string
      readonly command: string
      readonly copyCommand: string
      readonly fingerprint: string
      readonly copyFingerprint: (v: { readonly at: number }) => string
    }
    readonly export: {
      readonly button: string
      readonly title: string
      readonly format: string
      readonly formats: {
        readonly jsonl: string
        readonly csv: string
        readonly ocsf: string
      }
      readonly range: string
      readonly rangeAll: string
      readonly rangeShown: string
      readonly unproven: string
      readonly filters: string
      readonly start: string
      readonly stop: string
      readonly busy: (v: { readonly size: string }) => string
      readonly done: (v: { readonly name: string; readonly size: string }) => string
    }
  }
  readonly roles: {
    readonly platform_admin: string
    readonly tenant_admin: string
    readonly tenant_member: string
    readonly tenant_viewer: string
  }
  readonly ruleActions: {
    readonly title: {
      readonly allow: string
      readonly warn: string
      readonly size: string
      readonly rate: string
      readonly lock: string
      readonly clamp: string
      readonly approve: string
      readonly reject: string
      readonly block: string
      readonly hide: string
    }
    readonly about: {
      readonly allow: string
      readonly warn: string
      readonly size: string
      readonly rate: string
      readonly lock: string
      readonly clamp: string
      readonly approve: string
      readonly reject: string
      readonly block: string
      readonly hide: string
    }
    readonly follows: {
      readonly hide: string
      readonly block: string
      readonly warn: string
      readonly allow: (v: { readonly count: number; readonly rules: string }) => string
      readonly approve: (v: { readonly quorum: number; readonly who: string }) => string
      readonly rate: (v: { readonly calls: number; readonly time: string; readonly share: string }) => string
      readonly rateOpen: (v: { readonly time: string; readonly share: string }) => string
      readonly adjusted: (v: { readonly argument: string; readonly bounds: string }) => string
      readonly byDefault: (v: { readonly argument: string; readonly value: string }) => string
      readonly adjustedOrDefault: (v: { readonly argument: string; readonly bounds: string; readonly value: string }) => string
      readonly fixed: (v: { readonly argument: string; readonly value: string }) => string
      readonly unless: (v: { readonly argument: string; readonly conditions: string }) => string
      readonly everyCall: string
      readonly withArgument: (v: { readonly argument: string }) => string
      readonly argumentsLimit: (v: { readonly bytes: number }) => string
      readonly textLimit: (v: { readonly bytes: number }) => string
      readonly rowsLimit: (v: { readonly rows: number }) => string
      readonly fields: (v: { readonly fields: string }) => string
      readonly redact: (v: { readonly count: number; readonly fields: string }) => string
      readonly noLimit: string
    }
    readonly bounds: {
      readonly atMost: (v: { readonly max: string }) => string
      readonly atLeast: (v: { readonly min: string }) => string
      readonly between: (v: { readonly min: string; readonly max: string }) => string
      readonly matches: (v: { readonly pattern: string }) => string
    }
    readonly approvers: {
      readonly platform_admin: string
      readonly tenant_admin: string
      readonly tenant_member: string
      readonly tenant_viewer: string
      readonly group: (v: { readonly group: string }) => string
      readonly webhook: (v: { readonly id: string }) => string
      readonly self: string
    }
    readonly share: {
      readonly caller: string
      readonly organization: string
      readonly session: string
    }
    readonly time: {
      readonly days: (v: { readonly count: number }) => string
      readonly hours: (v: { readonly count: number }) => string
      readonly minutes: (v: { readonly count: number }) => string
      readonly seconds: (v: { readonly count: number }) => string
    }
  }
  readonly rules: {
    readonly hint: string
    readonly tabs: {
      readonly list: string
      readonly access: string
      readonly explain: string
      readonly shadow: string
      readonly replay: string
    }
    readonly add: string
    readonly notYours: string
    readonly notYoursHint: string
    readonly label: string
    readonly empty: string
    readonly emptyHints: {
      readonly off: string
      readonly 'ask-destructive': string
      readonly 'ask-writes': string
      readonly unknown: string
    }
    readonly approvalSetting: string
    readonly begin: string
    readonly noMatch: string
    readonly noMatchHint: string
    readonly clear: string
    readonly clearOf: (v: { readonly filter: string }) => string
    readonly presets: {
      readonly destroy: string
      readonly approve: string
      readonly rate: string
    }
    readonly search: string
    readonly searchHint: string
    readonly action: string
    readonly state: string
    readonly scope: string
    readonly any: string
    readonly rule: string
    readonly does: string
    readonly watched: (v: { readonly calls: number }) => string
    readonly watchedNone: string
    readonly unreadable: (v: { readonly problem: string }) => string
    readonly states: {
      readonly on: string
      readonly shadow: string
      readonly off: string
    }
    readonly stateOf: (v: { readonly name: string }) => string
    readonly turned: {
      readonly on: (v: { readonly name: string }) => string
      readonly shadow: (v: { readonly name: string }) => string
      readonly off: (v: { readonly name: string }) => string
    }
    readonly remove: string
    readonly removeOf: (v: { readonly name: string }) => string
    readonly removed: (v: { readonly name: string }) => string
    readonly elsewhere: {
      readonly file: string
      readonly toolset: string
      readonly platform: string
    }
    readonly places: {
      readonly file: string
      readonly toolset: string
      readonly platform: string
    }
    readonly scopes: {
      readonly platform: string
      readonly organization: string
      readonly toolset: string
      readonly connection: string
      readonly member: string
      readonly key: string
    }
    readonly edit: {
      readonly idle: string
      readonly idleHint: string
      readonly saveIdle: string
      readonly new: string
      readonly newHint: string
      readonly back: string
      readonly speaksOf: string
      readonly follows: string
      readonly where: string
      readonly onlyIf: string
      readonly called: string
      readonly sentence: string
      readonly trial: string
      readonly trialHint: string
      readonly explainOne: string
      readonly replayIt: string
      readonly finishFirst: string
      readonly noReason: string
      readonly tools: string
      readonly toolsHint: string
      readonly effects: string
      readonly effectsHint: string
      readonly more: string
      readonly less: string
      readonly connectors: string
      readonly categories: string
      readonly categoriesHint: string
      readonly organizations: string
      readonly organizationsHint: string
      readonly argument: string
      readonly argumentHint: string
      readonly when: string
      readonly whenHint: string
      readonly variables: {
        readonly principal: string
        readonly tool: string
        readonly args: string
        readonly context: string
      }
      readonly examples: string
      readonly reason: string
      readonly reasonHint: string
      readonly name: string
      readonly nameHint: string
      readonly needed: string
      readonly unfinished: string
      readonly at: (v: { readonly place: string | null | undefined }) => string
      readonly keepShadow: string
      readonly keepShadowHint: string
      readonly keepOn: string
      readonly save: string
      readonly kept: (v: { readonly name: string }) => string
      readonly saved: (v: { readonly name: string }) => string
      readonly gone: string
      readonly goneHint: string
      readonly words: string
      readonly toToolset: string
      readonly seenNothing: string
      readonly stays: (v: { readonly where: string }) => string
      readonly which: {
        readonly toolset: string
        readonly connection: string
        readonly member: string
        readonly key: string
      }
      readonly none: {
        readonly toolset: string
        readonly connection: string
        readonly member: string
        readonly key: string
      }
      readonly fitting: (v: { readonly fitting: number; readonly all: number }) => string
      readonly fittingNone: string
      readonly allFitting: (v: { readonly tools: number }) => string
      readonly fewer: string
      readonly further: (v: { readonly tools: number }) => string
      readonly restored: string
      readonly discard: string
    }
    readonly explain: {
      readonly tool: string
      readonly toolHint: string
      readonly as: string
      readonly asHint: string
      readonly key: string
      readonly keyHint: string
      readonly toolset: string
      readonly toolsetHint: string
      readonly arguments: string
      readonly argumentsHint: string
      readonly argumentsWrong: string
      readonly ask: string
      readonly ends: {
        readonly none: string
        readonly allow: string
        readonly warn: string
        readonly approve: string
        readonly reject: string
        readonly block: string
        readonly hide: string
      }
      readonly passes: string
      readonly changes: string
      readonly change: (v: { readonly place: string; readonly from: string | null | undefined; readonly to: string; readonly rule: string }) => string
      readonly sends: string
      readonly ruleByRule: string
      readonly noneSpeaks: string
      readonly shadows: string
      readonly would: (v: { readonly rule: string; readonly what: string }) => string
      readonly before: (v: { readonly stops: number }) => string
      readonly stops: string
      readonly lets: string
      readonly silent: (v: { readonly rules: number }) => string
      readonly speaks: {
        readonly yes: string
        readonly no: string
        readonly lifted: string
        readonly unknown: string
      }
      readonly then: (v: { readonly what: string }) => string
      readonly read: string
      readonly absent: (v: { readonly what: string }) => string
    }
    readonly shadow: {
      readonly hint: string
      readonly days: string
      readonly lastDays: (v: { readonly days: number }) => string
      readonly empty: string
      readonly emptyHint: string
      readonly truncated: string
      readonly calls: (v: { readonly calls: number }) => string
      readonly bite: string
      readonly tool: string
      readonly caller: string
      readonly would: string
      readonly count: string
      readonly last: string
    }
    readonly replay: {
      readonly hint: string
      readonly turnOn: string
      readonly turnOnHint: string
      readonly noneOff: string
      readonly remove: string
      readonly noneOn: string
      readonly drafts: string
      readonly draftsHint: string
      readonly draftsWrong: string
      readonly days: string
      readonly begin: string
      readonly reading: (v: { readonly seconds: number }) => string
      readonly stop: string
      readonly problem: (v: { readonly rule: string }) => string
      readonly nothing: (v: { readonly days: number }) => string
      readonly outcome: (v: { readonly different: number; readonly read: number; readonly days: number }) => string
      readonly sums: (v: { readonly same: number; readonly unjudged: number }) => string
      readonly truncated: string
      readonly differences: string
      readonly tool: string
      readonly caller: string
      readonly now: string
      readonly draft: string
      readonly calls: string
      readonly examples: string
      readonly example: (v: { readonly at: number }) => string
      readonly unjudged: (v: { readonly calls: number }) => string
    }
    readonly say: {
      readonly open: string
      readonly others: (v: { readonly words: string; readonly more: number }) => string
      readonly where: {
        readonly platform: string
        readonly some: (v: { readonly slugs: string }) => string
        readonly organization: string
        readonly toolset: (v: { readonly of: string }) => string
        readonly connection: (v: { readonly of: string }) => string
        readonly member: (v: { readonly of: string }) => string
        readonly key: (v: { readonly of: string }) => string
      }
      readonly everyTool: string
      readonly tools: (v: { readonly names: string }) => string
      readonly thatDo: (v: { readonly effects: string }) => string
      readonly does: {
        readonly read: string
        readonly write: string
        readonly destructive: string
      }
      readonly of: (v: { readonly kinds: string }) => string
      readonly category: (v: { readonly names: string }) => string
      readonly withArgument: (v: { readonly argument: string }) => string
      readonly when: (v: { readonly condition: string }) => string
    }
  }
  readonly runtime: {
    readonly hint: string
    readonly tabs: {
      readonly processes: string
      readonly sessions: string
      readonly pool: string
      readonly logs: string
      readonly health: string
    }
    readonly refresh: string
    readonly forbidden: string
    readonly forbiddenHint: string
    readonly notYours: string
    readonly notYoursHint: string
    readonly processes: {
      readonly title: string
      readonly hint: string
      readonly empty: string
      readonly emptyHint: string
      readonly emptyAction: string
      readonly none: string
      readonly status: {
        readonly starting: string
        readonly running: string
        readonly stopped: string
        readonly error: string
        readonly restarting: string
      }
      readonly shared: string
      readonly own: string
      readonly pid: string
      readonly started: string
      readonly checked: string
      readonly restarts: string
      readonly problem: string
      readonly memory: string
      readonly restart: string
      readonly restartOf: (v: { readonly name: string }) => string
      readonly stop: string
      readonly stopOf: (v: { readonly name: string }) => string
      readonly off: string
      readonly restarted: (v: { readonly name: string }) => string
      readonly stopped: (v: { readonly name: string }) => string
    }
    readonly sessions: {
      readonly title: string
      readonly hint: string
      readonly list: string
      readonly empty: string
      readonly emptyHint: string
      readonly columns: {
        readonly client: string
        readonly who: string
        readonly where: string
        readonly seen: string
        readonly action: string
      }
      readonly unnamed: string
      readonly since: string
      readonly toolset: (v: { readonly name: string }) => string
      readonly connection: string
      readonly end: string
      readonly endOf: (v: { readonly client: string }) => string
      readonly ended: string
    }
    readonly organization: string
    readonly anyOrganization: string
    readonly pool: {
      readonly title: string
      readonly hint: string
      readonly list: string
      readonly empty: string
      readonly emptyHint: string
      readonly figures: {
        readonly total: string
        readonly sessions: string
        readonly processes: string
        readonly calls: string
        readonly streams: string
      }
      readonly columns: {
        readonly connection: string
        readonly kind: string
        readonly holder: string
        readonly busy: string
        readonly used: string
        readonly action: string
      }
      readonly kinds: {
        readonly session: string
        readonly process: string
      }
      readonly holders: {
        readonly gateway: string
        readonly session: string
        readonly principal: string
      }
      readonly busy: (v: { readonly calls: number; readonly streams: number }) => string
      readonly opened: string
      readonly end: string
      readonly endOf: (v: { readonly connection: string }) => string
      readonly idle: string
      readonly ended: (v: { readonly count: number }) => string
    }
    readonly logs: {
      readonly title: string
      readonly hint: string
      readonly level: string
      readonly levels: {
        readonly debug: string
        readonly info: string
        readonly warn: string
        readonly error: string
      }
      readonly connection: string
      readonly any: string
      readonly lines: string
      readonly empty: string
      readonly live: string
      readonly waiting: string
      readonly broken: string
      readonly paused: string
      readonly pause: string
      readonly resume: string
      readonly dropped: string
      readonly copy: string
      readonly took: string
    }
    readonly gateways: {
      readonly title: string
      readonly hint: string
      readonly mixed: string
      readonly empty: string
      readonly current: (v: { readonly process: number }) => string
      readonly process: (v: { readonly process: number }) => string
      readonly states: {
        readonly running: string
        readonly silent: string
      }
      readonly columns: {
        readonly host: string
        readonly state: string
        readonly version: string
        readonly roles: string
        readonly started: string
        readonly seen: string
      }
    }
    readonly health: {
      readonly title: string
      readonly ready: string
      readonly notReady: string
      readonly degraded: string
      readonly checks: string
      readonly names: {
        readonly database: string
        readonly store: string
        readonly records: string
        readonly state: string
        readonly limits: string
        readonly policy: string
      }
      readonly stateNames: {
        readonly connected: string
        readonly needs_auth: string
        readonly error: string
        readonly new: string
        readonly disabled: string
        readonly stale: string
      }
      readonly values: {
        readonly ok: string
        readonly memory: string
        readonly redis: string
        readonly database: string
        readonly 'database and redis': string
        readonly 'memory and redis': string
      }
      readonly uptime: string
      readonly memory: string
      readonly pooled: string
      readonly lastKnown: string
      readonly installation: string
      readonly organizations: string
      readonly users: string
      readonly connections: string
      readonly connectionsOn: (v: { readonly enabled: number; readonly all: number }) => string
      readonly states: string
      readonly tools: string
      readonly sessions: string
      readonly keys: string
      readonly calls: string
      readonly callsOf: (v: { readonly total: string; readonly failed: string; readonly refused: string }) => string
      readonly days: (v: { readonly count: number }) => string
      readonly hours: (v: { readonly count: number }) => string
      readonly minutes: (v: { readonly count: number }) => string
      readonly backup: string
      readonly noBackup: string
    }
  }
  readonly scim: {
    readonly title: string
    readonly hint: string
    readonly add: string
    readonly addHint: string
    readonly empty: string
    readonly emptyHint: string
    readonly name: string
    readonly columns: {
      readonly name: string
      readonly expires: string
      readonly used: string
      readonly action: string
    }
    readonly never: string
    readonly rotate: string
    readonly rotateOf: (v: { readonly name: string }) => string
    readonly remove: string
    readonly removeOf: (v: { readonly name: string }) => string
    readonly removeTitle: string
    readonly removeText: (v: { readonly name: string }) => string
    readonly removed: string
    readonly address: string
    readonly copyAddress: string
    readonly people: string
    readonly suspended: string
    readonly groups: string
    readonly lastRequest: string
  }
  readonly secondFactor: {
    readonly title: string
    readonly hint: string
    readonly required: string
    readonly none: string
    readonly addPasskey: string
    readonly addApp: string
    readonly added: string
    readonly never: string
    readonly columns: {
      readonly name: string
      readonly added: string
      readonly used: string
      readonly action: string
    }
    readonly kinds: {
      readonly app: string
      readonly passkey: string
      readonly synced: string
    }
    readonly remove: string
    readonly removeOf: (v: { readonly name: string }) => string
    readonly removeText: string
    readonly removed: string
    readonly codes: {
      readonly title: string
      readonly hint: string
      readonly left: (v: { readonly count: number }) => string
      readonly renew: string
      readonly copy: string
      readonly stored: string
    }
    readonly app: {
      readonly title: string
      readonly hint: string
      readonly qr: string
      readonly secret: string
      readonly copy: string
      readonly name: string
      readonly nameLabel: string
      readonly code: string
      readonly verb: string
    }
    readonly passkey: {
      readonly title: string
      readonly hint: string
      readonly name: string
      readonly nameLabel: string
      readonly verb: string
    }
    readonly proof: {
      readonly title: string
      readonly hint: string
      readonly password: string
      readonly look: string
      readonly code: string
      readonly codeHint: string
      readonly passkey: string
      readonly verb: string
      readonly none: string
      readonly signIn: string
    }
    readonly rules: {
      readonly title: string
      readonly hint: string
      readonly required: string
      readonly requiredHint: string
      readonly hours: string
      readonly hoursHint: string
      readonly minutes: string
      readonly minutesHint: string
      readonly save: string
    }
  }
  readonly secretOnce: {
    readonly title: string
    readonly hint: string
    readonly label: string
    readonly copy: string
    readonly stored: string
  }
  readonly serviceLevels: {
    readonly title: string
    readonly hint: string
    readonly window: string
    readonly windows: {
      readonly hour: string
      readonly day: string
      readonly month: string
    }
    readonly target: string
    readonly targetHint: string
    readonly saved: string
    readonly figures: {
      readonly availability: string
      readonly p95: string
      readonly budget: string
      readonly calls: string
    }
    readonly failed: (v: { readonly failed: string }) => string
    readonly connections: string
    readonly columns: {
      readonly connection: string
      readonly availability: string
      readonly p95: string
      readonly budget: string
      readonly calls: string
      readonly failed: string
    }
    readonly missed: string
    readonly none: string
    readonly nothing: {
      readonly title: string
      readonly hint: string
    }
    readonly forbidden: {
      readonly title: string
      readonly hint: string
    }
    readonly connect: string
    readonly unknown: string
    readonly usage: string
  }
  readonly settingFields: {
    readonly allow: {
      readonly lifts: {
        readonly label: string
        readonly hint: string
      }
    }
    readonly size: {
      readonly arguments: {
        readonly label: string
      }
      readonly result_text: {
        readonly label: string
      }
      readonly result_rows: {
        readonly label: string
      }
      readonly result_fields: {
        readonly label: string
        readonly hint: string
      }
      readonly result_redact: {
        readonly label: string
        readonly hint: string
      }
    }
    readonly rate: {
      readonly calls: {
        readonly label: string
      }
      readonly per: {
        readonly label: string
      }
      readonly of: {
        readonly label: string
        readonly choices: {
          readonly caller: string
          readonly organization: string
          readonly session: string
        }
      }
    }
    readonly lock: {
      readonly parameter: {
        readonly label: string
        readonly hint: string
      }
      readonly value: {
        readonly label: string
        readonly hint: string
      }
      readonly as: {
        readonly label: string
        readonly hint: string
      }
    }
    readonly clamp: {
      readonly parameter: {
        readonly label: string
        readonly hint: string
      }
      readonly default: {
        readonly label: string
        readonly hint: string
      }
      readonly min: {
        readonly label: string
      }
      readonly max: {
        readonly label: string
      }
    }
    readonly approve: {
      readonly by_roles: {
        readonly label: string
      }
      readonly by_members: {
        readonly label: string
      }
      readonly by_groups: {
        readonly label: string
      }
      readonly by_webhooks: {
        readonly label: string
      }
      readonly by_self: {
        readonly label: string
        readonly hint: string
      }
      readonly always: {
        readonly label: string
        readonly hint: string
      }
      readonly quorum: {
        readonly label: string
        readonly hint: string
      }
      readonly wait: {
        readonly label: string
        readonly hint: string
      }
      readonly repeat: {
        readonly label: string
        readonly hint: string
      }
    }
    readonly reject: {
      readonly parameter: {
        readonly label: string
        readonly hint: string
      }
      readonly min: {
        readonly label: string
      }
      readonly max: {
        readonly label: string
      }
      readonly in: {
        readonly label: string
        readonly hint: string
      }
      readonly pattern: {
        readonly label: string
        readonly hint: string
      }
    }
  }
  readonly settings: {
    readonly hint: string
    readonly tabs: {
      readonly organization: string
      readonly egress: string
      readonly apps: string
      readonly webhooks: string
      readonly signIn: string
      readonly streams: string
      readonly alerts: string
      readonly installation: string
    }
    readonly save: string
    readonly saved: string
    readonly back: string
    readonly reference: string
    readonly referenceHint: string
    readonly cannot: string
    readonly organization: {
      readonly title: string
      readonly hint: string
      readonly slug: string
      readonly name: string
      readonly description: string
      readonly email: string
      readonly emailHint: string
      readonly limits: string
      readonly rate: string
      readonly rateHint: (v: { readonly most: string }) => string
      readonly rateDefault: string
      readonly rateWrong: (v: { readonly most: string }) => string
      readonly nameWrong: string
      readonly emailWrong: string
      readonly approvals: string
      readonly approvalsHint: string
      readonly approvalModes: {
        readonly off: string
        readonly 'ask-destructive': string
        readonly 'ask-writes': string
      }
      readonly processes: string
      readonly processesOn: string
      readonly processesOff: string
      readonly processesHint: string
      readonly changed: string
    }
    readonly egress: {
      readonly title: string
      readonly hint: string
      readonly networks: string
      readonly hosts: string
      readonly none: string
      readonly change: string
    }
    readonly apps: {
      readonly title: string
      readonly hint: string
      readonly list: string
      readonly add: string
      readonly empty: string
      readonly emptyHint: string
      readonly columns: {
        readonly vendor: string
        readonly client: string
        readonly secret: string
        readonly used: string
        readonly action: string
      }
      readonly noSecret: string
      readonly use: (v: { readonly vendor: string }) => string
      readonly on: string
      readonly off: string
      readonly change: string
      readonly changeOf: (v: { readonly vendor: string }) => string
      readonly remove: string
      readonly removeOf: (v: { readonly vendor: string }) => string
      readonly removeText: string
      readonly removed: (v: { readonly vendor: string }) => string
      readonly vendor: string
      readonly vendorPick: string
      readonly steps: string
      readonly documentation: (v: { readonly vendor: string }) => string
      readonly redirect: string
      readonly copyRedirect: string
      readonly server: string
      readonly serverHint: string
      readonly redirectHint: string
      readonly client: string
      readonly secret: string
      readonly secretNew: string
      readonly secretKept: (v: { readonly hint: string }) => string
      readonly needed: string
      readonly save: string
      readonly saved: (v: { readonly vendor: string }) => string
    }
    readonly alerts: {
      readonly title: string
      readonly hint: string
      readonly list: string
      readonly kind: string
      readonly connection: string
      readonly any: string
      readonly empty: string
      readonly emptyHint: string
      readonly nothing: string
      readonly columns: {
        readonly what: string
        readonly connection: string
        readonly details: string
        readonly when: string
      }
      readonly everywhere: string
      readonly facts: {
        readonly account: (v: { readonly value: string }) => string
        readonly provider: (v: { readonly value: string }) => string
        readonly tool: (v: { readonly value: string }) => string
        readonly client: (v: { readonly value: string }) => string
        readonly by: (v: { readonly value: string }) => string
        readonly note: (v: { readonly value: string }) => string
        readonly name: (v: { readonly value: string }) => string
        readonly url: (v: { readonly value: string }) => string
        readonly problem: (v: { readonly value: string }) => string
        readonly fault: (v: { readonly value: string }) => string
        readonly expires_at: (v: { readonly value: string }) => string
        readonly since: (v: { readonly value: string }) => string
        readonly until: (v: { readonly value: string }) => string
      }
      readonly owners: {
        readonly member: string
        readonly organization: string
      }
    }
    readonly installation: {
      readonly title: string
      readonly hint: string
      readonly list: string
      readonly search: string
      readonly only: string
      readonly empty: string
      readonly columns: {
        readonly name: string
        readonly value: string
        readonly from: string
        readonly about: string
      }
      readonly unset: string
      readonly secret: string
      readonly origin: {
        readonly default: string
        readonly environment: string
      }
      readonly unknown: string
    }
    readonly sandbox: {
      readonly title: string
      readonly hint: string
      readonly driver: string
      readonly drivers: {
        readonly bubblewrap: string
        readonly process: string
        readonly docker: string
        readonly podman: string
        readonly kubernetes: string
        readonly none: string
      }
      readonly policy: string
      readonly policies: {
        readonly required: string
        readonly preferred: string
        readonly off: string
      }
      readonly holds: string
      readonly missing: string
      readonly nothing: string
      readonly complete: string
      readonly incomplete: string
      readonly refused: string
      readonly reasons: string
    }
  }
  readonly shortcuts: {
    readonly title: string
    readonly go: (v: { readonly screen: string }) => string
    readonly everything: string
    readonly search: string
    readonly next: string
    readonly previous: string
    readonly open: string
    readonly list: string
    readonly on: string
    readonly onHint: string
  }
  readonly table: {
    readonly loading: (v: { readonly what: string }) => string
    readonly old: string
    readonly range: (v: { readonly first: number; readonly last: number; readonly total: number }) => string
    readonly before: string
    readonly after: string
    readonly columns: string
    readonly more: string
    readonly rangeOfMore: (v: { readonly first: number; readonly last: number; readonly total: number }) => string
    readonly unreadable: (v: { readonly count: number }) => string
  }
  readonly tools: {
    readonly hint: (v: { readonly tools: string; readonly tokens: string }) => string
    readonly views: {
      readonly list: string
      readonly preview: string
    }
    readonly search: string
    readonly searchHint: string
    readonly effect: string
    readonly connection: string
    readonly state: string
    readonly sort: string
    readonly any: {
      readonly effect: string
      readonly connection: string
      readonly state: string
    }
    readonly sorts: {
      readonly name: string
      readonly tokens: string
      readonly marks: string
    }
    readonly states: {
      readonly on: string
      readonly off: string
      readonly held: string
      readonly hidden: string
    }
    readonly hidden: {
      readonly connection: string
      readonly switch: string
      readonly hold: string
      readonly rule: string
    }
    readonly rule: (v: { readonly reason: string }) => string
    readonly columns: {
      readonly tool: string
      readonly connection: string
      readonly effect: string
      readonly state: string
      readonly tokens: string
      readonly on: string
    }
    readonly list: string
    readonly select: (v: { readonly name: string }) => string
    readonly selectAll: (v: { readonly number: string }) => string
    readonly selected: (v: { readonly number: string; readonly tokens: string }) => string
    readonly shown: (v: { readonly number: string; readonly total: string }) => string
    readonly switchOn: string
    readonly switchOff: string
    readonly clear: string
    readonly clearFilter: string
    readonly toggle: (v: { readonly name: string }) => string
    readonly switchedOn: (v: { readonly number: number }) => string
    readonly switchedOff: (v: { readonly number: number }) => string
    readonly nothingToSwitch: string
    readonly none: {
      readonly title: string
      readonly hint: string
      readonly action: string
    }
    readonly noneFit: {
      readonly title: string
      readonly hint: string
    }
    readonly marks: {
      readonly name: string
      readonly 'property-name': string
      readonly 'combined-schema': string
      readonly 'no-description': string
      readonly 'long-description': string
      readonly 'no-annotations': string
      readonly duplicate: string
    }
    readonly warnings: (v: { readonly number: number }) => string
    readonly drawer: {
      readonly tryIt: string
      readonly tabs: {
        readonly about: string
        readonly input: string
        readonly output: string
        readonly toolsets: string
        readonly rules: string
      }
      readonly own: string
      readonly approval: string
      readonly effect: string
      readonly sayEffect: string
      readonly unsaid: string
      readonly effectSaid: string
      readonly approvals: {
        readonly none: string
        readonly ask: string
        readonly always: string
      }
      readonly cost: string
      readonly costs: (v: { readonly tokens: string }) => string
      readonly revision: string
      readonly unknown: string
      readonly nothingSaid: string
      readonly annotations: string
      readonly noAnnotations: string
      readonly noOutput: string
      readonly whole: string
      readonly inToolsets: string
      readonly inNone: string
      readonly same: string
      readonly everything: string
      readonly otherName: (v: { readonly name: string }) => string
      readonly otherTitle: (v: { readonly title: string }) => string
      readonly otherText: string
      readonly otherSchema: string
      readonly noRules: string
      readonly lock: string
      readonly newRule: string
    }
    readonly schema: {
      readonly form: (v: { readonly label: string }) => string
      readonly fields: string
      readonly json: string
      readonly nothing: string
      readonly required: string
      readonly choices: (v: { readonly choices: string; readonly more: boolean }) => string
      readonly otherwise: (v: { readonly value: string }) => string
      readonly bounds: (v: { readonly least: null | undefined | number; readonly most: number | null | undefined }) => string
    }
    readonly preview: {
      readonly hint: string
      readonly who: string
      readonly where: string
      readonly revision: string
      readonly me: string
      readonly groups: {
        readonly roles: string
        readonly members: string
        readonly keys: string
        readonly toolsets: string
        readonly connections: string
      }
      readonly all: string
      readonly summary: (v: { readonly tools: number; readonly bytes: string; readonly tokens: string }) => string
      readonly role: (v: { readonly role: string }) => string
      readonly pages: (v: { readonly pages: number; readonly first: number; readonly tokens: string }) => string
      readonly mayNotCall: string
      readonly exceeds: (v: { readonly most: number }) => string
      readonly refused: string
      readonly list: string
      readonly columns: {
        readonly name: string
        readonly says: string
        readonly arguments: string
      }
      readonly nothing: {
        readonly title: string
        readonly hint: string
      }
      readonly copy: string
      readonly definition: string
      readonly input: string
    }
  }
  readonly toolsets: {
    readonly hint: string
    readonly missing: {
      readonly title: string
      readonly empty: string
      readonly hint: string
      readonly all: string
    }
    readonly add: string
    readonly list: string
    readonly columns: {
      readonly title: string
      readonly tools: string
      readonly cost: string
      readonly endpoint: string
    }
    readonly tools: (v: { readonly tools: number }) => string
    readonly listed: (v: { readonly listed: string; readonly tools: string }) => string
    readonly tokens: (v: { readonly tokens: string }) => string
    readonly exceeds: (v: { readonly most: number }) => string
    readonly exceedsWhy: (v: { readonly most: number }) => string
    readonly supplied: string
    readonly suppliedTitles: {
      readonly admin: string
      readonly 'read-only': string
      readonly standard: string
    }
    readonly declared: string
    readonly copyEndpoint: (v: { readonly slug: string }) => string
    readonly endpoint: string
    readonly copyAddress: string
    readonly modes: {
      readonly direct: string
      readonly paged: string
      readonly 'two-tier': string
      readonly search: string
    }
    readonly modeHints: {
      readonly direct: string
      readonly paged: string
      readonly 'two-tier': string
      readonly search: string
    }
    readonly new: {
      readonly title: string
      readonly name: string
      readonly slug: string
      readonly slugHint: string
      readonly slugWrong: string
      readonly slugTaken: string
      readonly start: string
      readonly starts: {
        readonly all: string
        readonly read: string
        readonly none: string
      }
      readonly make: string
    }
    readonly tabs: {
      readonly tools: string
      readonly discovery: string
      readonly audience: string
      readonly rules: string
      readonly preview: string
    }
    readonly save: string
    readonly discard: string
    readonly unsaved: string
    readonly kept: (v: { readonly title: string }) => string
    readonly saved: (v: { readonly title: string }) => string
    readonly made: (v: { readonly title: string }) => string
    readonly removed: (v: { readonly title: string }) => string
    readonly remove: string
    readonly isSupplied: string
    readonly isDeclared: string
    readonly titleLabel: string
    readonly pick: {
      readonly chosen: (v: { readonly chosen: string; readonly total: string; readonly tokens: string }) => string
      readonly table: string
      readonly all: string
      readonly none: string
      readonly takeShown: (v: { readonly number: string }) => string
      readonly dropShown: (v: { readonly number: string }) => string
      readonly take: (v: { readonly name: string }) => string
      readonly in: string
      readonly ins: {
        readonly any: string
        readonly in: string
        readonly out: string
      }
      readonly columns: {
        readonly tool: string
        readonly effect: string
        readonly tokens: string
        readonly words: string
      }
      readonly edit: string
      readonly editOf: (v: { readonly name: string }) => string
      readonly renamed: string
      readonly reworded: string
      readonly locks: (v: { readonly number: number }) => string
      readonly limited: string
      readonly connections: string
      readonly ofConnection: (v: { readonly alias: string; readonly inside: string; readonly all: string }) => string
      readonly patterns: string
      readonly patternsHint: string
      readonly include: string
      readonly exclude: string
      readonly searchConnections: string
      readonly moreConnections: (v: { readonly number: string }) => string
    }
    readonly edit: {
      readonly name: string
      readonly nameHint: (v: { readonly name: string }) => string
      readonly nameWrong: string
      readonly nameOwn: string
      readonly nameTaken: string
      readonly title: string
      readonly description: string
      readonly descriptionHint: string
      readonly theirs: string
      readonly difference: string
      readonly back: string
      readonly arguments: string
      readonly argumentsHint: string
      readonly noArguments: string
      readonly as: {
        readonly open: string
        readonly fixed: string
        readonly default: string
      }
      readonly asOf: (v: { readonly name: string }) => string
      readonly value: string
      readonly valueOf: (v: { readonly name: string }) => string
      readonly valueWrong: (v: { readonly type: string }) => string
      readonly otherwise: string
      readonly rule: string
      readonly done: string
      readonly reason: (v: { readonly name: string }) => string
    }
    readonly discovery: {
      readonly hint: string
      readonly tokens: (v: { readonly tokens: string }) => string
      readonly figures: string
      readonly page: string
      readonly pinned: string
      readonly pinnedHint: string
      readonly naming: string
      readonly namings: {
        readonly alias: string
        readonly mcp: string
        readonly plain: string
      }
    }
    readonly audience: {
      readonly everybody: string
      readonly hint: string
      readonly roles: string
      readonly groups: string
      readonly members: string
      readonly keys: string
      readonly nobody: string
      readonly limit: string
      readonly limits: {
        readonly read: string
        readonly write: string
        readonly execute: string
      }
      readonly limitOf: (v: { readonly alias: string }) => string
      readonly perConnection: string
      readonly asAll: string
      readonly addLimit: string
    }
    readonly rules: {
      readonly hint: string
      readonly list: string
      readonly columns: {
        readonly name: string
        readonly action: string
        readonly state: string
        readonly reason: string
      }
      readonly states: {
        readonly on: string
        readonly shadow: string
        readonly off: string
      }
      readonly none: {
        readonly title: string
        readonly hint: string
      }
      readonly all: string
      readonly add: string
    }
    readonly noneYet: {
      readonly title: string
      readonly hint: string
      readonly action: string
    }
  }
  readonly trust: {
    readonly question: (v: { readonly alias: string }) => string
    readonly asks: (v: { readonly asking: number; readonly tools: number }) => string
    readonly marks: (v: { readonly marked: number }) => string
    readonly then: (v: { readonly left: number }) => string
    readonly trust: string
    readonly done: (v: { readonly alias: string }) => string
  }
  readonly usage: {
    readonly hint: string
    readonly forbidden: {
      readonly title: string
      readonly hint: string
    }
    readonly range: string
    readonly ranges: {
      readonly day: string
      readonly week: string
      readonly month: string
    }
    readonly chart: string
    readonly chartSays: (v: { readonly calls: number; readonly failed: number; readonly refused: number }) => string
    readonly latency: string
    readonly latencyHint: string
    readonly latencySays: (v: { readonly median: string; readonly p95: string }) => string
    readonly change: (v: { readonly percent: number }) => string
    readonly carriedOut: string
    readonly good: string
    readonly failed: string
    readonly refused: string
    readonly figures: {
      readonly calls: string
      readonly success: string
      readonly failed: string
      readonly refused: string
      readonly median: string
      readonly p95: string
    }
    readonly share: (v: { readonly few: boolean; readonly percent: number }) => string
    readonly connections: string
    readonly tools: string
    readonly callers: string
    readonly reasons: string
    readonly columns: {
      readonly name: string
      readonly connection: string
      readonly caller: string
      readonly calls: string
      readonly failed: string
      readonly refused: string
      readonly reason: string
      readonly client: string
    }
    readonly why: {
      readonly 'tool.unknown': string
      readonly 'tool.own-name': string
      readonly 'tool.unlisted': string
      readonly 'tool.held': string
      readonly 'policy.blocked': string
      readonly 'policy.rejected': string
      readonly 'approval.required': string
      readonly 'approval.denied': string
      readonly 'approval.expired': string
      readonly 'arguments.invalid': string
      readonly 'params.shape': string
      readonly 'scope.insufficient': string
      readonly 'upstream.resting': string
      readonly 'upstream.unreachable': string
      readonly 'upstream.given-up': string
      readonly 'upstream.disabled': string
      readonly 'upstream.needs-auth': string
      readonly 'upstream.timeout': string
      readonly 'upstream.lost': string
      readonly 'upstream.malformed': string
      readonly 'upstream.busy': string
      readonly 'connection.busy': string
      readonly 'credential.needed': string
      readonly 'credential.declined': string
      readonly 'function.failed': string
      readonly 'egress.refused': string
      readonly 'limit.key': string
      readonly 'limit.organization': string
      readonly 'limit.connection': string
      readonly 'limit.rule': string
      readonly 'call.cancelled': string
      readonly 'session.ended': string
      readonly 'gateway.ended': string
      readonly 'gateway.draining': string
      readonly internal: string
    }
    readonly gone: (v: { readonly id: string }) => string
    readonly nothing: {
      readonly title: string
      readonly hint: string
    }
    readonly call: string
    readonly onlyAdministrators: string
    readonly clients: string
  }
  readonly usageDetails: {
    readonly custom: string
    readonly from: string
    readonly to: string
    readonly invalid: string
    readonly zoom: string
    readonly drag: string
    readonly resetZoom: string
    readonly connection: (v: { readonly name: string }) => string
    readonly caller: (v: { readonly name: string }) => string
    readonly clear: (v: { readonly filter: string }) => string
    readonly only: (v: { readonly name: string }) => string
    readonly records: string
    readonly recordsOf: (v: { readonly name: string }) => string
    readonly heat: string
    readonly heatHint: string
    readonly tool: string
    readonly cell: (v: { readonly tool: string; readonly at: string; readonly calls: string }) => string
    readonly csv: string
    readonly exported: (v: { readonly file: string }) => string
    readonly day: (v: { readonly at: string; readonly calls: number; readonly failed: number; readonly refused: number }) => string
  }
  readonly users: {
    readonly hint: string
    readonly forbidden: {
      readonly title: string
      readonly hint: string
    }
    readonly none: string
    readonly add: string
    readonly addVerb: string
    readonly addHint: string
    readonly alsoAdmin: string
    readonly adminMeans: string
    readonly isHere: (v: { readonly name: string }) => string
    readonly columns: {
      readonly person: string
      readonly active: string
      readonly admin: string
      readonly actions: string
    }
    readonly never: string
    readonly by: (v: { readonly provider: string }) => string
    readonly active: (v: { readonly name: string }) => string
    readonly activeNow: (v: { readonly active: boolean; readonly name: string }) => string
    readonly admin: (v: { readonly name: string }) => string
    readonly adminNow: (v: { readonly admin: boolean; readonly name: string }) => string
    readonly notYourself: string
    readonly newCode: (v: { readonly name: string }) => string
    readonly codeFor: (v: { readonly name: string }) => string
    readonly remove: (v: { readonly name: string }) => string
    readonly removeTitle: (v: { readonly name: string }) => string
    readonly removeVerb: string
    readonly removeWhat: string
    readonly removed: (v: { readonly name: string }) => string
    readonly anybody: string
    readonly adminsOnly: string
    readonly local: string
    readonly inactiveOnly: string
  }
  readonly webhooks: {
    readonly title: string
    readonly hint: string
    readonly list: string
    readonly add: string
    readonly empty: string
    readonly emptyHint: string
    readonly columns: {
      readonly address: string
      readonly told: string
      readonly state: string
      readonly action: string
    }
    readonly on: string
    readonly off: string
    readonly gaveUp: (v: { readonly why: string }) => string
    readonly delivered: string
    readonly failed: string
    readonly waiting: (v: { readonly count: number }) => string
    readonly oldSecret: string
    readonly actions: (v: { readonly address: string }) => string
    readonly test: string
    readonly tested: (v: { readonly status: string }) => string
    readonly notDelivered: string
    readonly testMend: string
    readonly change: string
    readonly edit: string
    readonly rotate: string
    readonly switchOn: string
    readonly switchOff: string
    readonly switchedOn: string
    readonly switchedOff: string
    readonly remove: string
    readonly removeTitle: string
    readonly removeText: (v: { readonly address: string }) => string
    readonly removed: string
    readonly address: string
    readonly addressHint: string
    readonly addressWrong: string
    readonly description: string
    readonly private: string
    readonly privateWhy: string
    readonly events: string
    readonly eventsWrong: string
    readonly event: {
      readonly alert: string
      readonly integrations_changed: string
    }
    readonly save: string
    readonly saved: string
  }
  readonly welcome: {
    readonly title: string
    readonly email: string
    readonly password: string
    readonly passwordHint: string
    readonly show: string
    readonly enter: string
    readonly incomplete: string
    readonly enterCode: string
  }
}
