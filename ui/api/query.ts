// TanStack Query with the house's habits: keys start with the area, failures of the network are tried again, refusals
// are not.
import {
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
const AGAIN_MS = 10_000

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: (failures, error) =>
          failures < RETRIES && (!isApiError(error) || error.status === 0 || error.status >= 502),
        // What could not be read comes by itself as soon as it can be.
        refetchInterval: ({ state: { error } }) => (error !== null && mayPass(error) ? AGAIN_MS : false),
      },
    },
  })
}

function mayPass(error: Error): boolean {
  return !isApiError(error) || error.status === 0 || error.status === 429 || error.status >= 500
}

export interface ReadOptions {
  readonly enabled?: boolean
  readonly refetchInterval?: number | false
  readonly staleTime?: number
  /** Shows the data of the address before while the next one loads; for filters and pages. */
  readonly keepPrevious?: boolean
}

/** `useRead(['pairs'], 'GET /api/pairs')`; the input belongs to the key by itself. */
export function useRead<Key extends Operation>(
  key: QueryKey,
  operation: Key,
  input?: Omit<Input<Key>, 'signal'>,
  { keepPrevious = false, ...options }: ReadOptions = {},
): UseQueryResult<Answer<Key>, ApiError> {
  return useQuery<Answer<Key>, ApiError>({
    queryKey: input === undefined ? key : [...key, input],
    queryFn: ({ signal }) =>
      (api as (operation: Key, input: object) => Promise<Answer<Key>>)(operation, { ...input, signal }),
    ...(keepPrevious ? ({ placeholderData: (previous: Answer<Key> | undefined) => previous } as object) : {}),
    ...options,
  })
}

/** `useChange('POST /api/pairs', { refresh: [['pairs']] })`; afterwards the named keys are read again. */
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
