// A choice between few values as chips: a radio group, so one tab stop with arrow keys.
import { Chip, Group } from '@mantine/core'
import { useId } from 'react'

interface ChoiceChipsProps<Value extends string> {
  readonly label: string
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

export function ChoiceChips<Value extends string>({ label, options, value, onChange }: ChoiceChipsProps<Value>) {
  // Without a shared name, each chip would be its own group.
  const name = useId()
  return (
    <Chip.Group value={value} onChange={(next) => onChange(next as Value)}>
      <Group gap="2xs" role="radiogroup" aria-label={label}>
        {options.map((one) => (
          <Chip key={one.value} name={name} value={one.value}>
            {one.label}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  )
}
