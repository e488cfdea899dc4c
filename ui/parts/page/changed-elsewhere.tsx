// Warns in an edited form that its data was changed elsewhere, and offers to load the new data.
import { Alert, Button, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { parts } from '../../texts/en/parts.ts'

/** `reload` comes from `useDraft`; null renders nothing. */
export function ChangedElsewhere({ reload }: { readonly reload: (() => void) | null }) {
  if (reload === null) return null
  const { text, action } = parts.changedElsewhere
  return (
    <Alert color="yellow" role="status" icon={<IconInfoCircle aria-hidden />}>
      <Text size="sm" mb="xs">
        {text}
      </Text>
      <Button size="xs" variant="default" onClick={reload}>
        {action}
      </Button>
    </Alert>
  )
}
