// A status as text, colour and shape, because colour alone is not accessible.
import { Badge } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCircleDashed, IconLoader2, IconX } from '@tabler/icons-react'
import { parts } from '../../texts/en/parts.ts'

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle'

const STYLES = {
  good: { color: 'green', icon: IconCheck },
  bad: { color: 'red', icon: IconX },
  warn: { color: 'orange', icon: IconAlertTriangle },
  busy: { color: 'blue', icon: IconLoader2 },
  idle: { color: 'gray', icon: IconCircleDashed },
} as const

export function StatusBadge({ tone, label = parts.status[tone] }: { readonly tone: Tone; readonly label?: string }) {
  const { color, icon: Icon } = STYLES[tone]
  return (
    <Badge variant="light" color={color} tt="none" leftSection={<Icon size={13} aria-hidden />}>
      {label}
    </Badge>
  )
}
