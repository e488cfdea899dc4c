// The containers of confirmation dialogs and notifications.
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import { usePhone } from '../parts/page/use-phone.ts'

export default function OverlaysLoaded({ onReady }: { readonly onReady: () => void }) {
  useEffect(onReady, [onReady])
  const isPhone = usePhone()
  return (
    <ModalsProvider>
      {/* The main buttons of pages and dialogs are at the bottom right and top right; on phones at the bottom. */}
      <Notifications position={isPhone ? 'top-center' : 'bottom-left'} />
    </ModalsProvider>
  )
}
