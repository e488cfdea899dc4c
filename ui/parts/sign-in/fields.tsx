// The fields of a sign-in method, from its schema.
import { Checkbox, NumberInput, PasswordInput, Stack, TextInput } from '@mantine/core'
import { signIn } from '../../texts/en/sign-in.ts'
import { serviceText } from '../../texts/service-text.ts'
import { say } from '../../texts/say.ts'

export interface Field {
  readonly name: string
  readonly title: string
  readonly description: string | null
  readonly type: 'string' | 'number' | 'boolean'
  readonly isSecret: boolean
  readonly isRequired: boolean
  readonly example: string | null
}

export type Values = Readonly<Record<string, string | number | boolean>>

interface Property {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly format?: string
  readonly examples?: readonly unknown[]
  readonly readOnly?: boolean
}

/** A single field is always required, because an empty form has no effect. */
export function fieldsOf(form: Readonly<Record<string, unknown>> | null): readonly Field[] {
  const properties = (form?.['properties'] ?? {}) as Readonly<Record<string, Property>>
  const required = (form?.['required'] ?? []) as readonly string[]
  const shown = Object.entries(properties).filter(([, { readOnly }]) => readOnly !== true)
  return shown.map(([name, { type, title = name, description, format, examples }]) => ({
    name,
    title,
    description: description ?? null,
    type: type === 'boolean' ? 'boolean' : type === 'number' || type === 'integer' ? 'number' : 'string',
    isSecret: format === 'password',
    isRequired: required.includes(name) || (shown.length === 1 && type !== 'boolean'),
    example: examples?.[0] === undefined ? null : String(examples[0]),
  }))
}

interface FieldsProps {
  readonly fields: readonly Field[]
  readonly values: Values
  /** Names of stored secrets. */
  readonly stored: ReadonlySet<string>
  readonly problems: Readonly<Record<string, string>>
  readonly onChange: (values: Values) => void
}

export function Fields({ fields, values, stored, problems, onChange }: FieldsProps) {
  if (fields.length === 0) return null
  return (
    <Stack gap="sm">
      {fields.map(({ name, title, description, type, isSecret, isRequired, example }, index) => {
        const set = (value: string | number | boolean) => onChange({ ...values, [name]: value })
        const inputProps = {
          label: serviceText(title),
          ...(index === 0 ? { 'data-autofocus': true } : {}),
          ...(description === null ? {} : { description: serviceText(description) }),
          error: problems[name],
        }
        if (type === 'boolean')
          return (
            <Checkbox
              key={name}
              {...inputProps}
              checked={values[name] === true}
              onChange={(event) => set(event.currentTarget.checked)}
            />
          )
        const more = { ...inputProps, name, withAsterisk: isRequired && !stored.has(name) }
        if (type === 'number')
          return <NumberInput key={name} {...more} value={(values[name] as number | string) ?? ''} onChange={set} />
        const text = String(values[name] ?? '')
        if (isSecret) {
          return (
            <PasswordInput
              key={name}
              {...more}
              value={text}
              onChange={(event) => set(event.currentTarget.value)}
              autoComplete="off"
              {...(stored.has(name) ? { placeholder: signIn.fields.stored } : {})}
            />
          )
        }
        return (
          <TextInput
            key={name}
            {...more}
            value={text}
            onChange={(event) => set(event.currentTarget.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder={example === null ? undefined : say(signIn.fields.example, { text: example })}
          />
        )
      })}
    </Stack>
  )
}
