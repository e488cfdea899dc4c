// The lists of accounts, read from their services when shown.
import { useQueries } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { KEY, type Account, type List } from './state.ts'

const FRESH_MS = 60_000

interface AccountLists {
  readonly account: Account
  /** undefined while the lists load. */
  readonly lists: readonly List[] | undefined
  readonly error: ApiError | null
  readonly retry: () => void
}

/** @param enabled false fetches nothing */
export function useLists(accounts: readonly Account[]): readonly AccountLists[] {
  const found = useQueries({
    queries: accounts.map(({ provider, instance }) => ({
      queryKey: [...KEY, 'lists', provider, instance],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        api('GET /api/playlists/resources', { query: { provider, instance }, signal }),
      staleTime: FRESH_MS,
    })),
  })
  return accounts.map((account, index) => ({
    account,
    lists: found[index]?.data?.resources,
    error: (found[index]?.error ?? null) as ApiError | null,
    retry: () => void found[index]?.refetch(),
  }))
}

export const idOf = ({ provider, instance }: { readonly provider: string; readonly instance: string }) =>
  `${provider}@${instance}`
