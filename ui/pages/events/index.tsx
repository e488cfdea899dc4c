// Events: the list, or one group. Those of an item are on the page of its title.
import type { PageProps } from '../../app/page-props.ts'
import { Redirect } from 'wouter'
import { eventsAddress } from '../../parts/titles/pictures.ts'
import { GroupPage } from './group.tsx'
import { EventList } from './list.tsx'

export default function Events({ path, params }: PageProps) {
  if (path === '/events/groups/:id') return <GroupPage id={Number(params['id'])} />
  if (path === '/events/item/:key') return <Redirect to={eventsAddress(params['key'] as string)} replace />
  return <EventList />
}
