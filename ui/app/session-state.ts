// The account state, and how the tabs learn of its changes.
import { useQuery } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { at, BASE } from '../api/base.ts'
import { api, type Answer } from '../api/client.ts'
import type { ApiError } from '../api/error.ts'
import { loadServiceTexts } from '../texts/service-text.ts'

export type SessionStatus = Answer<'GET /api/app-auth/status'>

export const SESSION_KEY = ['session'] as const

/** Informs the other tabs. */
export const channel =
  typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(`playhead-session ${BASE}`)

const IN = 'signed in'

export const OUT = 'signed out'

export const Session = createContext<SessionStatus | null>(null)

/** The account state. It is always loaded inside pages. */
export function useSession(): SessionStatus {
  const status = use(Session)
  if (status === null) throw new Error('There is no session outside of the pages.')
  return status
}

export function useSessionQuery() {
  return useQuery<SessionStatus, ApiError>({
    queryKey: SESSION_KEY,
    // Both before the first page, so that the service's texts are in the language of the page from the start.
    queryFn: async () => (await Promise.all([api('GET /api/app-auth/status'), loadServiceTexts()]))[0],
    staleTime: 60_000,
  })
}

/** Reloads the page so that no data of the session stays in memory; the other tabs do the same. */
export async function signOut(): Promise<void> {
  await api('POST /api/app-auth/logout').catch(() => undefined)
  channel?.postMessage(OUT)
  location.assign(at('/login'))
}

export function tellSignedIn(): void {
  channel?.postMessage(IN)
}
