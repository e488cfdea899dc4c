// Endpoints of the playlists service, and the lists behind them.
import {
  type List,
  type ListEntry,
  type ListName,
  type ListRead,
  PlayheadError,
  type PlaylistEndpoint,
  type ProviderDescription,
} from '@playhead/sdk'
import { invalid, type Sources } from '../sources.ts'

interface FoundEndpoint {
  readonly endpoint: PlaylistEndpoint
  readonly list: ListName
}

/** Throws `PLH_NOT_FOUND` (`unknown_endpoint`), `PLH_INVALID` (`endpoint_without_list`). */
export async function findEndpoint({ playlists, has }: Sources, id: string): Promise<FoundEndpoint> {
  const all = has('playlists') ? await playlists.endpoints() : []
  const endpoint = all.find((one) => one.id === id)
  if (endpoint === undefined)
    throw new PlayheadError('PLH_NOT_FOUND', 'This list is not set up.', { wire: 'unknown_endpoint' })
  const { provider, instance, list } = endpoint
  if (list === null) throw invalid('endpoint_without_list', 'The list does not exist yet. The first item creates it.')
  return { endpoint, list: { provider, instance, kind: list.kind, id: list.id } }
}

export async function listEndpoints({ playlists, lists, accounts, has }: Sources) {
  const all = has('playlists') ? await playlists.endpoints() : []
  const descriptions = await accounts.providers()
  return Promise.all(
    all.map(async (endpoint) => {
      const { provider, instance, list } = endpoint
      const read =
        list === null ? null : await lists.last({ provider, instance, kind: list.kind, id: list.id }).catch(() => null)
      return {
        ...endpointOf(endpoint, descriptions),
        item_count: read?.count ?? null,
        last_synced: read === null ? null : toSeconds(read.readAtMs),
      }
    }),
  )
}

export function endpointOf(
  { id, name, provider, instance, list }: PlaylistEndpoint,
  descriptions: readonly ProviderDescription[],
) {
  return {
    id,
    name,
    provider,
    provider_label: descriptions.find((one) => one.id === provider)?.label ?? provider,
    instance,
    playlist_id: list?.id ?? '',
    playlist_name: list?.title ?? '',
    playlist_type: list?.kind ?? '',
  }
}

export function resourceOf({ provider, instance }: PlaylistEndpoint, list: List) {
  const can = (op: List['can'][number]) => list.readOnly === undefined && list.can.includes(op)
  return {
    provider,
    instance,
    id: list.id,
    name: list.title,
    kind: list.readOnly === 'dynamic' ? 'smart' : 'regular',
    smart: list.readOnly === 'dynamic',
    can_read: true,
    can_add: can('add'),
    can_remove: can('remove'),
    can_reorder: list.ordered && can('move'),
    writable: can('add') || can('remove'),
    media_types: list.kinds,
    warnings: [],
    extra: {
      endpoint_type: list.kind,
      item_count: list.count ?? null,
      duplicates: list.duplicates,
      ordered: list.ordered,
      read_only: list.readOnly ?? null,
      owner: list.owner ?? null,
      updated_at: list.updatedAt ?? null,
    },
  }
}

/** All entries of a read, in order. */
export async function entriesOf(
  { lists }: Pick<Sources, 'lists'>,
  { readId }: ListRead,
): Promise<readonly ListEntry[]> {
  const entries: ListEntry[] = []
  for await (const page of lists.entries(readId)) entries.push(...page)
  return entries
}

export function toSeconds(atMs: number): number {
  return Math.floor(atMs / 1_000)
}
