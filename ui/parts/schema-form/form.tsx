// A form from a JSON schema. It is large, so it is loaded on first use.
import { Button, Group, MantineThemeProvider, NumberInput } from '@mantine/core'
import { withTheme, type FormProps } from '@rjsf/core'
import { Theme } from '@rjsf/mantine'
import {
  englishStringTranslator,
  toErrorSchema,
  TranslatableString,
  type RJSFSchema,
  type RJSFValidationError,
  type UiSchema,
} from '@rjsf/utils'
import { useMemo, useRef } from 'react'
import type { ApiError } from '../../api/error.ts'
import { parts } from '../../texts/en/parts.ts'
import { uiSchemaOf, withChoiceTypes } from './ui-schema.ts'
import validator from './validator.ts'
import { templates } from './templates.tsx'
import { useWhenReleased } from './when-released.ts'
import { widgets } from './widgets.tsx'

export interface SchemaFormProps {
  /** The JSON schema of a plugin or a settings section; `title` and `description` are shown. */
  readonly schema: object
  readonly value: unknown
  readonly onChange?: (value: unknown) => void
  /** Without it, the form has no submit button. */
  readonly onSubmit?: (value: unknown) => void
  readonly submitText?: string
  readonly isBusy?: boolean
  readonly disabled?: boolean
  /** Widgets of fields, as in react-jsonschema-form. */
  readonly uiSchema?: object
  /** Field errors of the service. */
  readonly error?: ApiError | null
}

const WORDS: { readonly [key in TranslatableString]?: string } = {
  [TranslatableString.AddButton]: parts.form.add,
  [TranslatableString.AddItemButton]: parts.form.add,
  [TranslatableString.RemoveButton]: parts.form.remove,
  [TranslatableString.MoveUpButton]: parts.form.up,
  [TranslatableString.MoveDownButton]: parts.form.down,
}
const translateString = (text: TranslatableString, params?: string[]) =>
  WORDS[text] ?? englishStringTranslator(text, params)

// A number out of range is refused at its field. The default changes it to the nearest one, and that would be saved.
const THEME = { components: { NumberInput: NumberInput.extend({ defaultProps: { clampBehavior: 'none' } }) } }

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
  const form = useRef<{ validateForm(): boolean }>(null)
  const validate = useWhenReleased(() => form.current?.validateForm())
  return (
    <MantineThemeProvider theme={THEME}>
      <ThemedForm
        ref={form as never}
        tagName={onSubmit === undefined ? 'div' : 'form'}
        schema={shown}
        uiSchema={ownUiSchema}
        widgets={widgets as never}
        templates={templates as never}
        formData={value}
        validator={validator}
        translateString={translateString}
        disabled={disabled}
        showErrorList={false}
        noHtml5Validate
        // Otherwise a list that must not be empty begins with a row of nothing.
        experimental_defaultFormStateBehavior={{ arrayMinItems: { populate: 'never' } }}
        onBlur={validate}
        extraErrors={extraErrors as NonNullable<FormProps['extraErrors']>}
        onChange={({ formData }) => onChange?.(formData)}
        onSubmit={({ formData }) => onSubmit?.(formData)}
        onError={() => {}}
      >
        {onSubmit === undefined ? (
          <span />
        ) : (
          <Group justify="flex-end" mt="md">
            <Button type="submit" onClick={leaveField} loading={isBusy} disabled={disabled}>
              {submitText}
            </Button>
          </Group>
        )}
      </ThemedForm>
    </MantineThemeProvider>
  )
}

/** Blurs the field before submit, because some fields commit their text on blur. */
function leaveField(): void {
  const field = document.activeElement
  if (!(field instanceof HTMLInputElement)) return
  field.blur()
  field.focus({ preventScroll: true })
}
