// Notifications of success, or of a failure that no page shows.
import { notifications } from '@mantine/notifications'
import { parts } from '../../texts/en/parts.ts'

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'green', withBorder: true })
}

export function notifyFailure(error: unknown, title: string = parts.failure.title): void {
  notifications.show({
    title,
    message: error instanceof Error ? error.message : String(error),
    color: 'red',
    withBorder: true,
    autoClose: 10_000,
    role: 'alert',
  })
}
