// Profiles that were added for a sign-in: one whose sign-in does not complete is removed, also after a reload or a change of page.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { notifyFailure } from '../../parts/dialogs/notify.ts'
import { useOpenAhead } from '../../parts/sign-in/window.ts'
import type { SignInTarget } from './sign-in-dialog.tsx'

/** Of this tab, so that a sign-in in another one continues. */
const UNFINISHED = 'playhead.unfinished-profile'

async function dropUnused({ provider, instance }: Pick<SignInTarget, 'provider' | 'instance'>): Promise<void> {
  const rows = await api('GET /api/provider-instances/{provider}', { params: { provider } })
  if (rows.some(({ id, configured }) => id === instance && !configured))
    await api('DELETE /api/provider-instances/{provider}/{instance_id}', {
      params: { provider, instance_id: instance },
    })
}

/**
 * The open sign-in. Call `open` in the handler of the press, which also opens the window of the service; `close` removes a profile
 * that was added for the sign-in, `finish` keeps it.
 */
export function useSignInTarget() {
  const client = useQueryClient()
  const [target, setTarget] = useState<SignInTarget | null>(null)
  const openAhead = useOpenAhead()
  const drop = useRef(() => {})
  drop.current = () => {
    const left = JSON.parse(sessionStorage.getItem(UNFINISHED) ?? 'null') as SignInTarget | null
    sessionStorage.removeItem(UNFINISHED)
    if (left === null) return
    dropUnused(left)
      .catch((error: unknown) => notifyFailure(error))
      .finally(() => void client.invalidateQueries({ queryKey: ['connections'] }))
  }
  useEffect(() => {
    drop.current()
    return () => drop.current()
  }, [])
  return {
    target,
    open(next: SignInTarget) {
      openAhead(next.provider)
      if (next.isNew === true)
        sessionStorage.setItem(UNFINISHED, JSON.stringify({ provider: next.provider, instance: next.instance }))
      setTarget(next)
    },
    close() {
      drop.current()
      setTarget(null)
    },
    finish() {
      sessionStorage.removeItem(UNFINISHED)
      setTarget(null)
    },
  }
}
