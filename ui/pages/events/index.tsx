// Events: the list, or one group. Those of a title are on its page.
import type { PageProps } from '../../app/page-props.ts'
import { GroupPage } from './group.tsx'
import { EventList } from './list.tsx'

export default function Events({ path, params }: PageProps) {
  if (path === '/events/groups/:id') return <GroupPage id={Number(params['id'])} />
  return <EventList />
}
