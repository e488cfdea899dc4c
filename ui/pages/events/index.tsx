// Events: the list, one group, or one item.
import type { PageProps } from '../../app/page-props.ts'
import { GroupPage } from './group.tsx'
import { ItemPage } from './item.tsx'
import { EventList } from './list.tsx'

export default function Events({ path, params }: PageProps) {
  if (path === '/events/groups/:id') return <GroupPage id={Number(params['id'])} />
  return path === '/events/item/:key' ? <ItemPage itemKey={params['key'] as string} /> : <EventList />
}
