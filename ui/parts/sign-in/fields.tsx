// The fields of a sign-in method.
import { Checkbox, NumberInput, PasswordInput, Stack, TextInput } from '@mantine/core'
import { signIn } from '../../texts/en/sign-in.ts'
import { serviceText } from '../../texts/service-text.ts'
import { say } from '../../texts/say.ts'
import type { Field, Values } from './fields-of.ts'

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
    <Stack gap="md">
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
