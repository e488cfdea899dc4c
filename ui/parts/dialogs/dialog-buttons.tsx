// The last line of a dialog: Cancel, then its own buttons.
import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { parts } from '../../texts/en/parts.ts'

export function DialogButtons({ onCancel, children }: { readonly onCancel: () => void; readonly children: ReactNode }) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        {parts.confirm.cancel}
      </Button>
      {children}
    </Group>
  )
}
