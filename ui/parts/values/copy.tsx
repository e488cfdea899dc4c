// A button that copies a text.
import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { parts } from '../../texts/en/parts.ts'

export function Copy({ text, label = parts.copy.copy }: { readonly text: string; readonly label?: string }) {
  const { copy, copied } = useClipboard()
  return (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() => copy(text)}
      leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
    >
      <span aria-live="polite">{copied ? parts.copy.copied : label}</span>
    </Button>
  )
}
