// TanStack Query defaults: keys start with the area, network failures are retried, rejections are not.
import {
  notifyManager,
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryKey,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import { api, type Answer, type Input, type Operation } from './client.ts'
import { isApiError, type ApiError } from './error.ts'

const RETRIES = 2
const RETRY_MS = 10_000

export function createQueryClient(): QueryClient {
  // Notify before the next event. On a busy device a second click would otherwise find the button still enabled and send twice.
  notifyManager.setScheduler(queueMicrotask)
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // `useChanges` refetches the changes that a hidden page missed, so a refetch on focus would duplicate it.
        refetchOnWindowFocus: false,
        retry: (failures, error) =>
          failures < RETRIES && (!isApiError(error) || error.status === 0 || error.status >= 502),
        refetchInterval: recovery,
      },
    },
  })
}

/** A failed read recovers without user action. */
export function recovery({ state: { error } }: { readonly state: { readonly error: Error | null } }): number | false {
  return error !== null && isTemporary(error) ? RETRY_MS : false
}

function isTemporary(error: Error): boolean {
  return !isApiError(error) || error.status === 0 || error.status === 429 || error.status >= 500
}

interface ReadOptions<Data = unknown> {
  readonly enabled?: boolean
  /** A function is called after each response. */
  readonly refetchInterval?:
    | number
    | false
    | ((query: { readonly state: { readonly data?: Data | undefined } }) => number | false)
  readonly staleTime?: number
  /** Shows the previous data while new input loads, for filters and pagination. */
  readonly keepPrevious?: boolean
}

/** `useRead(['pairs'], 'GET /api/pairs')`; the input is appended to the key. */
export function useRead<Key extends Operation>(
  key: QueryKey,
  operation: Key,
  input?: Omit<Input<Key>, 'signal'>,
  { keepPrevious = false, refetchInterval = false, ...options }: ReadOptions<Answer<Key>> = {},
): UseQueryResult<Answer<Key>, ApiError> {
  return useQuery<Answer<Key>, ApiError>({
    queryKey: input === undefined ? key : [...key, input],
    queryFn: ({ signal }) =>
      (api as (operation: Key, input: object) => Promise<Answer<Key>>)(operation, { ...input, signal }),
    ...(keepPrevious ? ({ placeholderData: (previous: Answer<Key> | undefined) => previous } as object) : {}),
    refetchInterval: (query) =>
      (typeof refetchInterval === 'function' ? refetchInterval(query) : refetchInterval) || recovery(query),
    ...options,
  })
}

/** The read, whose data comes when the others are answered too, so that nothing moves when these are later. */
export function together<Data>(
  query: UseQueryResult<Data, ApiError>,
  ...others: readonly { readonly isPending: boolean }[]
): UseQueryResult<Data, ApiError> {
  return others.some(({ isPending }) => isPending)
    ? ({ ...query, data: undefined } as UseQueryResult<Data, ApiError>)
    : query
}

/** `useChange('POST /api/pairs', { refresh: [['pairs']] })`; invalidates the given keys on success. */
export function useChange<Key extends Operation>(
  operation: Key,
  { refresh = [], onDone }: { refresh?: readonly QueryKey[]; onDone?: (answer: Answer<Key>) => void } = {},
): UseMutationResult<Answer<Key>, ApiError, Omit<Input<Key>, 'signal'>> {
  const client = useQueryClient()
  return useMutation<Answer<Key>, ApiError, Omit<Input<Key>, 'signal'>>({
    mutationFn: (input) => (api as (operation: Key, input: object) => Promise<Answer<Key>>)(operation, input),
    onSuccess: async (answer) => {
      onDone?.(answer)
      await Promise.all(refresh.map((queryKey) => client.invalidateQueries({ queryKey })))
    },
  })
}
