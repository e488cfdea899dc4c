// An error message with a retry button.
import { serviceText } from '../../texts/service-text.ts'
import { Alert, Button, Code, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { ApiError } from '../../api/error.ts'
import { parts } from '../../texts/en/parts.ts'
import { Fold } from './fold.tsx'

interface FailureProps {
  readonly error: unknown
  readonly title?: string
  /** Replaces the message of the error. */
  readonly text?: string
  readonly onRetry?: () => void
}

export function Failure({ error, title = parts.failure.title, text, onRetry }: FailureProps) {
  const message = serviceText(error instanceof Error ? error.message : String(error))
  return (
    <Alert role="alert" color="red" title={title} icon={<IconAlertTriangle aria-hidden />}>
      <Text>{text ?? message}</Text>
      {text === undefined && !(error instanceof ApiError && error.code !== '') ? null : (
        <Fold title={parts.failure.details}>
          <Code block>{error instanceof ApiError ? `${error.status} ${error.code}\n${message}` : message}</Code>
        </Fold>
      )}
      {onRetry === undefined ? null : (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={onRetry}>
            {parts.retry}
          </Button>
        </Group>
      )}
    </Alert>
  )
}
