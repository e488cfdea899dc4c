// A notification of what was done, with a button that undoes it.
import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'

/** Long enough to read it and to reach the button by keyboard. */
const SHOWN_MS = 15_000

export function notifyUndo(message: string, label: string, onUndo: () => void): void {
  const id = notifications.show({
    color: 'green',
    withBorder: true,
    autoClose: SHOWN_MS,
    message: (
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="xs"
          variant="default"
          style={{ flexShrink: 0 }}
          onClick={() => {
            notifications.hide(id)
            onUndo()
          }}
        >
          {label}
        </Button>
      </Group>
    ),
  })
}
