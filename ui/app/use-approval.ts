// Opens a sign-in window of another service and polls until it is approved.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ApiError } from '../api/error.ts'
import { openWindow, useOpener } from '../parts/page/open-window.ts'
import { login } from '../texts/en/login.ts'

interface ApprovalOptions {
  readonly start: () => Promise<{ readonly state: string; readonly auth_url: string }>
  readonly check: (state: string) => Promise<{ pending: boolean }>
  /** Called once per approval after the window is closed. Must be stable between renders. */
  readonly onApproved: () => void
  /** Message if the browser blocks the window. */
  readonly blocked: string
  /** Message if the window is closed without approval. */
  readonly closed: string
}

const POLL_MS = 2_000
const WINDOW_FEATURES = 'width=600,height=720'

export function useApproval({ start, check, onApproved, blocked, closed }: ApprovalOptions) {
  useOpener()
  const [flow, setFlow] = useState<{ readonly state: string; readonly window: Window } | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const approval = useQuery<{ pending: boolean }, ApiError>({
    // Outside the session key, which is invalidated afterwards: a completed approval must not be read twice.
    queryKey: ['approval', flow?.state],
    queryFn: () => check(flow?.state ?? ''),
    enabled: flow !== null,
    retry: false,
    meta: { isFixed: true },
    refetchInterval: ({ state }) => (state.error === null && state.data?.pending !== false ? POLL_MS : false),
  })

  const isApproved = approval.data?.pending === false
  const isOver = isApproved || approval.error !== null
  useEffect(() => {
    if (isOver) flow?.window.close()
    if (isApproved) onApproved()
  }, [isOver, isApproved, flow, onApproved])

  // Checked with each poll. Polling continues, so an approval just before closing is still found.
  const isClosed = approval.dataUpdatedAt > 0 && !isApproved && flow?.window.closed === true
  return {
    isWaiting: flow !== null && approval.error === null && !isClosed,
    problem: refusal ?? (approval.error === null ? (isClosed ? closed : null) : textOf(approval.error)),
    async start() {
      setRefusal(null)
      setFlow(null)
      // Open before the first await, or the browser blocks it as a pop-up.
      const opened = openWindow('about:blank', WINDOW_FEATURES)
      if (opened === null) return setRefusal(blocked)
      try {
        const { state, auth_url: address } = await start()
        opened.location.href = address
        setFlow({ state, window: opened })
      } catch (error) {
        opened.close()
        setRefusal(textOf(error as ApiError))
      }
    },
    cancel() {
      flow?.window.close()
      setFlow(null)
    },
  }
}

function textOf({ code, message }: ApiError): string {
  return (login.refusals as Readonly<Record<string, string>>)[code] ?? message
}
