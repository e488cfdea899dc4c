// The form of a JSON schema; large, and loaded when the first is shown.
import { Button, Group } from '@mantine/core'
import { withTheme, type FormProps } from '@rjsf/core'
import { Theme } from '@rjsf/mantine'
import { toErrorSchema, type RJSFSchema, type RJSFValidationError, type UiSchema } from '@rjsf/utils'
import { useMemo } from 'react'
import type { ApiError } from '../../api/error.ts'
import { parts } from '../../texts/en/parts.ts'
import { uiSchemaOf, withChoiceTypes } from './ui-schema.ts'
import validator from './validator.ts'
import { widgets } from './widgets.tsx'

export interface SchemaFormProps {
  /** A JSON schema as a plugin or the configuration gives it; `title` and `description` are what people read. */
  readonly schema: object
  readonly value: unknown
  readonly onChange?: (value: unknown) => void
  /** Without it there is no button: the caller has its own. */
  readonly onSubmit?: (value: unknown) => void
  readonly submitText?: string
  readonly isBusy?: boolean
  readonly disabled?: boolean
  /** How fields look, in react-jsonschema-form's notation. */
  readonly uiSchema?: object
  /** What the service said about the fields. */
  readonly error?: ApiError | null
}

const ThemedForm = withTheme<unknown, RJSFSchema>(Theme as never)

export default function Form({
  schema,
  value,
  onChange,
  onSubmit,
  submitText = parts.form.save,
  isBusy = false,
  disabled = false,
  uiSchema,
  error,
}: SchemaFormProps) {
  const shown = useMemo(() => withChoiceTypes(schema) as RJSFSchema, [schema])
  const ownUiSchema = useMemo(
    () => ({ ...uiSchemaOf(schema), ...uiSchema, 'ui:submitButtonOptions': { norender: true } }) as UiSchema,
    [schema, uiSchema],
  )
  const extraErrors = useMemo(
    () =>
      toErrorSchema(
        Object.entries(error?.fields ?? {}).map(
          ([field, message]) => ({ property: `.${field}`, message, stack: message }) as RJSFValidationError,
        ),
      ),
    [error],
  )
  return (
    <ThemedForm
      tagName={onSubmit === undefined ? 'div' : 'form'}
      schema={shown}
      uiSchema={ownUiSchema}
      widgets={widgets as never}
      formData={value}
      validator={validator}
      disabled={disabled}
      showErrorList={false}
      noHtml5Validate
      liveValidate={'onBlur' as never}
      extraErrors={extraErrors as NonNullable<FormProps['extraErrors']>}
      onChange={({ formData }) => onChange?.(formData)}
      onSubmit={({ formData }) => onSubmit?.(formData)}
      onError={() => {}}
    >
      {onSubmit === undefined ? (
        <span />
      ) : (
        <Group justify="flex-end" mt="md">
          <Button type="submit" onMouseDown={keepFocus} loading={isBusy} disabled={disabled}>
            {submitText}
          </Button>
        </Group>
      )}
    </ThemedForm>
  )
}

// Leaving a field checks it, and an error that goes away moves the button from under the pointer: the click would be
// lost.
function keepFocus(event: { preventDefault(): void }): void {
  event.preventDefault()
}
