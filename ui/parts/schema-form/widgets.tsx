// Replaces widgets of the form library: a list of words in one field, and a switch with its help below.
import { Checkbox, TagsInput } from '@mantine/core'
import type { RJSFSchema, WidgetProps } from '@rjsf/utils'
import { parts } from '../../texts/en/parts.ts'

type Props = WidgetProps<unknown, RJSFSchema>

function WordsWidget({
  id,
  label,
  hideLabel,
  schema,
  options,
  value,
  required,
  disabled,
  readonly,
  rawErrors,
  onChange,
}: Props) {
  return (
    <TagsInput
      id={id}
      label={hideLabel === true ? undefined : label}
      withAsterisk={required === true}
      description={options.description ?? schema.description}
      placeholder={parts.form.words}
      disabled={disabled === true || readonly === true}
      value={Array.isArray(value) ? value.map(String) : []}
      onChange={onChange}
      error={rawErrors?.join('\n')}
      clearable
      acceptValueOnBlur
      splitChars={[',', '\n']}
    />
  )
}

function CheckboxWidget({
  id,
  name,
  htmlName,
  label,
  hideLabel,
  schema,
  options,
  value,
  disabled,
  readonly,
  rawErrors,
  onChange,
}: Props) {
  return (
    <Checkbox
      id={id}
      name={htmlName ?? name}
      label={hideLabel === true ? undefined : label}
      description={options.description ?? schema.description}
      checked={value === true}
      disabled={disabled === true || readonly === true}
      onChange={(event) => onChange(event.currentTarget.checked)}
      error={rawErrors?.join('\n')}
    />
  )
}

export const widgets = { words: WordsWidget, CheckboxWidget }
