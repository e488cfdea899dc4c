// The installed application: its service worker, and the offer to load a new version.
import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useEffect } from 'react'
import { at, BASE } from '../api/base.ts'
import { onReachableAgain } from '../api/connection.ts'
import { shell } from '../texts/en/shell.ts'

const { newVersion: texts } = shell
const WORKER = '/sw.js'
const AFTER_MS = 4_000
const LOOK_MS = 1_800_000
const OFFER = 'new-version'

/** Rendered once. */
export function Installed() {
  useEffect(() => {
    // Browsers support service workers only on HTTPS and localhost.
    const timer = setTimeout(() => {
      void navigator.serviceWorker?.register(at(WORKER), { scope: `${BASE}/` }).catch(() => undefined)
    }, AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    let lookedAt = Date.now()
    const look = () => {
      lookedAt = Date.now()
      void isOutdated().then((is) => is && offer())
    }
    const onVisible = () => {
      if (document.visibilityState === 'visible' && Date.now() - lookedAt > LOOK_MS) look()
    }
    const stop = onReachableAgain(look)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      stop()
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [])
  return null
}

/** The worker file names its version. */
async function isOutdated(): Promise<boolean> {
  const own = document
    .querySelector<HTMLScriptElement>('script[type=module][src*="/assets/main-"]')
    ?.src.split('/')
    .at(-1)
  if (own === undefined) return false
  try {
    const answer = await fetch(at(WORKER), { cache: 'no-store' })
    return answer.ok && !(await answer.text()).includes(own)
  } catch {
    return false
  }
}

function offer(): void {
  notifications.show({
    id: OFFER,
    autoClose: false,
    title: texts.title,
    message: (
      <Group justify="space-between" gap="sm">
        <Text size="sm">{texts.text}</Text>
        <Button size="xs" onClick={() => window.location.reload()}>
          {texts.reload}
        </Button>
      </Group>
    ),
  })
}
