/** The sandbox of a program in a form: its network, its hosts, its paths; and paths of its arguments that are not allowed. */
import { Alert, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { CHILD_NETWORKS } from '@toolway/contract'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { linesOf, pathsToAllow, relativePath, withPath, type AccessDraft } from './access-draft.ts'

const t = texts.connection.access

export interface ChildAccessProps {
  readonly access: AccessDraft
  readonly args: readonly string[]
  readonly disabled: boolean
  /** Why the gateway refused one of the paths. */
  readonly refused?: string | undefined
  readonly onChange: (access: AccessDraft) => void
}

export function ChildAccessFields({ access, args, disabled, refused, onChange }: ChildAccessProps) {
  const { network, hosts, paths } = access
  const relative = relativePath(access)
  return (
    <Stack gap="sm" role="group" aria-label={t.title}>
      <div>
        <Text size="sm" fw={600}>
          {t.title}
        </Text>
        <Text size="sm" c="dimmed">
          {t.hint}
        </Text>
      </div>
      <Select
        label={t.network}
        description={t.networkHints[network]}
        data={CHILD_NETWORKS.map((value) => ({ value, label: t.networks[value] }))}
        value={network}
        allowDeselect={false}
        disabled={disabled}
        onChange={(next) => onChange({ ...access, network: next as AccessDraft['network'] })}
      />
      {network === 'listed' ? (
        <Textarea
          label={t.hosts}
          description={t.hostsHint}
          error={linesOf(hosts).length === 0 ? t.hostsNone : undefined}
          value={hosts}
          autosize
          minRows={2}
          spellCheck={false}
          disabled={disabled}
          onChange={({ currentTarget }) => onChange({ ...access, hosts: currentTarget.value })}
        />
      ) : null}
      <Textarea
        label={t.paths}
        description={t.pathsHint}
        error={relative === undefined ? refused : t.pathsRelative({ line: relative })}
        value={paths}
        autosize
        minRows={2}
        spellCheck={false}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange({ ...access, paths: currentTarget.value })}
      />
      {disabled
        ? null
        : pathsToAllow(args, access).map((path) => (
            <NamedPath key={path} path={path} onAllow={(allowed) => onChange(withPath(access, allowed))} />
          ))}
    </Stack>
  )
}

function NamedPath({ path, onAllow }: { path: string; onAllow: (path: string) => void }) {
  return (
    <Alert color="orange" icon={<Icon name="alert-triangle" />} title={t.named({ path })}>
      <Stack gap="xs">
        <Text size="sm">{t.namedHint}</Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => onAllow(path)}>
            {t.allow({ path })}
          </Button>
          <Button size="xs" variant="default" onClick={() => onAllow(`${path}:ro`)}>
            {t.allowRead({ path })}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
