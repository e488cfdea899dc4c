// An item in a response: a few fields always, others on request.
import type { Call } from './call.ts'
import { formatDate } from './dates.ts'
import type { Page } from './item-query.ts'
import { isContainer, userDataDto } from './user-data.ts'
import type { Item, User } from './world.ts'

export interface Shape {
  /** Lower case; 'all' for a single item, which has every field. */
  readonly fields: ReadonlySet<string> | 'all'
  readonly withUserData: boolean
}

export function shapeOf(call: Call): Shape {
  const fields = new Set(call.list('Fields').map((name) => name.toLowerCase()))
  return { fields, withUserData: call.query('EnableUserData') !== 'false' }
}

export function pageDto(
  call: Call,
  { items, total, startIndex }: Page,
  user: User | undefined,
): Record<string, unknown> {
  const shape = shapeOf(call)
  return {
    Items: items.map((item) => itemDto(call, item, user, shape)),
    TotalRecordCount: total,
    StartIndex: startIndex,
  }
}

export function itemDto(
  call: Pick<Call, 'world' | 'dialect'>,
  item: Item,
  user: User | undefined,
  { fields, withUserData }: Shape,
): Record<string, unknown> {
  const { world, dialect } = call
  const series = item.seriesId === undefined ? undefined : world.items.get(item.seriesId)
  const shows = (field: string): boolean => fields === 'all' || fields.has(field)
  return {
    Name: item.name,
    ServerId: world.serverId,
    Id: item.id,
    Type: item.type,
    MediaType:
      item.type === 'Movie' || item.type === 'Episode'
        ? 'Video'
        : dialect.product === 'jellyfin'
          ? 'Unknown'
          : undefined,
    IsFolder: isContainer(item),
    IndexNumber: item.index,
    ParentIndexNumber: item.parentIndex,
    SeriesName: series?.name,
    SeriesId: item.seriesId,
    SeasonId: item.type === 'Episode' ? item.parentId : undefined,
    ParentId: shows('parentid') ? item.parentId : undefined,
    ProductionYear: item.year,
    PremiereDate: dateOf(item.premieredAtMs),
    RunTimeTicks: item.runtimeTicks,
    LocationType: item.virtual === true ? 'Virtual' : 'FileSystem',
    ProviderIds: shows('providerids') ? item.providerIds : undefined,
    DateCreated: shows('datecreated') ? dateOf(item.createdAtMs) : undefined,
    CanDelete: shows('candelete') ? user?.administrator === true || item.ownerId === user?.id : undefined,
    Path: shows('path') ? item.path : undefined,
    MediaSources: shows('mediasources') ? mediaSourcesOf(item) : undefined,
    ...item.more,
    UserData: user === undefined || !withUserData ? undefined : userDataDto(world, user, item, dialect.showsLikes),
  }
}

function mediaSourcesOf({ id, name, path, runtimeTicks }: Item): readonly object[] | undefined {
  if (path === undefined) return undefined
  return [{ Id: id, Name: name, Path: path, Protocol: 'File', Type: 'Default', RunTimeTicks: runtimeTicks }]
}

function dateOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : formatDate(atMs)
}
