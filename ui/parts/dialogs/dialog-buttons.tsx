// The last line of a dialog: the way out, then the buttons that go on.
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
