// An approval in a window of another service: opens it, and asks every few seconds whether it was given.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ApiError } from '../api/error.ts'

export interface ApprovalOptions {
  readonly start: () => Promise<{ readonly state: string; readonly auth_url: string }>
  readonly check: (state: string) => Promise<{ pending: boolean }>
  /** Once for each approval, when the window is closed again. Keep it between renders. */
  readonly onApproved: () => void
  /** What to say when the browser opens no window. */
  readonly blocked: string
}

const LOOK_MS = 2_000
const WINDOW = 'width=600,height=720'

export function useApproval({ start, check, onApproved, blocked }: ApprovalOptions) {
  const [flow, setFlow] = useState<{ readonly state: string; readonly window: Window } | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const approval = useQuery<{ pending: boolean }, ApiError>({
    queryKey: ['session', 'sso', flow?.state],
    queryFn: () => check(flow?.state ?? ''),
    enabled: flow !== null,
    retry: false,
    refetchInterval: ({ state }) => state.error === null && state.data?.pending !== false ? LOOK_MS : false,
  })

  const isApproved = approval.data?.pending === false
  useEffect(() => {
    if (!isApproved) return
    flow?.window.close()
    onApproved()
  }, [isApproved, flow, onApproved])

  return {
    isWaiting: flow !== null && approval.error === null,
    problem: refusal ?? approval.error?.message ?? null,
    async start() {
      setRefusal(null)
      // Opened before anything is awaited, or the browser takes it for an unwanted one.
      const opened = window.open('about:blank', '_blank', WINDOW)
      if (opened === null) return setRefusal(blocked)
      try {
        const { state, auth_url: address } = await start()
        opened.location.href = address
        setFlow({ state, window: opened })
      } catch (error) {
        opened.close()
        setRefusal((error as Error).message)
      }
    },
    cancel() {
      flow?.window.close()
      setFlow(null)
    },
  }
}
