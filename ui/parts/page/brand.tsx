// Logo and product name.
import { Group, Text } from '@mantine/core'
import { shell } from '../../texts/en/shell.ts'

const SIZE = 24

/** The drawing of `static/icon.svg`, inlined to save a request. */
export function Brand() {
  return (
    <Group gap="xs" wrap="nowrap">
      <svg viewBox="0 0 32 32" width={SIZE} height={SIZE} aria-hidden strokeWidth="2.5" strokeLinecap="round">
        <rect width="32" height="32" rx="7" fill="#5639c6" />
        <path d="M6 21h20" stroke="#c3b8ff" />
        <path d="M6 21h9M15 17.5v7" stroke="#fff" />
        <path d="M10.5 7.5h9v6l-4.5 4-4.5-4z" fill="#fff" />
      </svg>
      <Text fw={700} size="lg">
        {shell.product}
      </Text>
    </Group>
  )
}
