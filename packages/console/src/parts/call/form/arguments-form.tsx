/** The arguments of a tool: a form made of its schema, or JSON, and each shows what the other holds. */
import { SegmentedControl, Skeleton, Stack, Text, Textarea } from '@mantine/core'
import { Component, lazy, Suspense, useState, type ReactNode } from 'react'
import { texts } from '../../../texts/texts.ts'
import { isObject, type JsonObject } from '../mcp/wire.ts'
import type { ArgumentError } from '../runs.ts'

const SchemaForm = lazy(() => import('./schema-form.tsx'))

export interface ArgumentsFormProps {
  readonly schema: JsonObject
  readonly value: JsonObject
  readonly errors: readonly ArgumentError[]
  readonly onChange: (value: JsonObject) => void
  readonly onSubmit: () => void
  /** Whether what stands there can be sent. */
  readonly onValid: (valid: boolean) => void
}

export function ArgumentsForm(props: ArgumentsFormProps) {
  const { schema, value, errors, onChange, onSubmit, onValid } = props
  const [way, setWay] = useState<'form' | 'json'>('form')
  const t = texts.call
  const turn = (next: string) => {
    setWay(next === 'json' ? 'json' : 'form')
    onValid(true)
  }
  const json = <JsonArguments value={value} onChange={onChange} onValid={onValid} />
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        aria-label={t.ways}
        value={way}
        onChange={turn}
        data={[
          { value: 'form', label: t.asForm },
          { value: 'json', label: t.asJson },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {way === 'json' ? (
        json
      ) : hasNone(schema) ? (
        <Text size="sm" c="dimmed">
          {t.noArguments}
        </Text>
      ) : (
        <Undrawable key={JSON.stringify(schema).length} instead={json}>
          <Suspense fallback={<Skeleton height={96} aria-busy="true" />}>
            <SchemaForm schema={schema} value={value} errors={errors} onChange={onChange} onSubmit={onSubmit} />
          </Suspense>
        </Undrawable>
      )}
      {way === 'form' ? null : <Errors errors={errors} />}
    </Stack>
  )
}

const hasNone = ({ properties, additionalProperties }: JsonObject): boolean =>
  (!isObject(properties) || Object.keys(properties).length === 0) && !isObject(additionalProperties)

function Errors({ errors }: { errors: readonly ArgumentError[] }) {
  if (errors.length === 0) return null
  return (
    <Text component="ul" size="sm" c="var(--mantine-color-error)" m={0} pl="md">
      {errors.map(({ path, message }) => (
        <li key={path + message} className="breakable">
          {path} {message}
        </li>
      ))}
    </Text>
  )
}

interface JsonArgumentsProps {
  readonly value: JsonObject
  readonly onChange: (value: JsonObject) => void
  readonly onValid: (valid: boolean) => void
}

function JsonArguments({ value, onChange, onValid }: JsonArgumentsProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2))
  const problem = problemOf(text)
  const write = (next: string) => {
    setText(next)
    const read = readObject(next)
    onValid(read !== undefined)
    if (read !== undefined) onChange(read)
  }
  return (
    <Textarea
      label={texts.call.json}
      value={text}
      onChange={(event) => write(event.currentTarget.value)}
      error={problem}
      autosize
      minRows={4}
      maxRows={20}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    />
  )
}

function readObject(text: string): JsonObject | undefined {
  try {
    const read: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return isObject(read) ? read : undefined
  } catch {
    return undefined
  }
}

function problemOf(text: string): string | undefined {
  if (readObject(text) !== undefined) return undefined
  try {
    JSON.parse(text)
    return texts.call.noObject
  } catch (thrown) {
    return texts.call.noJson({ problem: thrown instanceof Error ? thrown.message : String(thrown) })
  }
}

/** Others write schemas: one that cannot be drawn must not take the screen with it. */
class Undrawable extends Component<{ instead: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }
  static getDerivedStateFromError() {
    return { failed: true }
  }
  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <Stack gap="xs">
        <Text size="sm">{texts.call.undrawable}</Text>
        {this.props.instead}
      </Stack>
    )
  }
}
