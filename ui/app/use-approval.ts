// An approval in a window of another service: opens it, and asks every few seconds whether it was given.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ApiError } from '../api/error.ts'
import { login } from '../texts/en/login.ts'

export interface ApprovalOptions {
  readonly start: () => Promise<{ readonly state: string; readonly auth_url: string }>
  readonly check: (state: string) => Promise<{ pending: boolean }>
  /** Once for each approval, when the window is closed again. Keep it between renders. */
  readonly onApproved: () => void
  /** What to say when the browser opens no window. */
  readonly blocked: string
  /** What to say when the window is gone and nobody approved. */
  readonly closed: string
}

const LOOK_MS = 2_000
const WINDOW = 'width=600,height=720'

export function useApproval({ start, check, onApproved, blocked, closed }: ApprovalOptions) {
  const [flow, setFlow] = useState<{ readonly state: string; readonly window: Window } | null>(null)
  const [refusal, setRefusal] = useState<string | null>(null)
  const approval = useQuery<{ pending: boolean }, ApiError>({
    // Not below the session: it is read again afterwards, and an approval is asked about once.
    queryKey: ['approval', flow?.state],
    queryFn: () => check(flow?.state ?? ''),
    enabled: flow !== null,
    retry: false,
    refetchInterval: ({ state }) => (state.error === null && state.data?.pending !== false ? LOOK_MS : false),
  })

  const isApproved = approval.data?.pending === false
  const isOver = isApproved || approval.error !== null
  useEffect(() => {
    if (isOver) flow?.window.close()
    if (isApproved) onApproved()
  }, [isOver, isApproved, flow, onApproved])

  // Looked at with each answer. An approval just before is still noticed: the questions go on.
  const isClosed = approval.dataUpdatedAt > 0 && !isApproved && flow?.window.closed === true
  return {
    isWaiting: flow !== null && approval.error === null && !isClosed,
    problem: refusal ?? (approval.error === null ? (isClosed ? closed : null) : textOf(approval.error)),
    async start() {
      setRefusal(null)
      setFlow(null)
      // Opened before anything is awaited, or the browser takes it for an unwanted one.
      const opened = window.open('about:blank', '_blank', WINDOW)
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
