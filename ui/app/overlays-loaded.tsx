// The containers of questions and notifications.
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import { usePhone } from '../parts/page/use-phone.ts'

export default function OverlaysLoaded({ onReady }: { readonly onReady: () => void }) {
  useEffect(onReady, [onReady])
  const isPhone = usePhone()
  return (
    <ModalsProvider>
      {/* The main buttons of pages and dialogs stand at the bottom right and at the top right; on phones at the bottom. */}
      <Notifications position={isPhone ? 'top-center' : 'bottom-left'} />
    </ModalsProvider>
  )
}
