// A progress bar; without a known total it shows only the count. A finished step has no bar: it would say nothing.
import { Group, Progress, Stack, Text } from '@mantine/core'
import { parts } from '../../texts/en/parts.ts'
import { say } from '../../texts/say.ts'
import { ServiceMark } from '../values/service-mark.tsx'

interface RunProgressProps {
  readonly label: string
  /** The service that the progress belongs to. */
  readonly provider?: string
  readonly done: number
  /** null while unknown. */
  readonly total: number | null
  readonly isOver?: boolean
  readonly failed?: boolean
}

export function RunProgress({ label, provider, done, total, isOver = false, failed = false }: RunProgressProps) {
  const share = total === null || total === 0 ? 100 : Math.min(100, (done / total) * 100)
  const text =
    total === null ? say(parts.progress.unknown, { done }) : total === 0 ? '' : say(parts.progress.of, { done, total })
  const isMoving = total === null
  return (
    <Stack gap="2xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {provider === undefined ? null : <ServiceMark provider={provider} size={16} />} {label}
        </Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </Group>
      {isOver && !failed ? null : (
        <Progress.Root
          role="progressbar"
          aria-label={label}
          aria-valuetext={text || label}
          aria-valuemin={0}
          aria-valuemax={100}
          {...(isMoving ? {} : { 'aria-valuenow': Math.round(share) })}
        >
          <Progress.Section
            withAria={false}
            value={share}
            animated={isMoving}
            striped={isMoving}
            color={failed ? 'red.8' : 'playhead'}
          />
        </Progress.Root>
      )}
    </Stack>
  )
}
