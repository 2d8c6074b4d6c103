/** A JSON Schema to read: its fields as a list of lists, or itself as JSON. */
import { Badge, Box, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { visibleText } from '@toolway/contract'
import { texts } from '../texts/texts.ts'
import { CodeBlock } from './copy.tsx'
import { fieldsOf, type SchemaField } from './schema-fields.ts'

export function SchemaTree({ schema, label }: { schema: unknown; label: string }) {
  const [form, setForm] = useState('fields')
  const fields = fieldsOf(schema)
  const t = texts.tools.schema
  return (
    <Stack gap="sm" align="stretch">
      <SegmentedControl
        size="xs"
        value={form}
        onChange={setForm}
        aria-label={t.form({ label })}
        data={[
          { value: 'fields', label: t.fields },
          { value: 'json', label: t.json },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      {form === 'json' ? (
        <CodeBlock label={label}>{JSON.stringify(schema, null, 2)}</CodeBlock>
      ) : fields.length === 0 ? (
        <Text c="dimmed" size="sm">
          {t.nothing}
        </Text>
      ) : (
        <Fields fields={fields} />
      )}
    </Stack>
  )
}

function Fields({ fields }: { fields: readonly SchemaField[] }) {
  return (
    <Box component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {fields.map((field) => (
        <Box component="li" key={field.name} py={6}>
          <Field {...field} />
          {field.fields.length === 0 ? null : (
            <Box mt={4} pl="sm" style={{ borderInlineStart: '2px solid var(--mantine-color-default-border)' }}>
              <Fields fields={field.fields} />
            </Box>
          )}
        </Box>
      ))}
    </Box>
  )
}

function Field({ name, type, required, description, choices, otherwise, least, most }: SchemaField) {
  const t = texts.tools.schema
  const remarks = [
    choices.length === 0
      ? undefined
      : t.choices({ choices: choices.slice(0, 12).join(', '), more: choices.length > 12 }),
    otherwise === undefined ? undefined : t.otherwise({ value: otherwise }),
    least === undefined && most === undefined ? undefined : t.bounds({ least, most }),
  ].filter((item) => item !== undefined)
  return (
    <>
      <Text component="span" ff="monospace" fw={600} size="sm" className="breakable">
        {visibleText(name)}
      </Text>{' '}
      <Text component="span" size="sm" c="dimmed">
        {type}
      </Text>{' '}
      {required ? (
        <Badge size="xs" variant="light" style={{ textTransform: 'none' }}>
          {t.required}
        </Badge>
      ) : null}
      {description === undefined ? null : (
        <Text size="sm" className="breakable">
          {visibleText(description)}
        </Text>
      )}
      {remarks.map((line) => (
        <Text key={line} size="xs" c="dimmed" className="breakable">
          {visibleText(line)}
        </Text>
      ))}
    </>
  )
}
