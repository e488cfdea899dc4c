// The containers of questions and notifications.
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { useEffect } from 'react'

export default function OverlaysLoaded({ onReady }: { readonly onReady: () => void }) {
  useEffect(onReady, [onReady])
  return (
    <ModalsProvider>
      <Notifications position="bottom-right" />
    </ModalsProvider>
  )
}
