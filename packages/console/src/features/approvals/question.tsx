/** One question whether a call may be made: what is asked, by whom, why, with which arguments, and what was answered. */
import { Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Approval } from '@toolway/contract/admin'
import { visible, type Effect } from '@toolway/contract'
import type { ReactNode } from 'react'
import { useMay, useOrganization } from '../../data/me.ts'
import { RuleLink } from '../../parts/rule-link.tsx'
import { TrustOffer } from '../../parts/trust-offer.tsx'
import { localized, localizedList } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { withBreaks } from '../../ui/breaks.tsx'
import { StateBadge, type Tone } from '../../ui/badges.tsx'
import { EffectBadge } from '../../ui/effect-badge.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { When } from '../../ui/when.tsx'
import { Arguments } from './arguments.tsx'
import { approvalQuery } from './questions.ts'

const TONES: Readonly<Record<Approval['state'], Tone>> = {
  pending: 'busy',
  granted: 'good',
  used: 'good',
  denied: 'bad',
  expired: 'off',
}

export function ApprovalState({ approval: { state } }: { approval: Approval }) {
  return <StateBadge tone={TONES[state]}>{texts.approvals.states[state]}</StateBadge>
}

export function QuestionHead({ approval, heading }: { approval: Approval; heading: 2 | 3 }) {
  const t = texts.approvals
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Title order={heading} size="h3" className="breakable">
          {withBreaks(visible(approval.tool))}
        </Title>
        <EffectBadge effect={approval.effect as Effect} from={approval.effect_from} />
      </Group>
      <Text size="sm" c="dimmed" className="breakable">
        {t.asks({ caller: visible(approval.caller), connection: approval.connection ?? t.gone })}
        {approval.client === null ? null : ` ${t.by({ client: visible(approval.client) })}`}
        {' · '}
        <When at={approval.created_at} />
      </Text>
    </Stack>
  )
}

/** Everything below its head. */
export function QuestionBody({ approval }: { approval: Approval }) {
  const organization = useOrganization()
  const whole = useQuery(approvalQuery(organization, approval.id))
  const t = texts.approvals
  return (
    <Stack gap="md">
      <Part title={t.sent}>
        <Loaded query={whole}>
          {({ arguments: sent, given, files }) => (
            <Stack gap="sm">
              <Arguments sent={sent} given={given} />
              {files.map(({ place, name, media_type: type, size }) => (
                <Text key={place} size="sm" className="breakable">
                  {t.file({ name, type, size })}
                </Text>
              ))}
            </Stack>
          )}
        </Loaded>
      </Part>
      <Part title={t.why}>
        <Rules approval={approval} />
      </Part>
      {isOfMark(approval) ? <TrustOffer alias={approval.connection} /> : null}
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <Fact name={approval.state === 'pending' ? t.until : t.was}>
          <When at={approval.good_until ?? approval.expires_at} />
        </Fact>
        {approval.account === null ? null : <Fact name={t.account}>{approval.account}</Fact>}
        {approval.uses === 0 ? null : <Fact name={t.used}>{t.times({ uses: approval.uses })}</Fact>}
      </SimpleGrid>
      {approval.answers.length === 0 ? null : (
        <Part title={t.answers}>
          <Answers approval={approval} />
        </Part>
      )}
    </Stack>
  )
}

function Rules({ approval: { rules } }: { approval: Approval }) {
  const mayRules = useMay('policy_manage')
  const t = texts.approvals
  return (
    <Stack gap={6}>
      {rules.map(({ name, reason, scope, asks, quorum, granted }) => (
        <div key={`${scope} ${name}`}>
          <Text>{localized(reason, 'rules')}</Text>
          <Group gap={6} fz="sm" c="dimmed">
            {mayRules ? (
              <Text component="span" size="sm">
                {isOfSettings(name, scope) ? (
                  <RuleLink id={`settings:${name}`}>{name}</RuleLink>
                ) : (
                  <TextLink to="/rules" search={{ search: name }}>
                    {name}
                  </TextLink>
                )}
              </Text>
            ) : (
              <span>{name}</span>
            )}
            <span className="breakable">
              {t.ruleAsks({ who: localizedList(asks) })}
              {quorum > 1 ? ` · ${t.quorum({ granted, quorum })}` : null}
            </span>
          </Group>
        </div>
      ))}
    </Stack>
  )
}

/** A question names its rules without their ids: this one is behind a setting of the organization, and is kept nowhere. */
const isOfSettings = (name: string, scope: string): boolean =>
  scope === 'connection' && (name === 'ask-writes' || name === 'ask-destructive')

/** Whether a read-only mark that does not count has caused it. */
const isOfMark = (approval: Approval): approval is Approval & { connection: string } =>
  approval.state === 'pending' &&
  approval.connection !== null &&
  approval.effect_from === 'unknown' &&
  approval.stated_effect === 'read' &&
  approval.rules.some(({ name, scope }) => isOfSettings(name, scope))

function Answers({ approval: { answers } }: { approval: Approval }) {
  const t = texts.approvals
  return (
    <Stack gap={6}>
      {answers.map(({ by, verdict, way, note, at }) => (
        <div key={by}>
          <Text size="sm" className="breakable">
            <strong>{by}</strong> {t.verdicts[verdict]} <When at={at} /> {t.ways[way] ?? way}
          </Text>
          {note === null ? null : (
            <Text size="sm" c="dimmed" className="breakable">
              {visible(note)}
            </Text>
          )}
        </div>
      ))}
    </Stack>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap={6}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      {children}
    </Stack>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="sm" component="div" className="breakable">
        {children}
      </Text>
    </div>
  )
}
