// Confirmation dialogs and notifications; their components are loaded with the first use.
import { modals } from '@mantine/modals'
import { useNotifications } from '@mantine/notifications'
import { Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { lazyPart } from '../parts/page/lazy-part.ts'

type Question = Parameters<typeof modals.open>[0]

const OverlaysLoaded = lazyPart(() => import('./overlays-loaded.tsx'))
/** Event that `modals.open` sends. It is queued here until the component is mounted. */
const OPENED = 'mantine-modals:openModal'

/** Rendered once. */
export function Overlays() {
  const isNotified = useNotifications().notifications.length > 0
  const [isAsked, setAsked] = useState(false)
  const [isUsed, setUsed] = useState(false)
  const waiting = useRef<Question[]>([])
  const isLoaded = useRef(false)
  useEffect(() => {
    const keep = (event: Event) => {
      if (isLoaded.current) return
      waiting.current.push((event as CustomEvent<Question>).detail)
      setAsked(true)
    }
    window.addEventListener(OPENED, keep)
    return () => window.removeEventListener(OPENED, keep)
  }, [])
  useEffect(() => {
    if (isNotified || isAsked) setUsed(true)
  }, [isNotified, isAsked])
  const onReady = useCallback(() => {
    isLoaded.current = true
    for (const question of waiting.current.splice(0)) modals.open(question)
  }, [])
  return <Suspense>{isUsed ? <OverlaysLoaded onReady={onReady} /> : null}</Suspense>
}
