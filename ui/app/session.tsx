// The session guard. Without a session it shows the sign-in page. If a session expires, the sign-in opens over the
// page and the rejected requests are repeated.
import { useQueryClient } from '@tanstack/react-query'
import {
  startTransition,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import { useLocation } from 'wouter'
import { onSessionEnded } from '../api/client.ts'
import { Failure } from '../parts/page/failure.tsx'
import { lazyPart } from '../parts/page/lazy-part.ts'
import { Loading } from '../parts/page/loading.tsx'
import { GUEST_PATH } from './paths.ts'
import {
  type SessionStatus,
  SESSION_KEY,
  channel,
  OUT,
  Session,
  useSessionQuery,
  tellSignedIn,
} from './session-state.ts'

const SignInWindow = lazyPart(() => import('./sign-in-window.tsx'))
const LoginPage = lazyPart(() => import('../pages/login/index.tsx'))
const GuestPage = lazyPart(() => import('../pages/guest/index.tsx'))

export function SessionGuard({ children }: { readonly children: ReactNode }) {
  const [path] = useLocation()
  // A guest has no session, and reads nothing of the household.
  if (path === GUEST_PATH)
    return (
      <Suspense fallback={<Loading fullPage />}>
        <GuestPage />
      </Suspense>
    )
  return <HouseholdGuard>{children}</HouseholdGuard>
}

function HouseholdGuard({ children }: { readonly children: ReactNode }) {
  const { data: status, error, refetch } = useSessionQuery()
  const [path] = useLocation()
  const [signedIn, setSignedIn] = useState<SessionStatus | undefined>()
  // Deferred, because rendering the whole application at once takes a tenth of a second.
  useEffect(() => {
    if (status !== undefined && !needsSignIn(status)) startTransition(() => setSignedIn(status))
  }, [status])
  useCheckAtEachAddress(path, refetch)
  useEffect(() => {
    const follow = ({ data }: MessageEvent) => (data === OUT ? location.reload() : void refetch())
    channel?.addEventListener('message', follow)
    return () => channel?.removeEventListener('message', follow)
  }, [refetch])

  const isWaiting = status === undefined ? error === null : signedIn === undefined && !needsSignIn(status)
  useLayoutEffect(() => {
    if (!isWaiting) document.getElementById('frame')?.remove()
  }, [isWaiting])

  if (status === undefined) {
    return error === null ? <Loading fullPage /> : <Failure error={error} onRetry={() => void refetch()} />
  }
  // A mounted page stays below the sign-in, with its input.
  if (path === '/login' || status.setup_required || (signedIn === undefined && needsSignIn(status)))
    return (
      <Suspense fallback={<Loading fullPage />}>
        <LoginPage />
      </Suspense>
    )
  if (signedIn === undefined) return <Loading fullPage />
  return (
    <Session value={signedIn}>
      {children}
      <SignInAgain status={signedIn} hasEnded={needsSignIn(status)} />
    </Session>
  )
}

const needsSignIn = ({ setup_required, enabled, authenticated }: SessionStatus) =>
  setup_required || (enabled && !authenticated)

/** A page may send no request that would reveal an expired session. */
function useCheckAtEachAddress(path: string, check: () => unknown): void {
  const last = useRef(path)
  useEffect(() => {
    if (last.current === path) return
    last.current = path
    check()
  }, [path, check])
}

function SignInAgain({ status, hasEnded }: { readonly status: SessionStatus; readonly hasEnded: boolean }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [isUsed, setUsed] = useState(false)
  if (hasEnded && !isUsed) setUsed(true)
  const waiting = useRef<PromiseWithResolvers<void> | null>(null)

  const release = useCallback(() => {
    setOpen(false)
    waiting.current?.resolve()
    waiting.current = null
  }, [])
  // Also runs when another tab signed in.
  useEffect(() => {
    if (!hasEnded) release()
  }, [hasEnded, release])

  useEffect(
    () =>
      onSessionEnded(() => {
        setOpen(true)
        setUsed(true)
        void client.invalidateQueries({ queryKey: SESSION_KEY })
        waiting.current ??= Promise.withResolvers<void>()
        return waiting.current.promise
      }),
    [client],
  )

  async function resume() {
    tellSignedIn()
    await client.invalidateQueries({ queryKey: SESSION_KEY })
    release()
  }

  return (
    <Suspense>
      {isUsed ? <SignInWindow isOpen={isOpen || hasEnded} status={status} onSignedIn={() => void resume()} /> : null}
    </Suspense>
  )
}
