// The session guard. Without a session it shows the sign-in page. If a session expires, the sign-in opens over the
// page and the rejected requests are repeated.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, Suspense, use, useEffect, useRef, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { at } from '../api/base.ts'
import { api, onSessionEnded, type Answer } from '../api/client.ts'
import type { ApiError } from '../api/error.ts'
import { Failure } from '../parts/page/failure.tsx'
import { lazyPart } from '../parts/page/lazy-part.ts'
import { Loading } from '../parts/page/loading.tsx'
import { loadServiceTexts } from '../texts/service-text.ts'

export type SessionStatus = Answer<'GET /api/app-auth/status'>

const SESSION_KEY = ['session'] as const
const SignInWindow = lazyPart(() => import('./sign-in-window.tsx'))
const LoginPage = lazyPart(() => import('../pages/login/index.tsx'))
const Session = createContext<SessionStatus | null>(null)

/** The account state. It is always loaded inside pages. */
export function useSession(): SessionStatus {
  const status = use(Session)
  if (status === null) throw new Error('There is no session outside of the pages.')
  return status
}

export function useSessionQuery() {
  return useQuery<SessionStatus, ApiError>({
    queryKey: SESSION_KEY,
    // Both before the first page: what the service says is then in the language of the page at once.
    queryFn: async () => (await Promise.all([api('GET /api/app-auth/status'), loadServiceTexts()]))[0],
    staleTime: 60_000,
  })
}

/** Reloads the page so that no data of the session stays in memory. */
export async function signOut(): Promise<void> {
  await api('POST /api/app-auth/logout').catch(() => undefined)
  location.assign(at('/login'))
}

export function SessionGuard({ children }: { readonly children: ReactNode }) {
  const { data: status, error, refetch } = useSessionQuery()
  const [path] = useLocation()

  if (status === undefined) {
    return error === null ? <Loading fullPage /> : <Failure error={error} onRetry={() => void refetch()} />
  }
  const needsSignIn = status.setup_required || (status.enabled && !status.authenticated)
  if (path === '/login' || needsSignIn)
    return (
      <Suspense fallback={<Loading fullPage />}>
        <LoginPage />
      </Suspense>
    )
  return (
    <Session value={status}>
      {children}
      <SignInAgain status={status} />
    </Session>
  )
}

function SignInAgain({ status }: { readonly status: SessionStatus }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [isUsed, setUsed] = useState(false)
  const waiting = useRef<PromiseWithResolvers<void> | null>(null)

  useEffect(
    () =>
      onSessionEnded(() => {
        setOpen(true)
        setUsed(true)
        waiting.current ??= Promise.withResolvers<void>()
        return waiting.current.promise
      }),
    [],
  )

  function resume() {
    setOpen(false)
    waiting.current?.resolve()
    waiting.current = null
    void client.invalidateQueries({ queryKey: SESSION_KEY })
  }

  return <Suspense>{isUsed ? <SignInWindow isOpen={isOpen} status={status} onSignedIn={resume} /> : null}</Suspense>
}
