// The status of all accounts, refreshed while the page is open.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { notifyFailure } from '../../parts/dialogs/notify.ts'

export type Connection = Answer<'GET /api/connections'>['connections'][number]
export type Profile = Connection['profiles'][number]
export type Usage = Profile['used_by'][number]

const KEY = ['connections', 'state'] as const
const POLL_MS = 20_000

export function useConnections() {
  return useRead(KEY, 'GET /api/connections', undefined, { refetchInterval: POLL_MS })
}

/** Checks all accounts now. */
export function useCheckNow(): readonly [isChecking: boolean, check: () => Promise<void>] {
  const client = useQueryClient()
  const [isChecking, setChecking] = useState(false)
  return [
    isChecking,
    async () => {
      setChecking(true)
      try {
        client.setQueryData(KEY, await api('GET /api/connections', { query: { fresh: 1 } }))
      } catch (error) {
        notifyFailure(error)
      }
      setChecking(false)
    },
  ]
}
