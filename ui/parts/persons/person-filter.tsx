// The filter of a list by person. Renders nothing in a household without persons.
import { Avatar, Group, Select, type SelectProps } from '@mantine/core'
import { persons as texts } from '../../texts/en/persons.ts'
import { type Person, usePersons } from './persons.ts'

export function PersonMark({ person: { name, color } }: { readonly person: Pick<Person, 'name' | 'color'> }) {
  return (
    <Avatar size={22} color={color} variant="filled" autoContrast aria-hidden>
      {[...name][0]?.toUpperCase() ?? ''}
    </Avatar>
  )
}

export function PersonFilter({
  value,
  onChange,
  isLabelHidden = false,
  ...rest
}: Pick<SelectProps, 'style' | 'size'> & {
  readonly value: string | null
  readonly onChange: (person: string | null) => void
  /** Beside a heading: the filter has its name for screen readers alone. */
  readonly isLabelHidden?: boolean
}) {
  const { data } = usePersons()
  const list = data?.persons ?? []
  if (list.length === 0) return null
  const chosen = list.find(({ id }) => id === value)
  return (
    <Select
      {...(isLabelHidden ? { 'aria-label': texts.person } : { label: texts.person })}
      placeholder={texts.everyone}
      clearable
      data={list.map(({ id, name }) => ({ value: id, label: name }))}
      leftSection={chosen === undefined ? null : <PersonMark person={chosen} />}
      renderOption={({ option }) => {
        const person = list.find(({ id }) => id === option.value)
        return (
          <Group gap="xs">
            {person === undefined ? null : <PersonMark person={person} />}
            {option.label}
          </Group>
        )
      }}
      value={chosen?.id ?? null}
      onChange={onChange}
      {...rest}
    />
  )
}
