// Why a plugin could not be loaded: phase, message, file and line.
import { Alert, Code, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { plugins } from '../../texts/en/plugins.ts'
import { Fold } from '../page/fold.tsx'
import { Copy } from '../values/copy.tsx'
import { TimeText } from '../values/time-text.tsx'
import type { PluginSummary } from './use-plugins.ts'

const texts = plugins.error

interface PluginErrorProps {
  readonly error: NonNullable<PluginSummary['last_error']>
  /** Whether a version is active: the one before the edit that failed, or the version with the fault. */
  readonly isActive: boolean
  readonly title?: string
}

export function PluginError({ error, isActive, title }: PluginErrorProps) {
  const { phase, message, file, line, column, stack, at } = error
  const place = file === null ? null : [file, line, column].filter((part) => part !== null).join(':')
  const phaseText = texts.phases[phase as keyof typeof texts.phases] ?? texts.other
  return (
    <Alert role="alert" color="red" title={title ?? phaseText} icon={<IconAlertTriangle aria-hidden />}>
      {place === null ? null : (
        <Group gap="xs" mb="2xs">
          <Code fz="sm">{place}</Code>
          <Copy text={place} />
        </Group>
      )}
      <Text style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{message}</Text>
      <Text size="sm" mt="2xs">
        <TimeText at={at} />
        {isActive ? ` · ${error.of_edit ? plugins.previousVersion : plugins.runsOn}` : ''}
      </Text>
      {stack === null ? null : (
        <Fold title={texts.stack}>
          <Code block style={{ overflowX: 'auto' }} tabIndex={0}>
            {stack}
          </Code>
        </Fold>
      )}
    </Alert>
  )
}
