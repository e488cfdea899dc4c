// The features that did not run, with the reason, one per line.
import { Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

export function Problems({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <Stack gap="2xs">
      {lines.map((line) => (
        <Group key={line} gap="xs" wrap="nowrap" align="flex-start">
          <IconAlertTriangle size={16} aria-hidden style={{ flexShrink: 0, marginTop: 'var(--mantine-spacing-3xs)' }} />
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {line}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}
