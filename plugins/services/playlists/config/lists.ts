// The wire form of an account's lists, and the names of lists in the settings.
import {
  accountName,
  defined,
  FEATURES,
  type List,
  type ListKind,
  type ListKindSupport,
  type ListName,
  type Loss,
  type ProviderDescription,
} from '@playhead/sdk'
import { type Endpoint, LIST_KINDS } from '../settings.ts'

/** Side effects of a removal that people must confirm: losses of data other than the entry itself. */
export function seriousLosses(losses: readonly Loss[] | undefined): readonly Loss[] {
  const serious: readonly Loss[] = ['status', ...FEATURES]
  return (losses ?? []).filter((loss) => serious.includes(loss))
}

/** `playlist:12`, the id of a list on the wire. */
export function wireId({ kind, id }: Pick<List, 'kind' | 'id'>): string {
  return `${kind}:${id}`
}

/** Kind and id of a list on the wire; undefined if it has no kind. */
function parseWireId(text: string): { readonly kind: ListKind; readonly id: string } | undefined {
  const kind = LIST_KINDS.find((one) => text.startsWith(`${one}:`))
  const id = kind === undefined ? '' : text.slice(kind.length + 1)
  return kind === undefined || id === '' ? undefined : { kind, id }
}

/** The list of a wire id; an id without a kind must be unique. */
export function findList(lists: readonly List[], text: string): List | undefined {
  const exact = lists.find((list) => wireId(list) === text)
  if (exact !== undefined) return exact
  const plain = lists.filter(({ id }) => id === text)
  return plain.length === 1 ? plain[0] : undefined
}

/** Null if the list is created with its first item. */
export function listOf({ provider, instance, playlist_id: id }: Endpoint): ListName | null {
  const name = parseWireId(id)
  return name === undefined ? null : { provider, instance, ...name }
}

/** Equal for endpoints of one list. */
export function listKey(endpoint: Endpoint): string {
  const account = accountName(endpoint.provider, endpoint.instance)
  return `${account} ${endpoint.playlist_id === '' ? endpoint.id : endpoint.playlist_id}`
}

export function supportOf(description: ProviderDescription | undefined, kind: ListKind): ListKindSupport | undefined {
  const lists = description?.lists
  return lists !== undefined && Object.hasOwn(lists, kind) ? lists[kind] : undefined
}

/** The fields of an endpoint that come from its list. */
export function factsOf(list: List, support: ListKindSupport | undefined) {
  const warning = removeWarning(support)
  return {
    playlist_id: wireId(list),
    playlist_name: list.title.slice(0, 300),
    playlist_type: list.kind,
    media_types: [...list.kinds],
    can_add: list.can.includes('add'),
    can_remove: list.can.includes('remove'),
    can_reorder: canReorder(list),
    smart: list.readOnly === 'dynamic',
    destructive_remove: warning !== '',
    remove_warning: warning,
    warnings: warningsOf(list, support),
  }
}

export function canReorder({ ordered, can }: Pick<List, 'ordered' | 'can'>): boolean {
  return ordered && can.includes('move')
}

/** Empty if a removal has no side effects. */
function removeWarning(support: ListKindSupport | undefined): string {
  const losses = seriousLosses(support?.losses?.remove)
  return losses.length === 0 ? '' : `Removing an item also loses its ${losses.join(', ')} at the service.`
}

function warningsOf(list: List, support: ListKindSupport | undefined): string[] {
  return [
    ...(list.readOnly === undefined ? [] : [`read_only:${list.readOnly}`]),
    ...(removeWarning(support) === '' ? [] : ['destructive_remove']),
    ...((support?.exclusive ?? []).length > 0 ? ['exclusive'] : []),
  ]
}

/** A list as `GET /api/playlists/resources` shows it. */
export function resourceOf(
  { provider, instance }: { readonly provider: string; readonly instance: string },
  list: List,
  support: ListKindSupport | undefined,
) {
  const canAdd = list.can.includes('add')
  const canRemove = list.can.includes('remove')
  const isSmart = list.readOnly === 'dynamic'
  const warning = removeWarning(support)
  return {
    provider,
    instance,
    id: wireId(list),
    name: list.title,
    kind: isSmart ? ('smart' as const) : ('regular' as const),
    smart: isSmart,
    can_read: true,
    can_add: canAdd,
    can_remove: canRemove,
    can_reorder: canReorder(list),
    writable: !isSmart && (canAdd || canRemove),
    media_types: list.kinds,
    extra: {
      endpoint_type: list.kind,
      raw_id: list.id,
      dynamic: isSmart,
      fixed: list.kind === 'status',
      ordered: list.ordered,
      can_create: support?.can.includes('create') ?? false,
      can_rename: list.can.includes('rename'),
      can_delete: list.can.includes('delete'),
      destructive_remove: warning !== '',
      warnings: warningsOf(list, support),
      ...(warning === '' ? {} : { remove_warning: warning }),
      ...defined({ item_count: list.count }),
      ...(list.shared === undefined ? {} : { private: !list.shared }),
      ...defined({ owner: list.owner, section_id: list.library, updated_at: list.updatedAt, read_only: list.readOnly }),
    },
  }
}

/** The list capabilities of a provider in the form of `GET /api/playlists/providers`. */
export function capabilitiesOf({ lists = {}, bidirectional }: ProviderDescription) {
  const kinds = LIST_KINDS.flatMap((kind) => {
    const support = lists[kind]
    return support === undefined ? [] : [{ kind, support }]
  })
  const some = (op: ListKindSupport['can'][number]) => kinds.some(({ support }) => support.can.includes(op))
  const isOrdered = ({ support }: (typeof kinds)[number]) => support.ordered && support.can.includes('move')
  const ids = [...new Set(kinds.flatMap(({ support }) => support.needsAnyId ?? []))]
  const warning = kinds.map(({ support }) => removeWarning(support)).find((text) => text !== '') ?? ''
  const reorder = kinds.some(isOrdered)
  return {
    read: true,
    create: some('create'),
    add: some('add'),
    remove: some('remove'),
    reorder,
    smart: kinds.some(({ kind }) => kind !== 'status'),
    smart_writable: false,
    media_types: [...new Set(kinds.flatMap(({ support }) => support.kinds))],
    endpoint_types: kinds.map(({ kind }) => kind),
    ordered_endpoint_types: kinds.filter(isOrdered).map(({ kind }) => kind),
    unordered_endpoint_types: kinds.filter((one) => !isOrdered(one)).map(({ kind }) => kind),
    fixed_endpoints: !some('create'),
    bidirectional,
    unordered: !reorder,
    destructive_remove: warning !== '',
    ...(warning === '' ? {} : { remove_warning: warning }),
    ...(ids.length === 0 ? {} : { requires_ids: ids }),
  }
}
