// Signing in through the linked account: a window of the provider, and a question every few seconds whether it was approved.
import { Alert, Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../api/client.ts'
import type { ApiError } from '../api/error.ts'
import { login } from '../texts/en/login.ts'
import { say } from '../texts/say.ts'

const LOOK_MS = 2_000

export function SsoButton({ remember, onSignedIn }: { readonly remember: boolean; readonly onSignedIn: () => void }) {
  const available = useQuery({ queryKey: ['session', 'sso'], queryFn: () => api('GET /api/app-auth/mediaA/status') })
  const [flow, setFlow] = useState<{ state: string; window: Window } | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const approval = useQuery<{ pending: boolean }, ApiError>({
    queryKey: ['session', 'sso', flow?.state],
    queryFn: () => api('POST /api/app-auth/mediaA/check', { body: { state: flow?.state ?? '' } }),
    enabled: flow !== null,
    retry: false,
    refetchInterval: ({ state }) => state.error === null && state.data?.pending !== false ? LOOK_MS : false,
  })

  const isApproved = approval.data?.pending === false
  useEffect(() => {
    if (!isApproved) return
    flow?.window.close()
    onSignedIn()
  }, [isApproved, flow, onSignedIn])

  if (available.data?.login_available !== true) return null

  async function start() {
    setProblem(null)
    // Opened before anything is awaited, or the browser takes it for an unwanted one.
    const opened = window.open('about:blank', '_blank', 'width=600,height=720')
    if (opened === null) return setProblem(login.ssoBlocked)
    try {
      const { state, auth_url: address } = await api('POST /api/app-auth/mediaA/start', { body: { remember_me: remember } })
      opened.location.href = address
      setFlow({ state, window: opened })
    } catch (error) {
      opened.close()
      setProblem((error as Error).message)
    }
  }

  const text = problem ?? approval.error?.message ?? null
  return (
    <Stack gap="xs">
      <Button variant="default" onClick={() => void start()} loading={flow !== null && approval.error === null}>{say(login.sso, { label: login.ssoName })}</Button>
      <div role="status">{text === null ? (flow === null ? null : login.ssoWaiting) : <Alert color="red">{text}</Alert>}</div>
    </Stack>
  )
}
