/** A form made of a JSON schema that others wrote. It is loaded when the first one is drawn. */
import '@mantine/dates/styles.css'
import { Form, generateTemplates } from '@rjsf/mantine'
import type { BaseInputTemplateProps, FieldErrorProps, RJSFSchema } from '@rjsf/utils'
import { useId, useMemo } from 'react'
import { texts } from '../../../texts/texts.ts'
import { isObject, type JsonObject } from '../mcp/wire.ts'
import type { ArgumentError } from '../runs.ts'
import { errorTreeOf } from './field-errors.ts'
import drawing from './validator.ts'

export interface SchemaFormProps {
  readonly schema: JsonObject
  readonly value: JsonObject
  readonly errors?: readonly ArgumentError[]
  readonly onChange: (value: JsonObject) => void
  readonly onSubmit: () => void
}

const { BaseInputTemplate: Input = () => null, FieldErrorTemplate: Errors = () => null } = generateTemplates()
const OURS = {
  /** A field without a value is an empty one: to React it would be another kind of field. */
  BaseInputTemplate: (props: BaseInputTemplateProps) => <Input {...props} value={(props.value as unknown) ?? ''} />,
  /** The field of a single value shows its own error. */
  FieldErrorTemplate: (props: FieldErrorProps) =>
    [props.schema.type].flat().some((type) => type === 'object' || type === 'array') ? <Errors {...props} /> : null,
}
const NONE: readonly ArgumentError[] = []

export default function SchemaForm({ schema, value, errors = NONE, onChange, onSubmit }: SchemaFormProps) {
  const id = useId()
  // Title and description of the whole stand above it already.
  const drawn = useMemo(() => ({ ...schema, type: 'object', title: undefined, description: undefined }), [schema])
  const tree = useMemo(() => errorTreeOf(errors), [errors])
  return (
    <Form
      className="schema-form"
      idPrefix={id}
      schema={drawn as RJSFSchema}
      validator={drawing}
      templates={OURS}
      formData={value}
      extraErrors={tree}
      onChange={({ formData }) => isObject(formData) && onChange(formData)}
      onSubmit={onSubmit}
      noValidate
      noHtml5Validate
      showErrorList={false}
      experimental_defaultFormStateBehavior={{
        emptyObjectFields: 'skipEmptyDefaults',
        arrayMinItems: { populate: 'requiredOnly' },
      }}
    >
      {/* Without one, Enter would send forms of a single field only (HTML, implicit submission). */}
      <button type="submit" hidden>
        {texts.call.start}
      </button>
    </Form>
  )
}
